#include "tools/wearctl/help.h"

#include "tools/wearctl/text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

using Entries = std::vector<std::pair<std::string, std::string_view>>;

std::string entries_text(const Entries& entries, const Screen& screen) {
    std::size_t names = 0;
    for (const auto& [name, help] : entries)
        names = std::max(names, display_width(name));
    const std::size_t indent = names + 4;
    const std::size_t room = std::max(screen.columns, indent + 30) - indent;
    std::string text;
    for (const auto& [name, help] : entries) {
        std::string_view head = name;
        for (const std::string& part : wrapped(help, room)) {
            text += "  " + padded(head, names + 2, Align::left) + part + "\n";
            head = {};
        }
    }
    return text;
}

Entries entries_of(std::span<const OptionInfo> options) {
    Entries entries;
    for (const OptionInfo& option : options)
        entries.emplace_back(
            fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value), option.help);
    return entries;
}

std::string paragraphs(std::string_view text, const Screen& screen) {
    std::string all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        for (const std::string& line : wrapped(text.substr(0, end), screen.columns))
            all += line + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

constexpr std::string_view exit_codes =
    "Exit codes: 0 pass; 1 findings, or the verdict is fail; 2 usage; 3 refused for safety; 4 cannot reach "
    "daemon or drive; 5 not enough data for an answer.";

}  // namespace

std::string general_help(const Screen& screen) {
    Entries entries;
    for (const Command* command : commands())
        entries.emplace_back(fmt::format("{} {}", command->name, command->arguments), command->summary);
    const char* const more = screen.unicode ? "…" : "...";
    return fmt::format("Usage: wearctl [OPTION{}] COMMAND {}\n\n", more, more) +
           paragraphs(
               "Starts and watches endurance tests of drives, and shows what they found. The daemon "
               "wearoutd does the work.",
               screen) +
           "\nCommands:\n" + entries_text(entries, screen) + "\nOptions, before or after the command:\n" +
           entries_text(entries_of(global_options()), screen) + "\n" +
           paragraphs(
               "A DRIVE is a key, a serial number, a name below /dev/disk/by-id, a path or a target, as "
               "'wearctl drives' and 'wearctl status' show them; a RUN is its number. Sizes: 4096, 256MiB, "
               "1.5GB, 30TB. Times: 500ms, 90s, 15m, 72h, 7d; moments are in UTC.",
               screen) +
           "\n" + paragraphs(exit_codes, screen) + "\n" +
           paragraphs("'wearctl COMMAND --help' has each command's own options.", screen);
}

std::string command_help(const Command& command, const Screen& screen) {
    std::string text = fmt::format("Usage: wearctl {}", command.name);
    if (!command.options.empty()) text += screen.unicode ? " [OPTION…]" : " [OPTION...]";
    if (!command.arguments.empty()) text += fmt::format(" {}", command.arguments);
    text += "\n\n";
    text += paragraphs(command.summary, screen);
    if (!command.details.empty()) text += "\n" + paragraphs(command.details, screen);
    if (!command.options.empty()) text += "\nOptions:\n" + entries_text(entries_of(command.options), screen);
    text += "\nOptions of every command:\n" + entries_text(entries_of(global_options()), screen);
    return text + "\n" + paragraphs(exit_codes, screen);
}

}  // namespace wearout::tools
