#include "tools/fake_daemon.h"
#include "tools/run_tool.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;

namespace {

ToolResult start(const FakeDaemon& daemon, std::vector<std::string> arguments,
                 tools::Screen screen = plain_screen, const std::string& input = {}) {
    arguments.insert(arguments.begin(), {"start", "--socket", daemon.socket()});
    return run_tool(arguments, screen, input);
}

bool was_started(const FakeDaemon& daemon) {
    for (const auto& asked : daemon.asked())
        if (asked.starts_with("POST /v1/runs")) return true;
    return false;
}

tools::Screen with_person() {
    tools::Screen screen = plain_screen;
    screen.can_ask = true;
    return screen;
}

}  // namespace

TEST_CASE("options reach the daemon as they were typed") {
    const FakeDaemon daemon;
    const ToolResult result = start(daemon, {"/dev/sdx",
                                             "--passes",
                                             "3",
                                             "--for=72h",
                                             "--tbw",
                                             "30TB",
                                             "--until",
                                             "wear=90",
                                             "--rate",
                                             "100MB",
                                             "--rating",
                                             "300TB",
                                             "--seed",
                                             "7",
                                             "--range",
                                             "0-1GB",
                                             "--on-finding",
                                             "stop",
                                             "--verify",
                                             "off",
                                             "--transfer",
                                             "64KiB",
                                             "--queue-depth",
                                             "4",
                                             "--confirm",
                                             "50026B7",
                                             "--overwrite-signature"});
    CHECK(result.code == ExitCode::pass);
    CHECK(result.out == "Run 7 is started: burn-in on /dev/sdx.\n");
    const control::StartRequest request = daemon.started();
    CHECK(request.target == "/dev/sdx");
    CHECK(request.profile == "burn-in");
    CHECK(request.options == std::map<std::string, std::string>{{"passes", "3"},
                                                                {"for", "72h"},
                                                                {"tbw", "30TB"},
                                                                {"until", "wear=90"},
                                                                {"rate", "100MB"},
                                                                {"rating", "300TB"},
                                                                {"seed", "7"},
                                                                {"range", "0-1GB"},
                                                                {"on-finding", "stop"},
                                                                {"verify", "off"},
                                                                {"transfer", "64KiB"},
                                                                {"queue-depth", "4"}});
    CHECK(request.confirm == "50026B7");
    CHECK(request.overwrite_signature);
    CHECK(start(daemon, {"/dev/sdx", "--json", "--confirm", "50026B7"}).out == "{\n  \"id\": 7\n}\n");
}

TEST_CASE("the daemon's own word on an option comes through") {
    const FakeDaemon daemon;
    const ToolResult result = start(daemon, {"/dev/sdx", "--passes", "many", "--confirm", "50026B7"});
    CHECK(result.code == ExitCode::usage);
    CHECK(result.err == "wearctl: --passes: 'many' is not a whole number of 1 or more\n");
    CHECK(start(daemon, {"/dev/sdx", "--confirm", "another"}).code == ExitCode::refused);
}

TEST_CASE("a relative path is the user's, not the daemon's") {
    const FakeDaemon daemon;
    const std::string here = std::filesystem::current_path().string();
    for (const auto& [given, sent] : {std::pair<std::string, std::string>{"disk.img", here + "/disk.img"},
                                      {"file:disk.img?size=1GiB", "file:" + here + "/disk.img?size=1GiB"},
                                      {"file:/a/b", "file:/a/b"},
                                      {"sim:x?size=1GiB", "sim:x?size=1GiB"},
                                      {"/dev/disk/by-id/x", "/dev/disk/by-id/x"}}) {
        CHECK(start(daemon, {given, "--confirm", "50026B7"}).code == ExitCode::pass);
        CHECK(daemon.started().target == sent);
    }
}

TEST_CASE("without a terminal nothing is started unless it was confirmed") {
    const FakeDaemon daemon;
    const ToolResult result = start(daemon, {"/dev/sdx"}, plain_screen, "50026B7\n");
    CHECK(result.code == ExitCode::refused);
    CHECK(result.err ==
          "wearctl: all data on KINGSTON SHFS37A240G would be destroyed; to allow that, add "
          "--confirm '50026B7'\n");
    CHECK(!was_started(daemon));
}

