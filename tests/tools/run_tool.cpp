#include "tools/run_tool.h"

#include <array>
#include <cstdio>
#include <sys/wait.h>

#include <doctest/doctest.h>

namespace wearout::test {

std::pair<std::string, int> shell(const std::string& command) {
    std::string output;
    FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> part{};
    for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
        output.append(part.data(), n);
    const int status = ::pclose(pipe);
    return {output, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace wearout::test
