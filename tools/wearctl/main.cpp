#include "tools/wearctl/app.h"

#include <clocale>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    using namespace wearout::tools;
    // For the character set only: numbers are printed the same way everywhere.
    std::setlocale(LC_CTYPE, "");
    // Whoever stops reading ends this quietly, as with any filter.
    std::signal(SIGPIPE, SIG_DFL);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return static_cast<int>(run_wearctl(arguments, {std::cout, std::cerr, std::cin, detect_screen()}));
}
