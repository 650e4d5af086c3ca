#include "health/smartctl.h"

#include "fake_smartctl.h"
#include "fixtures.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

using namespace std::chrono_literals;

RawAnswer ask(const FakeSmartctl& fake, SmartctlOptions options = {},
              const std::string& device = "/dev/none") {
    options.program = fake.path();
    return smartctl_source(device, std::move(options))->ask();
}

TEST_CASE("an answer comes as it was printed, whatever the exit code") {
    for (const int code : {0, 1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        const FakeSmartctl fake(fmt::format("printf ' {{\"a\":1}}\\n\\n'; exit {}", code));
        const auto answer = ask(fake);
        CHECK(answer.text == " {\"a\":1}\n\n");
        CHECK(answer.problem.empty());
    }
}

TEST_CASE("the device is never taken for an option, and extra arguments come before it") {
    const FakeSmartctl fake("for a; do printf '<%s>' \"$a\"; done");
    CHECK(ask(fake, {.extra_arguments = {"-d", "sat"}}, "-V; rm x").text ==
          "<--json><-x><-d><sat><--><-V; rm x>");
}

TEST_CASE("each way to give no answer is one line for the user") {
    CHECK(ask(FakeSmartctl("exit 2")).problem == "smartctl gave no answer (exit status 2)");
    CHECK(ask(FakeSmartctl("echo 'no such \033 option' >&2; exit 1")).problem ==
          "smartctl gave no answer (exit status 1): no such ? option");
    CHECK(ask(FakeSmartctl("kill -KILL $$")).problem == "smartctl was ended by signal 9");
    CHECK(ask(FakeSmartctl("echo '{'; exec sleep 1000"), {.timeout = 200ms}).problem ==
          "/dev/none did not answer smartctl within 0.2 s");
    const auto flood = ask(FakeSmartctl("exec cat /dev/zero"));
    CHECK(flood.problem == "smartctl's answer is longer than 8388608 bytes, which no drive's is");
    CHECK(flood.text.empty());
    CHECK(smartctl_source("/dev/none", {.program = "no-smartctl"})->ask().problem ==
          "no-smartctl is not installed (package smartmontools), so there are no wear counters");
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(ask(FakeSmartctl("exec sleep 1000"), {.stop = stopped.get_token()}).problem ==
          "smartctl was stopped before it had answered");
}

TEST_CASE("a program that can't be started is a problem, not an exception") {
    const FakeSmartctl fake("exit 0");
    std::ofstream(fake.path()) << "#!/no/such/interpreter\n";
    CHECK(ask(fake).problem.starts_with("smartctl can't be run: "));
}

TEST_CASE("how long it took is told") {
    CHECK(ask(FakeSmartctl("sleep 0.2; echo '{}'")).took >= 200ms);
}

TEST_CASE("a device whose last child still hangs is not asked again until that one has ended") {
    const auto hangs = FakeSmartctl("echo $$ > $(dirname $0)/pid; exec sleep 1000");
    SmartctlOptions options{.timeout = 500ms};
    options.limits.grace = 50ms;
    options.limits.kill_signal = SIGCONT;
    CHECK(ask(hangs, options, "/dev/stuck").problem == "/dev/stuck did not answer smartctl within 0.5 s");

    const FakeSmartctl answers("echo '{}'");
    const auto pid_file = std::filesystem::path(hangs.path()).parent_path() / "pid";
    const auto pid = std::stoi(read_file(pid_file));
    CHECK(
        ask(answers, {}, "/dev/stuck").problem ==
        fmt::format("smartctl (process {}) still hangs in the kernel over /dev/stuck; the drive is not asked "
                    "again until it ends",
                    pid));
    CHECK(ask(answers, {}, "/dev/other").text == "{}\n");

    ::kill(pid, SIGKILL);
    for (int i = 0; i < 1000 && ask(answers, {}, "/dev/stuck").text.empty(); ++i)
        ::usleep(5000);
    CHECK(ask(answers, {}, "/dev/stuck").text == "{}\n");
    CHECK(::kill(pid, 0) != 0);  // Reaped.
}

TEST_CASE("of one drive no two are asked at once, whatever the paths that lead to it") {
    // Each child looks for another's mark while its own is there.
    const FakeSmartctl fake(R"(
        mkdir "$here/busy" || echo overlap >> "$here/overlaps"
        echo x >> "$here/asked"; sleep 0.05; rmdir "$here/busy"; echo '{}')");
    std::vector<std::thread> askers;
    for (const char* path : {"/dev/sda", "/dev/sdb", "/dev/bus/0", "/dev/sda"})
        askers.emplace_back([&, path] {
            const auto source =
                smartctl_source(path, {.program = fake.path(), .drive_key = "wwn:one for all paths"});
            for (int i = 0; i < 5; ++i)
                CHECK(source->ask().text == "{}\n");
        });
    for (auto& asker : askers)
        asker.join();
    CHECK(fake.text_of("asked").size() == 40);
    CHECK(fake.text_of("overlaps").empty());
}

TEST_CASE("while a question to a drive hangs, another gives up after its time-out or when told to stop") {
    const FakeSmartctl hangs("touch \"$here/asked\"; exec sleep 1000");
    std::stop_source end;
    std::thread first([&] { (void)ask(hangs, {.stop = end.get_token(), .drive_key = "wwn:hangs"}); });
    while (!std::filesystem::exists(hangs.file("asked")))
        std::this_thread::sleep_for(1ms);
    const FakeSmartctl answers("echo '{}'");
    CHECK(ask(answers, {.timeout = 50ms, .drive_key = "wwn:hangs"}, "/dev/sdx").problem ==
          "another question to /dev/sdx is still open");
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(ask(answers, {.stop = stopped.get_token(), .drive_key = "wwn:hangs"}).problem ==
          "smartctl was stopped before it had answered");
    CHECK(ask(answers, {.drive_key = "wwn:other"}).text == "{}\n");
    end.request_stop();
    first.join();
    CHECK(ask(answers, {.drive_key = "wwn:hangs"}).text == "{}\n");
}

TEST_CASE("a drive that may sleep is not woken, and sleeping is not failing") {
    const FakeSmartctl fake(R"sh(
        if [ "$3" = -n ]; then
            printf '{"smartctl": {"exit_status": 3, "messages": [{"string": "Device is in STANDBY mode, exit(3)",
                     "severity": "information"}]}, "device": {"protocol": "ATA"}}'
            exit ${4#standby,}
        fi
        echo "$*")sh");
    bool idle = true;
    const auto source =
        smartctl_source("/dev/sda", {.program = fake.path(), .may_sleep = [&] { return idle; }});
    const auto answer = source->ask();
    CHECK(answer.asleep);
    CHECK(answer.text.empty());
    CHECK(answer.problem.empty());
    idle = false;
    CHECK(source->ask().text == "--json -x -- /dev/sda\n");
    CHECK_FALSE(source->ask().asleep);
}

TEST_CASE("what ends with the status of a sleeping drive and does not say so is no sleeping drive") {
    const auto idle = [] { return true; };
    const auto odd =
        ask(FakeSmartctl(R"(echo '{"smartctl": {"exit_status": 3}}'; exit 3)"), {.may_sleep = idle});
    CHECK_FALSE(odd.asleep);
    CHECK_FALSE(odd.text.empty());
    const auto failed = ask(FakeSmartctl(R"sh(echo '{"smartctl": {"exit_status": 2, "messages":
        [{"string": "Smartctl open device: /dev/sda failed: No such device", "severity": "error"}]}}'; exit 2)sh"),
                            {.may_sleep = idle});
    CHECK_FALSE(failed.asleep);
    CHECK(decode(failed).problem.starts_with("smartctl can't ask this device"));
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
    // It takes what is asked of a drive that may sleep.
    const auto idle = smartctl_source("-no-such-device", {.may_sleep = [] { return true; }})->ask();
    CHECK(decode(idle).problem == sample.problem);
}

}  // namespace
}  // namespace wearout::health
