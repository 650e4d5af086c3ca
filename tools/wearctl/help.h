#pragma once

#include "tools/wearctl/command.h"

#include <string>

namespace wearout::tools {

/// `wearctl --help`, and `wearctl COMMAND --help`.
[[nodiscard]] std::string general_help(const Screen& screen);
[[nodiscard]] std::string command_help(const Command& command, const Screen& screen);

}  // namespace wearout::tools