TEST_CASE("on a terminal the question says what is lost and takes only the serial number") {
    const FakeDaemon daemon;
    const ToolResult yes = start(daemon, {"/dev/sdx"}, with_person(), "50026B7 \n");
    CHECK(yes.code == ExitCode::pass);
    for (const char* part :
         {"KINGSTON SHFS37A240G", "50026B7", "240 GB", "ALL DATA ON IT WILL BE DESTROYED."})
        CHECK(contains(yes.err, part));
    CHECK(daemon.started().confirm == "50026B7");
    const FakeDaemon other;
    for (const char* answer : {"", "\n", "y\n", "yes\n", "50026b7\n", "50026B\n"}) {
        const ToolResult no = start(other, {"/dev/sdx"}, with_person(), answer);
        CHECK(no.code == ExitCode::refused);
        CHECK(contains(no.err, "nothing is started"));
    }
    CHECK(!was_started(other));
}

TEST_CASE("every reason for a refusal is told, and nothing is asked") {
    FakeDaemon daemon;
    daemon.consent.reasons = {"/dev/sdx1 is mounted on /home", "it is part of md0"};
    for (const auto& screen : {plain_screen, with_person()}) {
        const ToolResult result = start(daemon, {"/dev/sdx", "--confirm", "50026B7"}, screen, "50026B7\n");
        CHECK(result.code == ExitCode::refused);
        CHECK(result.err ==
              "wearctl: refused: /dev/sdx1 is mounted on /home\n"
              "wearctl: refused: it is part of md0\n");
    }
    CHECK(!was_started(daemon));
}

TEST_CASE("what needs no consent is not asked for any") {
    FakeDaemon daemon;
    CHECK(start(daemon, {"/dev/sdx", "--profile", "scan"}).code == ExitCode::pass);
    for (const auto& asked : daemon.asked())
        CHECK(!asked.starts_with("POST /v1/consent"));
    FakeDaemon simulated;
    simulated.consent = {"WEAROUT SIM", "", 1, "", {}};
    CHECK(start(simulated, {"sim:x"}).code == ExitCode::pass);
}

TEST_CASE("an unknown profile names those that there are") {
    const FakeDaemon daemon;
    const ToolResult result = start(daemon, {"/dev/sdx", "--profile", "burnin"});
    CHECK(result.code == ExitCode::usage);
    CHECK(result.err == "wearctl: --profile: 'burnin' is none of burn-in, scan; did you mean burn-in?\n");
    CHECK(!was_started(daemon));
}

TEST_CASE("--wait ends with the verdict") {
    const std::pair<const char*, ExitCode> ends[] = {{"finished", ExitCode::pass},
                                                     {"failed", ExitCode::findings},
                                                     {"stopped", ExitCode::insufficient_data}};
    for (const auto& [state, code] : ends) {
        FakeDaemon daemon;
        daemon.runs = {example_run()};
        daemon.asks_until_over = 2;
        daemon.end_state = state;
        const ToolResult result = start(daemon, {"/dev/sdx", "--confirm", "50026B7", "--wait"});
        CHECK(result.code == code);
        CHECK(contains(result.err, "pass 3/10"));
        CHECK(contains(result.out, "Run 7: "));
    }
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    daemon.runs[0].findings = {{"zeroed", 1}};
    daemon.asks_until_over = 1;
    CHECK(start(daemon, {"/dev/sdx", "--confirm", "50026B7", "--wait"}).code == ExitCode::findings);
}

TEST_CASE("Ctrl-C leaves the run going and says so") {
    FakeDaemon daemon;
    daemon.runs = {example_run()};
    std::thread impatient([&daemon] {
        while (daemon.asked().empty() || daemon.asked().back() != "GET /v1/runs/7")
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ::kill(::getpid(), SIGINT);
    });
    const ToolResult result = start(daemon, {"/dev/sdx", "--confirm", "50026B7", "--wait"});
    impatient.join();
    CHECK(result.code == ExitCode::insufficient_data);
    CHECK(result.err.ends_with("Run 7 goes on; 'wearctl stop 7' ends it.\n"));
    for (const auto& asked : daemon.asked())
        CHECK(!asked.ends_with("/stop"));
}
