// The commands that ask the daemon, against one that says what it is told to.

#include "tools/fake_daemon.h"
#include "tools/run_tool.h"
#include "tools/wearctl/text.h"

#include <cstdlib>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;

namespace {

ToolResult ask(const FakeDaemon& daemon, std::vector<std::string> arguments,
               tools::Screen screen = plain_screen) {
    arguments.insert(arguments.end(), {"--socket", daemon.socket()});
    return run_tool(arguments, screen);
}

tools::Screen wide(std::size_t columns) {
    tools::Screen screen = plain_screen;
    screen.columns = columns;
    return screen;
}

}  // namespace

TEST_CASE("status says when there is nothing") {
    const FakeDaemon daemon;
    const ToolResult result = ask(daemon, {"status"});
    CHECK(result.code == ExitCode::pass);
    CHECK(result.out == "No runs. 'wearctl start TARGET' starts one.\n");
}

TEST_CASE("status has a line for every run, as wide as the screen") {
    FakeDaemon daemon;
    daemon.runs = {example_run(), example_run()};
    daemon.runs[1].id = 12;
    daemon.runs[1].model = "Samsung SSD 970 EVO Plus 250GB";
    daemon.runs[1].state = "waiting-drive";
    daemon.runs[1].findings_total = 2;
    daemon.runs[1].pass_limit.reset();
    daemon.runs[1].wear.clear();
    daemon.runs[1].eta_seconds = 4e12;  // A nonsense estimate is none.
    CHECK(ask(daemon, {"status"}, wide(120)).out ==
          "RUN  DRIVE                           STATE          PASS  PROGRESS           RATE      TBW  WEAR  "
          "FOUND     ETA\n"
          "  7  KINGSTON SHFS37A240G            writing        3/10  ████▉░░░  62%  417 MB/s  1.14 TB   12%  "
          "    0  2h 05m\n"
          " 12  Samsung SSD 970 EVO Plus 250GB  waiting-drive     3  ████▉░░░  62%  417 MB/s  1.14 TB     -  "
          "    2       -\n");
    for (std::size_t columns = 40; columns <= 200; ++columns) {
        const auto lines = lines_of(ask(daemon, {"status"}, wide(columns)).out);
        REQUIRE(lines.size() == 3);
        for (const auto& line : lines)
            CHECK(tools::display_width(line) <= columns);
    }
    CHECK(contains(ask(daemon, {"status"}).out, "417 MB/s"));
    CHECK(contains(ask(daemon, {"status"}).out, "62%"));
}

TEST_CASE("status of one run has all of it") {
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    daemon.runs[0].findings = {{"bit-flip", 2}};
    daemon.runs[0].findings_total = 2;
    daemon.runs[0].notes = {"no O_DIRECT here"};
    daemon.runs[0].reason = "the drive is gone\033[2J";
    const ToolResult result = ask(daemon, {"status", "7"});
    CHECK(result.code == ExitCode::pass);
    for (const char* part :
         {"KINGSTON SHFS37A240G", "50026B7", "burn-in", "3/10", "62.4 %", "417 MB/s", "2 bit-flip",
          "12 % worn", "3 blocks retired", "no O_DIRECT here", "300 TB", "gone?[2J"})
        CHECK_MESSAGE(contains(result.out, part), part);
    CHECK(ask(daemon, {"status", "8"}).code == ExitCode::unreachable);
}

TEST_CASE("--json is the daemon's answer") {
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    {
        auto& drive = daemon.drives.emplace_back();
        drive.key = "wwn:1";
        drive.model = "M";
    }
    CHECK(nlohmann::json::parse(ask(daemon, {"--json", "status"}).out).at("runs").at(0).at("id") == 7);
    CHECK(nlohmann::json::parse(ask(daemon, {"status", "7", "--json"}).out).at("id") == 7);
    CHECK(nlohmann::json::parse(ask(daemon, {"drives", "--json"}).out).at("drives").at(0).at("key") ==
          "wwn:1");
    CHECK(nlohmann::json::parse(ask(daemon, {"profiles", "--json"}).out).at("profiles").size() == 2);
    CHECK(nlohmann::json::parse(ask(daemon, {"stop", "7", "--json"}).out).at("state") == "stopped");
}

