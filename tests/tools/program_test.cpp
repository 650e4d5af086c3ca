// The program itself, as a shell runs it.

#include "tools/fake_daemon.h"
#include "tools/run_tool.h"
#include "tools/stored_life.h"

#include <array>
#include <cstdio>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;

namespace {

const std::string program = WEARCTL_PROGRAM;

}  // namespace

TEST_CASE("exit codes reach the shell") {
    CHECK(shell(program + " --version 2>&1").second == 0);
    CHECK(shell(program + " frobnicate 2>&1").second == 2);
    CHECK(shell(program + " --socket /nonexistent status 2>&1").second == 4);
    FakeDaemon daemon;
    const std::string with_socket = program + " --socket " + daemon.socket();
    CHECK(shell(with_socket + " status 2>&1").second == 0);
    CHECK(shell(with_socket + " start /dev/sdx 2>&1 </dev/null").second == 3);
}

TEST_CASE("whoever stops reading ends it quietly") {
    StoredLife life;
    const auto [text, status] =
        shell("{ " + program + " report --json --db " + life.path + " | head -c 1; } 2>&1");
    CHECK(text == "{");
    CHECK(status == 0);
}

TEST_CASE("output that can't be written is an error") {
    const auto [text, status] = shell(program + " --help 2>&1 >/dev/full");
    CHECK(status == 4);
    CHECK(text == "wearctl: the output can't be written\n");
}

TEST_CASE("colour is for terminals, unless it is asked for, NO_COLOR forbids it there") {
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    const std::string status = program + " --socket " + daemon.socket() + " status";
    CHECK(!contains(shell(status).first, "\033["));
    CHECK(contains(shell(status + " --color always").first, "\033["));
    if (std::system("command -v script >/dev/null") != 0) {
        MESSAGE("skipped: no script(1) here to make a terminal");
        return;
    }
    const auto on_terminal = [](const std::string& environment, const std::string& command) {
        return shell("env -u NO_COLOR TERM=xterm " + environment + " script -qec '" + command + "' /dev/null")
            .first;
    };
    CHECK(contains(on_terminal("", status), "\033["));
    CHECK(!contains(on_terminal("NO_COLOR=1", status), "\033["));
    CHECK(!contains(on_terminal("", status + " --color never"), "\033["));
}

TEST_CASE("the locale decides between Unicode and ASCII") {
    StoredLife life;
    const std::string report = " " + program + " report --db " + life.path;
    const auto [ascii, ascii_status] = shell("LC_ALL=C" + report);
    for (const char c : ascii)
        REQUIRE(static_cast<unsigned char>(c) < 0x80);
    CHECK(contains(shell("LC_ALL=C.UTF-8" + report).first, "┤"));
}
