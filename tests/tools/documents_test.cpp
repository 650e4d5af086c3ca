// Man pages and completion know every command and option, and are well-formed.

#include "tools/run_tool.h"
#include "tools/wearctl/command.h"

#include <cstdlib>
#include <fstream>
#include <set>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;

namespace {

const std::string tools_folder = WEAROUT_SOURCE_DIR "/tools/";

std::string text_of(const std::string& name) {
    std::ifstream file(tools_folder + name);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool is_there(const std::string& program) {
    const bool found = std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
    if (!found) MESSAGE("skipped: no " << program << " here");
    return found;
}

/// What completion offers for these words; the last one is being typed.
std::set<std::string> completions(const std::string& words) {
    const auto [text, status] = shell(
        "bash -c 'source " + tools_folder + "completion/wearctl; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _wearctl; printf \"%s\\n\" \"${COMPREPLY[@]}\"' 2>&1");
    const auto lines = lines_of(text);
    return {lines.begin(), lines.end()};
}

}  // namespace

TEST_CASE("the man pages are well-formed") {
    if (!is_there("mandoc")) return;
    for (const char* page : {"man/wearctl.1", "man/wearoutd.8"}) {
        const auto [text, status] = shell("mandoc -Tlint -Wwarning " + tools_folder + page + " 2>&1");
        CHECK(text.empty());
        CHECK(status == 0);
    }
}

TEST_CASE("the man page has every command and option") {
    const std::string page = text_of("man/wearctl.1");
    for (const tools::Command* command : tools::commands()) {
        CAPTURE(std::string(command->name));
        CHECK(contains(page, ".It Cm " + std::string(command->name)));
        for (const tools::OptionInfo& option : command->options)
            CHECK_MESSAGE(contains(page, "Fl -" + std::string(option.name)), std::string(option.name));
    }
    for (const tools::OptionInfo& option : tools::global_options())
        CHECK(contains(page, ".It Fl -" + std::string(option.name)));
}

TEST_CASE("the daemon's man page has its options and keys") {
    const std::string page = text_of("man/wearoutd.8");
    for (const char* option : {"config", "state-dir", "socket", "log-level", "check-config", "version"})
        CHECK_MESSAGE(contains(page, ".It Fl -" + std::string(option)), option);
    for (const char* key :
         {"state-dir", "socket", "log-level", "sample-interval", "smartctl", "checkpoint-interval"})
        CHECK_MESSAGE(contains(page, ".It Cm " + std::string(key)), key);
}

TEST_CASE("completion offers every command and option") {
    if (!is_there("bash")) return;
    const auto offered = completions("wearctl \"\"");
    for (const tools::Command* command : tools::commands()) {
        const std::string name(command->name);
        CHECK(offered.contains(name));
        const auto options = completions("wearctl --json " + name + " --");
        for (const tools::OptionInfo& option : command->options)
            CHECK_MESSAGE(options.contains("--" + std::string(option.name)), std::string(option.name));
        for (const tools::OptionInfo& option : tools::global_options())
            CHECK(options.contains("--" + std::string(option.name)));
        CHECK(options.size() == command->options.size() + tools::global_options().size());
    }
    CHECK(completions("wearctl sta") == std::set<std::string>{"start", "status"});
    CHECK(completions("wearctl --color n") == std::set<std::string>{"never"});
    CHECK(completions("wearctl --socket /x st") == std::set<std::string>{"start", "status", "stop"});
    CHECK(completions("wearctl ratings \"\"") == std::set<std::string>{"set", "unset"});
    CHECK(completions("wearctl start x --until r") == std::set<std::string>{"rating"});
}
