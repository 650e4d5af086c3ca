#pragma once

#include "base/error.h"
#include "tools/wearctl/console.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::tools {

/// An option as help, completion and the reader know it.
struct OptionInfo {
    std::string_view name;   ///< Without the dashes.
    std::string_view value;  ///< What its value is called; empty: it takes none.
    std::string_view help;   ///< With unit and default.
};

/// What was given beside the command's name, checked against its table only.
struct Arguments {
    std::map<std::string, std::string> values;
    std::set<std::string> switches;
    std::vector<std::string> positional;

    [[nodiscard]] bool has(const std::string& name) const { return switches.contains(name); }
    [[nodiscard]] std::optional<std::string> value(const std::string& name) const {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    }
};

struct Globals {
    std::string socket = "/run/wearout/control.sock";
    std::string db = "/var/lib/wearout/wearout.db";
    bool json = false;
    ColorMode color = ColorMode::automatic;
};

struct Context {
    Console& console;
    Globals globals;
    Arguments arguments;
};

/// One command. `run` throws a Failure for what can't be done.
struct Command {
    std::string_view name;
    std::string_view arguments;  ///< As help shows them: "DRIVE|RUN".
    std::string_view summary;    ///< One line.
    std::string_view details;    ///< More for its own --help; may be empty.
    std::span<const OptionInfo> options;
    std::size_t least = 0;  ///< How many positional arguments,
    std::size_t most = 0;   ///< from and to.
    ExitCode (*run)(Context& context) = nullptr;
};

extern const Command drives_command;
extern const Command profiles_command;
extern const Command start_command;
extern const Command pause_command;
extern const Command resume_command;
extern const Command stop_command;
extern const Command status_command;
extern const Command report_command;
extern const Command decode_command;
extern const Command findings_command;
extern const Command alerts_command;
extern const Command ratings_command;

/// All of them, in the order of help; and the options that every one takes, before or after its name.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] std::span<const OptionInfo> global_options();

}  // namespace wearout::tools
