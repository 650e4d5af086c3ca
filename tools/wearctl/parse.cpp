#include "tools/wearctl/parse.h"

#include "tools/wearctl/text.h"

#include <algorithm>
#include <cstdlib>

#include <boost/program_options.hpp>
#include <fmt/format.h>

namespace wearout::tools {

namespace po = boost::program_options;

namespace {

Failure wrong_usage(const Command* command, const std::string& what) {
    return usage_error(fmt::format("{}; try 'wearctl {}--help'", printable(what),
                                   command == nullptr ? "" : fmt::format("{} ", command->name)));
}

std::string meant(std::string_view word, const std::vector<std::string_view>& known,
                  std::string_view dashes) {
    const std::string_view close = closest(word, known);
    return close.empty() ? std::string() : fmt::format(" (did you mean {}{}?)", dashes, close);
}

const OptionInfo* find_option(std::string_view name, std::span<const OptionInfo> options) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [name](const OptionInfo& option) { return option.name == name; });
    return found == options.end() ? nullptr : &*found;
}

/// The place of the first word that is neither a global option nor the value of one, or the end.
std::size_t command_place(std::span<const std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (!word.starts_with("--")) return i;
        const OptionInfo* const option = find_option(word.substr(2), global_options());
        if (option != nullptr && !option->value.empty()) ++i;
    }
    return arguments.size();
}

const Command& find_command(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Command* command : commands()) {
        if (command->name == name) return *command;
        names.push_back(command->name);
    }
    if (name.starts_with("-")) throw wrong_usage(nullptr, fmt::format("unknown option '{}'", name));
    throw wrong_usage(nullptr, fmt::format("unknown command '{}'{}", name, meant(name, names, "")));
}

void describe(std::span<const OptionInfo> options, po::options_description& description) {
    for (const OptionInfo& option : options) {
        const std::string name(option.name);
        if (option.value.empty())
            description.add_options()(name.c_str(), "");
        else
            description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
}

std::vector<po::option> split(const std::vector<std::string>& words, const Command* command) {
    po::options_description description;
    describe(global_options(), description);
    if (command != nullptr) describe(command->options, description);
    const po::positional_options_description no_positional_names;
    namespace style = po::command_line_style;
    try {
        return po::command_line_parser(words)
            .options(description)
            .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
            .run()
            .options;
    } catch (const po::unknown_option& error) {
        std::string name = error.get_option_name();
        name.erase(0, name.find_first_not_of('-'));
        std::vector<std::string_view> known;
        for (const OptionInfo& option : global_options())
            known.push_back(option.name);
        if (command != nullptr)
            for (const OptionInfo& option : command->options)
                known.push_back(option.name);
        throw wrong_usage(command, fmt::format("unknown option '--{}'{}", name, meant(name, known, "--")));
    } catch (const po::invalid_command_line_syntax& error) {
        const bool lacks = error.kind() == po::invalid_command_line_syntax::missing_parameter;
        throw wrong_usage(command, fmt::format("{} {}", error.get_option_name(),
                                               lacks ? "needs a value" : "takes no value"));
    } catch (const po::error& error) {
        throw wrong_usage(command, error.what());
    }
}

ColorMode color_mode(const Command* command, const std::string& word) {
    if (word == "auto") return ColorMode::automatic;
    if (word == "always") return ColorMode::always;
    if (word == "never") return ColorMode::never;
    throw wrong_usage(command, fmt::format("--color: '{}' is none of auto, always, never", word));
}

void from_environment(const char* name, std::string& value) {
    const char* const told = std::getenv(name);
    if (told != nullptr && *told != '\0') value = told;
}

/// Moves the global options from `line.arguments` to where they belong.
void take_globals(CommandLine& line) {
    from_environment("WEAROUT_SOCKET", line.globals.socket);
    from_environment("WEAROUT_DB", line.globals.db);
    Arguments& arguments = line.arguments;
    if (const auto socket = arguments.value("socket")) line.globals.socket = *socket;
    if (const auto db = arguments.value("db")) line.globals.db = *db;
    if (const auto color = arguments.value("color")) line.globals.color = color_mode(line.command, *color);
    line.globals.json = arguments.has("json");
    line.help = arguments.has("help");
    line.version = arguments.has("version");
    for (const OptionInfo& option : global_options()) {
        arguments.values.erase(std::string(option.name));
        arguments.switches.erase(std::string(option.name));
    }
}

void check_count(const Command& command, std::size_t given, const std::vector<std::string>& words) {
    if (given < command.least)
        throw wrong_usage(&command, fmt::format("{} needs {}", command.name, command.arguments));
    if (given > command.most)
        throw wrong_usage(&command, command.most == 0
                                        ? fmt::format("{} takes no '{}'", command.name, words[0])
                                        : fmt::format("{} takes one {}; '{}' is too many", command.name,
                                                      command.arguments, words[command.most]));
}

}  // namespace

CommandLine parse_command_line(std::span<const std::string> arguments) {
    CommandLine line;
    std::vector<std::string> words(arguments.begin(), arguments.end());
    std::replace(words.begin(), words.end(), std::string("-h"), std::string("--help"));
    if (const std::size_t place = command_place(words); place < words.size()) {
        line.command = &find_command(words[place]);
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(place));
    }
    for (const po::option& option : split(words, line.command)) {
        Arguments& into = line.arguments;
        if (option.position_key >= 0 || option.string_key.empty()) {
            into.positional.insert(into.positional.end(), option.value.begin(), option.value.end());
        } else if (option.value.empty()) {
            into.switches.insert(option.string_key);
        } else if (!into.values.emplace(option.string_key, option.value.front()).second) {
            throw wrong_usage(line.command, fmt::format("--{} is given twice", option.string_key));
        }
    }
    take_globals(line);
    if (line.help || line.version) return line;
    if (line.command == nullptr) throw wrong_usage(nullptr, "no command is given");
    check_count(*line.command, line.arguments.positional.size(), line.arguments.positional);
    return line;
}

}  // namespace wearout::tools
