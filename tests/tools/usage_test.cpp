#include "tools/run_tool.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;

TEST_CASE("a wrong command line is one line and exit code 2") {
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {{}, "no command is given"},
        {{"sttaus"}, "unknown command 'sttaus' (did you mean status?)"},
        {{"frobnicate"}, "unknown command 'frobnicate'"},
        {{"status", "--jsn"}, "unknown option '--jsn' (did you mean --json?)"},
        {{"--jsn", "status"}, "unknown option '--jsn' (did you mean --json?)"},
        {{"status", "--passes", "3"}, "unknown option '--passes'"},
        {{"-v"}, "unknown option '-v'"},
        {{"--socket"}, "--socket needs a value"},
        {{"status", "--socket"}, "--socket needs a value"},
        {{"status", "--json=3"}, "--json takes no value"},
        {{"status", "--color", "blue"}, "--color: 'blue' is none of auto, always, never"},
        {{"status", "--db", "a", "--db", "b"}, "--db is given twice"},
        {{"status", "1", "2"}, "status takes one [RUN|DRIVE]; '2' is too many"},
        {{"drives", "sda"}, "drives takes no 'sda'"},
        {{"start"}, "start needs TARGET"},
        {{"start", "/dev/sdb", "--passes"}, "--passes needs a value"},
        {{"stop"}, "stop needs RUN|DRIVE"},
        {{"findings"}, "findings needs RUN|DRIVE"},
        {{"alerts", "--ack", "x"}, "--ack: 'x' is not a whole number"},
        {{"status", "--socket", std::string(200, 'x')},
         std::string(200, 'x') + ": a socket's path has at most"},
        {{"a\nb\033[31m"}, "unknown command 'a?b?[31m'"},
    };
    for (const auto& [arguments, message] : cases) {
        CAPTURE(message);
        const ToolResult result = run_tool(arguments);
        CHECK(result.code == ExitCode::usage);
        CHECK(result.out.empty());
        CHECK(result.err.starts_with("wearctl: " + message));
        CHECK(lines_of(result.err).size() == 1);
    }
    CHECK(run_tool({"sttaus"}).err.ends_with("; try 'wearctl --help'\n"));
    CHECK(run_tool({"stop", "--now"}).err.ends_with("; try 'wearctl stop --help'\n"));
}

TEST_CASE("no daemon and no database are exit code 4 and one line") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"status"},
                                                      {"drives"},
                                                      {"profiles"},
                                                      {"start", "/dev/sdb"},
                                                      {"stop", "1"},
                                                      {"alerts", "--ack", "1"}}) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--socket", "/nonexistent/s"});
        const ToolResult result = run_tool(all);
        CHECK(result.code == ExitCode::unreachable);
        CHECK(result.err == "wearctl: /nonexistent/s: no daemon answers here; is wearoutd running?\n");
    }
    for (const char* command : {"report", "findings", "alerts"}) {
        std::vector<std::string> all{"--db", "/nonexistent/db", command};
        if (std::string(command) == "findings") all.emplace_back("1");
        const ToolResult result = run_tool(all);
        CHECK(result.code == ExitCode::unreachable);
        CHECK(contains(result.err, "/nonexistent/db"));
        CHECK(lines_of(result.err).size() == 1);
    }
}

TEST_CASE("help has every command, and every option of each with its default or unit") {
    const ToolResult general = run_tool({"--help"});
    CHECK(general.code == ExitCode::pass);
    CHECK(general.err.empty());
    for (const tools::Command* command : tools::commands()) {
        CAPTURE(std::string(command->name));
        CHECK(contains(general.out, "  " + std::string(command->name) + " "));
        const ToolResult own = run_tool({std::string(command->name), "--help"});
        CHECK(own.code == ExitCode::pass);
        CHECK(run_tool({"--help", std::string(command->name)}).out == own.out);
        for (const tools::OptionInfo& option : command->options)
            CHECK(contains(own.out, "  --" + std::string(option.name)));
        for (const tools::OptionInfo& option : tools::global_options())
            CHECK(contains(own.out, "  --" + std::string(option.name)));
        for (const std::string& line : lines_of(own.out))
            CHECK(line.size() <= 84);  // 80 columns; … takes three bytes.
    }
    CHECK(run_tool({"-h"}).out == general.out);
    CHECK(run_tool({"--version"}).out.starts_with("wearctl "));
}

TEST_CASE("without UTF-8 help is plain ASCII") {
    tools::Screen screen = plain_screen;
    screen.unicode = false;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--help"}, {"start", "--help"}, {"report", "--help"}})
        for (const char c : run_tool(arguments, screen).out)
            REQUIRE(static_cast<unsigned char>(c) < 0x80);
}