TEST_CASE("drives are listed with why not") {
    FakeDaemon daemon;
    CHECK(ask(daemon, {"drives"}).out == "No drives here.\n");
    {
        auto& drive = daemon.drives.emplace_back();
        drive.key = "wwn:1";
        drive.path = "/dev/sda";
        drive.by_id = "ata-SYSTEM";
        drive.model = "SYSTEM";
        drive.capacity_bytes = 256ULL << 30U;
        drive.logical_block_bytes = 512;
        drive.reasons = {"/dev/sda2 is mounted on /", "it holds the database"};
    }
    {
        auto& drive = daemon.drives.emplace_back();
        drive.key = "sim:x";
        drive.model = "WEAROUT SIM";
        drive.transport = "simulated";
        drive.simulated = true;
        drive.wear = {{"life_left_percent", 90}};
        drive.run = 7;
    }
    const ToolResult result = ask(daemon, {"drives"});
    for (const char* part : {"ata-SYSTEM  refused", "256 GiB", "/dev/sda2 is mounted on /",
                             "it holds the database", "(SIMULATED)", "run 7 is on it", "10 % worn"})
        CHECK_MESSAGE(contains(result.out, part), part);
}

TEST_CASE("a run is found by number and by every name of its drive") {
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    auto& drive = daemon.drives.emplace_back();
    drive.key = daemon.runs[0].drive_key;
    drive.path = "/dev/null";
    drive.by_id = "wwn-0x50026b7123456789";
    for (const char* name :
         {"7", "wwn:50026b7123456789", "50026B7", "/dev/disk/by-id/ata-KINGSTON_SHFS37A240G_50026B7",
          "wwn-0x50026b7123456789", "/dev/disk/by-id/wwn-0x50026b7123456789", "/dev/null"}) {
        CAPTURE(name);
        const ToolResult result = ask(daemon, {"pause", name});
        CHECK(result.code == ExitCode::pass);
        CHECK(result.out == "Run 7 on KINGSTON SHFS37A240G is paused.\n");
        CHECK(ask(daemon, {"resume", name}).out == "Run 7 on KINGSTON SHFS37A240G is writing.\n");
    }
    daemon.runs[0].target = "file:/data/x?size=1GiB";
    CHECK(ask(daemon, {"pause", "file:/data/x"}).code == ExitCode::pass);
    CHECK(ask(daemon, {"pause", "/dev/zero"}).code == ExitCode::unreachable);
}

TEST_CASE("a name that fits two drives is refused with both") {
    FakeDaemon daemon;
    daemon.runs = {example_run(), example_run()};
    daemon.runs[1].id = 8;
    daemon.runs[1].drive_key = "serial:OTHER:50026B7";
    const ToolResult result = ask(daemon, {"stop", "50026B7"});
    CHECK(result.code == ExitCode::usage);
    CHECK(contains(result.err, "7 on wwn:50026b7123456789, 8 on serial:OTHER:50026B7"));
    CHECK(daemon.asked().back() == "GET /v1/status");
    CHECK(ask(daemon, {"stop", "8"}).code == ExitCode::pass);
    CHECK(daemon.asked().back() == "POST /v1/runs/8/stop");
}

TEST_CASE("of a drive's runs the one that goes on is meant") {
    FakeDaemon daemon;
    daemon.runs = {example_run(), example_run()};
    daemon.runs[0].state = "finished";
    daemon.runs[1].id = 9;
    CHECK(ask(daemon, {"stop", "50026B7"}).code == ExitCode::pass);
    CHECK(daemon.asked().back() == "POST /v1/runs/9/stop");
    const ToolResult again = ask(daemon, {"stop", "50026B7"});
    CHECK(again.code == ExitCode::unreachable);
    CHECK(contains(again.err, "no run is going on for '50026B7'"));
    CHECK(contains(ask(daemon, {"status", "50026B7"}).out, "9, burn-in"));
}

TEST_CASE("an alert is acknowledged through the daemon") {
    const FakeDaemon daemon;
    CHECK(ask(daemon, {"alerts", "--ack", "3"}).out == "Alert 3 is acknowledged.\n");
    CHECK(daemon.asked().back() == "POST /v1/alerts/3/ack");
    CHECK(ask(daemon, {"alerts", "--ack", "4"}).code == ExitCode::unreachable);
}

TEST_CASE("the socket may come from the environment") {
    FakeDaemon daemon;
    ::setenv("WEAROUT_SOCKET", daemon.socket().c_str(), 1);
    CHECK(run_tool({"status"}).code == ExitCode::pass);
    CHECK(run_tool({"--socket", "/nonexistent/s", "status"}).code == ExitCode::unreachable);
    ::unsetenv("WEAROUT_SOCKET");
}
