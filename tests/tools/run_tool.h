#pragma once

#include "tools/wearctl/app.h"

#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace wearout::test {

struct ToolResult {
    ExitCode code{};
    std::string out;
    std::string err;
};

inline constexpr tools::Screen plain_screen{80, true, false, false, false};

/// wearctl in this process, on a screen of its own.
inline ToolResult run_tool(const std::vector<std::string>& arguments, tools::Screen screen = plain_screen,
                           const std::string& input = {}) {
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(input);
    const ExitCode code = tools::run_wearctl(arguments, {out, err, in, screen});
    return {code, out.str(), err.str()};
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// What a shell command prints, and its exit status.
std::pair<std::string, int> shell(const std::string& command);

}  // namespace wearout::test
