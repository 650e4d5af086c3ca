#pragma once

#include "tools/wearctl/command.h"

#include <span>
#include <string>

namespace wearout::tools {

/// All of wearctl but main(): reads the arguments (without the program's name), runs the command, prints a
/// failure as one line on `console.err`, and gives the exit code. `WEAROUT_SOCKET` and `WEAROUT_DB` stand for
/// the defaults of --socket and --db.
[[nodiscard]] ExitCode run_wearctl(std::span<const std::string> arguments, Console console);

}  // namespace wearout::tools
