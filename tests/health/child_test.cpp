#include "health/child.h"

#include "base/clock.h"
#include "base/error.h"

#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

using namespace std::chrono_literals;

ChildResult shell(const std::string& script, const ChildLimits& limits = {},
                  const std::stop_token& stop = {}) {
    return run_child("/bin/sh", {"-c", script}, limits, stop);
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

TEST_CASE("output, errors and exit code of a child, byte for byte") {
    const auto result = shell("printf 'a\\0b\\377'; printf 'oops\\n' >&2; exit 9");
    CHECK(result.end == ChildEnd::exited);
    CHECK(result.status == 9);
    CHECK(result.output == std::string("a\0b\xff", 4));
    CHECK(result.errors == "oops\n");
    CHECK_FALSE(result.survivor);
}

TEST_CASE("a child gets its arguments as they are") {
    const auto result = run_child("/usr/bin/printf", {"%s\\n", "a b", "$(id)", "-x", "*;\n"}, {}, {});
    CHECK(result.output == "a b\n$(id)\n-x\n*;\n\n");
}

TEST_CASE("a child sees no descriptor, input, variable, signal mask or group of ours") {
    Fd ours(::open("/dev/null", O_RDONLY));  // Not close-on-exec.
    REQUIRE(ours);
    CHECK(shell("ls /proc/self/fd | tr '\\n' ' '").output == "0 1 2 3 ");  // 3 is the listed folder itself.
    CHECK(shell("cat; readlink /proc/self/fd/0").output == "/dev/null\n");
    ::setenv("WEAROUT_TEST_SECRET", "1", 1);
    const auto environment = run_child("/usr/bin/env", {}, {}, {}).output;
    CHECK(environment == fmt::format("LC_ALL=C\nPATH={}\n", system_path));
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &mask, nullptr);
    CHECK(shell("grep SigBlk /proc/self/status").output == "SigBlk:\t0000000000000000\n");
    ::sigprocmask(SIG_UNBLOCK, &mask, nullptr);
    CHECK(shell("test \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$").status == 0);
}

TEST_CASE("a child that hangs is killed with its whole group, and reaped") {
    const auto started = system_clock().steady();
    const auto result = shell("sleep 1000 & echo $!; echo $$; exec sleep 1000", {.timeout = 300ms});
    CHECK(result.end == ChildEnd::timed_out);
    CHECK_FALSE(result.survivor);
    CHECK(system_clock().steady() - started < 100s);
    std::size_t line = 0;
    for (const auto end = result.output.find('\n'); line < 2; ++line) {
        const auto pid = line == 0 ? std::stoi(result.output) : std::stoi(result.output.substr(end + 1));
        CAPTURE(pid);
        // Killed; the group's other member is its new parent's to reap.
        const auto status = "/proc/" + std::to_string(pid);
        for (int i = 0; i < 1000 && ::access((status + "/exe").c_str(), F_OK) == 0; ++i)
            std::this_thread::sleep_for(5ms);
        CHECK(::access((status + "/exe").c_str(), F_OK) != 0);
    }
}

TEST_CASE("what a child leaves running does not hold us up") {
    const auto result = shell("sleep 1000 & echo done", {.timeout = 100s});
    CHECK(result.end == ChildEnd::exited);
    CHECK(result.output == "done\n");
}

TEST_CASE("a flood is cut off and its source killed") {
    const auto result = shell("exec cat /dev/zero", {.timeout = 100s, .output_bytes = 100'000});
    CHECK(result.end == ChildEnd::flooded);
    CHECK(result.output.size() == 100'000);
    const auto exact = shell("head -c 100000 /dev/zero", {.output_bytes = 100'000});
    CHECK(exact.end == ChildEnd::exited);
    CHECK(exact.output.size() == 100'000);
    const auto more = shell("head -c 100001 /dev/zero", {.output_bytes = 100'000});
    CHECK(more.end == ChildEnd::flooded);
    const auto errors = shell("head -c 1000000 /dev/zero >&2; echo done", {.error_bytes = 10});
    CHECK(errors.output == "done\n");
    CHECK(errors.errors.size() == 10);
}

TEST_CASE("a child ended by a signal is told from one that ends by itself") {
    const auto result = shell("kill -SEGV $$");
    CHECK(result.end == ChildEnd::signalled);
    CHECK(result.status == SIGSEGV);
}

TEST_CASE("a request to stop ends a child at once") {
    std::stop_source source;
    std::jthread later([&] {
        std::this_thread::sleep_for(100ms);
        source.request_stop();
    });
    CHECK(shell("exec sleep 1000", {}, source.get_token()).end == ChildEnd::told_to_stop);
    CHECK(shell("exec sleep 1000", {}, source.get_token()).end == ChildEnd::told_to_stop);
}

TEST_CASE("a child that its kill does not end is handed back, and can be reaped later") {
    auto result = shell("exec sleep 1000", {.timeout = 50ms, .grace = 50ms, .kill_signal = SIGCONT});
    CHECK(result.end == ChildEnd::timed_out);
    REQUIRE(result.survivor);
    CHECK_FALSE(result.survivor->reap(0ms));
    ::kill(result.survivor->pid(), SIGKILL);
    CHECK(result.survivor->reap(100s));
}

TEST_CASE("no descriptor is left open, however a child ends") {
    (void)shell("exit 0");
    const auto before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        (void)shell("exit 1");
        (void)shell("exec sleep 1000", {.timeout = 1ms});
        (void)shell("exec cat /dev/zero", {.output_bytes = 1});
        CHECK_THROWS_AS((void)run_child("/nonexistent", {}, {}, {}), Failure);
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("programs are found by path, or by name where the system keeps them") {
    CHECK(find_program("sh").ends_with("bin/sh"));
    CHECK(find_program("/bin/sh") == "/bin/sh");
    CHECK(find_program("no-such-program").empty());
    CHECK(find_program("/etc/passwd").empty());
}

}  // namespace
}  // namespace wearout::health
