#pragma once

#include "tools/wearctl/command.h"

#include <span>
#include <string>

namespace wearout::tools {

struct CommandLine {
    const Command* command = nullptr;  ///< Null: only help or version was asked for.
    bool help = false;
    bool version = false;
    Globals globals;
    Arguments arguments;
};

/// Throws a Failure (usage) that says what is wrong, what was probably meant, and where help is.
[[nodiscard]] CommandLine parse_command_line(std::span<const std::string> arguments);

}  // namespace wearout::tools
