#include "service/supervisor.h"

#include "base/error.h"
#include "service/fixture.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;
using wearout::test::Service;

namespace {

ExitCode refusal(Service& service, const std::string& target, const std::string& profile = "quick",
                 const std::string& confirm = {}) {
    try {
        (void)service.start(target, profile, {}, confirm);
    } catch (const Failure& failure) {
        return failure.code();
    }
    return ExitCode::pass;
}

}  // namespace

TEST_CASE("a run on a simulated drive ends with everything written, verified and sampled") {
    Service service;
    const RunId run = service.start("sim:a?size=32MiB", "burn-in", {{"passes", "2"}});
    const auto status = service.wait_for(run, "finished");
    CHECK(status.written_bytes == 2 * (32U << 20U));
    CHECK(status.verified_bytes == 2 * (32U << 20U));
    CHECK(status.findings_total == 0);
    CHECK(status.model.find("SIMULATED") != std::string::npos);
    CHECK(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    const auto first = service.store.first_sample(run);
    REQUIRE(first);
    CHECK(first->reason == SampleReason::start);
    CHECK(first->run_written == Bytes{0});
    const auto last = service.store.last_sample("sim:a");
    REQUIRE(last);
    CHECK(last->reason == SampleReason::end);
    CHECK_FALSE(last->readings.empty());
}

TEST_CASE("one drive has one run, and a scan knows what the last one left") {
    Service service;
    CHECK(refusal(service, "sim:b?size=32MiB", "scan") == ExitCode::insufficient_data);
    const RunId run = service.start("sim:b?size=32MiB", "endurance", {{"rate", "1MB"}});
    CHECK(refusal(service, "sim:b?size=32MiB") == ExitCode::refused);
    CHECK(refusal(service, "sim:b", "scan") == ExitCode::refused);
    for (int i = 0; i < 500 && service.supervisor.status(run).written_bytes == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    service.supervisor.order(run, Session::Order::stop);
    service.wait_for(run, "stopped");
    CHECK(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    const RunId scan = service.start("sim:b", "scan");
    const auto status = service.wait_for(scan, "finished");
    CHECK(status.written_bytes == 0);
    CHECK(status.verified_bytes > 0);
    CHECK(status.findings_total == 0);
}

TEST_CASE("pause holds, resume goes on, and orders to a run that is over are refused") {
    Service service;
    const RunId run = service.start("sim:c?size=32MiB", "quick", {{"rate", "4MB"}});
    service.supervisor.order(run, Session::Order::pause);
    const auto paused = service.wait_for(run, "paused");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(service.supervisor.status(run).written_bytes == paused.written_bytes);
    CHECK_THROWS_AS(service.supervisor.order(run, Session::Order::pause), Failure);
    service.supervisor.order(run, Session::Order::resume);
    for (int i = 0; i < 500 && service.supervisor.status(run).state == "paused"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK_THROWS_AS(service.supervisor.order(run, Session::Order::resume), Failure);
    // Orders that come faster than they are obeyed do no harm.
    for (int i = 0; i < 20; ++i) {
        try {
            service.supervisor.order(run, i % 2 == 0 ? Session::Order::pause : Session::Order::resume);
        } catch (const Failure&) {
            continue;
        }
    }
    for (int i = 0; i < 500 && service.supervisor.status(run).state != "paused"; ++i) {
        try {
            service.supervisor.order(run, Session::Order::pause);
        } catch (const Failure&) {
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    service.supervisor.order(run, Session::Order::resume);
    service.wait_for(run, "finished");
    CHECK_THROWS_AS(service.supervisor.order(run, Session::Order::pause), Failure);
    CHECK_THROWS_AS((void)service.supervisor.status(RunId{99}), Failure);
}

TEST_CASE("a file of somebody else is overwritten only with its path typed, and ours without") {
    Service service;
    const auto path = service.folder.write("precious", std::string(1 << 20, 'x'));
    const auto size = std::filesystem::file_size(path);
    CHECK(refusal(service, "file:" + path) == ExitCode::refused);
    CHECK(refusal(service, "file:" + path, "quick", "yes") == ExitCode::refused);
    std::ifstream file(path);
    CHECK(file.get() == 'x');
    CHECK(std::filesystem::file_size(path) == size);
    CHECK(service.supervisor.consent("file:" + path).type_this == path);
    service.wait_for(service.start("file:" + path, "quick", {}, path), "finished");
    const auto ours = service.folder.file("ours");
    service.wait_for(service.start("file:" + ours + "?size=2MiB", "quick"), "finished");
    CHECK(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    service.wait_for(service.start("file:" + ours, "quick"), "finished");
}

TEST_CASE("the database itself is never a target") {
    Service service;
    CHECK(refusal(service, "file:" + service.config.database(), "quick", service.config.database()) !=
          ExitCode::pass);
    CHECK(service.store.drives().empty());
}

TEST_CASE("an interrupted run goes on where it was under the next supervisor") {
    Service service;
    const RunId run = service.start("sim:d?size=32MiB", "burn-in", {{"passes", "1"}, {"rate", "16MB"}});
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    REQUIRE(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    const auto before = service.supervisor.status(run);
    CHECK(before.state == "writing");
    Supervisor next({service.config, service.store, system_clock(), {}});
    CHECK(next.resume_all() == 1);
    control::RunStatus status;
    for (int i = 0; i < 2000 && status.state != "finished"; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        status = next.status(run);
    }
    CHECK(status.state == "finished");
    CHECK(status.findings_total == 0);
    CHECK(status.written_bytes == 32U << 20U);
}

TEST_CASE("a run whose file is gone waits for it, says why, and makes none in its place") {
    Service service;
    const auto path = service.folder.file("gone");
    const RunId run = service.start("file:" + path + "?size=64MiB", "endurance", {{"rate", "1MB"}});
    REQUIRE(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    std::filesystem::remove(path);
    Supervisor next({service.config, service.store, system_clock(), {}});
    CHECK(next.resume_all() == 1);
    control::RunStatus status;
    for (int i = 0; i < 500 && status.state != "waiting-drive"; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        status = next.status(run);
    }
    CHECK(status.state == "waiting-drive");
    CHECK(status.reason.find(path) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(path));
    next.order(run, Session::Order::stop);
    for (int i = 0; i < 500 && status.state != "stopped"; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        status = next.status(run);
    }
    CHECK(status.state == "stopped");
}
