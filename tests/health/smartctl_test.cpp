#include "health/smartctl.h"

#include "fixtures.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

using namespace std::chrono_literals;

/// A program that stands in for smartctl, in a folder that goes with it.
class FakeSmartctl {
  public:
    explicit FakeSmartctl(const std::string& script) {
        std::string name = (std::filesystem::temp_directory_path() / "wearout-smartctl-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        std::ofstream(path()) << "#!/bin/sh\n" << script;
        REQUIRE(::chmod(path().c_str(), 0755) == 0);
    }
    FakeSmartctl(const FakeSmartctl&) = delete;
    FakeSmartctl& operator=(const FakeSmartctl&) = delete;
    ~FakeSmartctl() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return (folder_ / "smartctl").string(); }
    [[nodiscard]] RawAnswer ask(SmartctlOptions options = {}, const std::string& device = "/dev/none") const {
        options.program = path();
        return smartctl_source(device, std::move(options))->ask();
    }

  private:
    std::filesystem::path folder_;
};

TEST_CASE("an answer comes as it was printed, whatever the exit code") {
    for (const int code : {0, 1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        const FakeSmartctl fake(fmt::format("printf ' {{\"a\":1}}\\n\\n'; exit {}", code));
        const auto answer = fake.ask();
        CHECK(answer.text == " {\"a\":1}\n\n");
        CHECK(answer.problem.empty());
    }
}

TEST_CASE("the device is never taken for an option, and extra arguments come before it") {
    const FakeSmartctl fake("for a; do printf '<%s>' \"$a\"; done");
    CHECK(fake.ask({.extra_arguments = {"-d", "sat"}}, "-V; rm x").text ==
          "<--json><-x><-d><sat><--><-V; rm x>");
}

TEST_CASE("each way to give no answer is one line for the user") {
    CHECK(FakeSmartctl("exit 2").ask().problem == "smartctl gave no answer (exit status 2)");
    CHECK(FakeSmartctl("echo 'no such \033 option' >&2; exit 1").ask().problem ==
          "smartctl gave no answer (exit status 1): no such ? option");
    CHECK(FakeSmartctl("kill -KILL $$").ask().problem == "smartctl was ended by signal 9");
    CHECK(FakeSmartctl("echo '{'; exec sleep 1000").ask({.timeout = 200ms}).problem ==
          "/dev/none did not answer smartctl within 0.2 s");
    const auto flood = FakeSmartctl("exec cat /dev/zero").ask();
    CHECK(flood.problem == "smartctl's answer is longer than 8388608 bytes, which no drive's is");
    CHECK(flood.text.empty());
    CHECK(smartctl_source("/dev/none", {.program = "no-smartctl"})->ask().problem ==
          "no-smartctl is not installed (package smartmontools), so there are no wear counters");
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(FakeSmartctl("exec sleep 1000").ask({.stop = stopped.get_token()}).problem ==
          "smartctl was stopped before it had answered");
}

TEST_CASE("a program that can't be started is a problem, not an exception") {
    const FakeSmartctl fake("exit 0");
    std::ofstream(fake.path()) << "#!/no/such/interpreter\n";
    CHECK(fake.ask().problem.starts_with("smartctl can't be run: "));
}

TEST_CASE("how long it took is told") {
    CHECK(FakeSmartctl("sleep 0.2; echo '{}'").ask().took >= 200ms);
}

TEST_CASE("a device whose last child still hangs is not asked again until that one has ended") {
    const auto hangs = FakeSmartctl("echo $$ > $(dirname $0)/pid; exec sleep 1000");
    SmartctlOptions options{.timeout = 500ms};
    options.limits.grace = 50ms;
    options.limits.kill_signal = SIGCONT;
    CHECK(hangs.ask(options, "/dev/stuck").problem == "/dev/stuck did not answer smartctl within 0.5 s");

    const FakeSmartctl answers("echo '{}'");
    const auto pid_file = std::filesystem::path(hangs.path()).parent_path() / "pid";
    const auto pid = std::stoi(read_file(pid_file));
    CHECK(
        answers.ask({}, "/dev/stuck").problem ==
        fmt::format("smartctl (process {}) still hangs in the kernel over /dev/stuck; the drive is not asked "
                    "again until it ends",
                    pid));
    CHECK(answers.ask({}, "/dev/other").text == "{}\n");

    ::kill(pid, SIGKILL);
    for (int i = 0; i < 1000 && answers.ask({}, "/dev/stuck").text.empty(); ++i)
        ::usleep(5000);
    CHECK(answers.ask({}, "/dev/stuck").text == "{}\n");
    CHECK(::kill(pid, 0) != 0);  // Reaped.
}

TEST_CASE("the real smartctl answers in a form that decode reads") {
    if (find_program("smartctl").empty()) {
        MESSAGE("skipped: smartctl is not installed");
        return;
    }
    const auto answer = smartctl_source("-no-such-device", {})->ask();
    CHECK(answer.problem.empty());
    const auto sample = decode(answer);
    CHECK(sample.readings.empty());
    CHECK(sample.problem.starts_with("no SMART here: smartctl does not know how to ask this device"));
}

}  // namespace
}  // namespace wearout::health
