#include "service/config.h"

#include "base/error.h"
#include "base/version.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

std::string failure_of(const std::vector<std::string>& arguments) {
    try {
        (void)read_command_line(arguments);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("command line over file over default") {
    const test::TempFolder folder;
    const auto file = folder.write(
        "w.conf", "# comment\n\n  sample-interval = 10m  \nstate-dir=/srv/wear\nlog-level = debug\n");
    const auto read = read_command_line({"--config", file, "--log-level", "error"}).config;
    CHECK(read.sample_interval == 10min);
    CHECK(read.state_dir == "/srv/wear");
    CHECK(read.database() == "/srv/wear/wearout.db");
    CHECK(read.log_level == "error");
    CHECK(read.checkpoint_interval == 5s);
    CHECK(read.socket == "/run/wearout/control.sock");
}

TEST_CASE("what is wrong in a file is named with file, line and key") {
    const test::TempFolder folder;
    const auto in_file = [&](const std::string& text) {
        const auto file = folder.write("w.conf", text);
        const auto failure = failure_of({"--config", file});
        CHECK(failure.starts_with(file));
        return failure.substr(file.size());
    };
    CHECK(in_file("colour = red\n") == ":1: unknown key 'colour'; see wearoutd --help");
    CHECK(in_file("\n\nsocket\n") == ":3: 'socket' is not of the form key = value");
    CHECK(in_file("socket = relative.sock\n") == ":1: socket: 'relative.sock' is not an absolute path");
    CHECK(in_file("sample-interval = 0\n").starts_with(":1: sample-interval: '0' is not between"));
    CHECK(in_file("# a\nsample-interval = soon\n").starts_with(":2: sample-interval: 'soon' is not a time"));
    CHECK(in_file("log-level = loud\n").starts_with(":1: log-level: 'loud' is none of"));
    CHECK(in_file("smartctl = bin/smartctl\n").starts_with(":1: smartctl:"));
}

TEST_CASE("wrong arguments are refused") {
    CHECK(failure_of({"--colour"}).find("colour") != std::string::npos);
    CHECK(failure_of({"stray"}) != "accepted");
    CHECK(
        failure_of({"--config", "/nowhere/at/all.conf"}).starts_with("/nowhere/at/all.conf: cannot be read"));
    CHECK(failure_of({"--sample", "5m"}) != "accepted");  // No guessing of shortened names.
}

TEST_CASE("help and version are texts to print") {
    const auto help = read_command_line({"--help"}).print_and_exit;
    REQUIRE(help);
    for (const char* option :
         {"--config", "--state-dir", "--socket", "--log-level", "--check-config", "--version"})
        CHECK(help->find(option) != std::string::npos);
    CHECK(read_command_line({"--version"}).print_and_exit == "wearoutd " + std::string(version()) + "\n");
}
