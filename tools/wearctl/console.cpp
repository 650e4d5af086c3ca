#include "tools/wearctl/console.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <langinfo.h>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::size_t narrowest = 40;
constexpr std::size_t widest = 200;

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t columns_here() {
    std::size_t columns = 0;
    const std::string_view told = environment("COLUMNS");
    std::from_chars(told.data(), told.data() + told.size(), columns);
    winsize size{};
    if (columns == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns == 0 ? 80 : std::clamp(columns, narrowest, widest);
}

}  // namespace

Screen detect_screen() {
    const std::string_view term = environment("TERM");
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    Screen screen;
    screen.columns = columns_here();
    // The kernel's own console has no Braille in its font.
    screen.unicode = std::string_view(::nl_langinfo(CODESET)) == "UTF-8" && !(terminal && term == "linux");
    screen.live = ::isatty(STDERR_FILENO) == 1 && term != "dumb";
    screen.color = terminal && term != "dumb" && environment("NO_COLOR").empty();
    screen.can_ask = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    return screen;
}

Screen with_color(Screen screen, ColorMode mode) {
    if (mode != ColorMode::automatic) screen.color = mode == ColorMode::always;
    return screen;
}

std::string paint(const Screen& screen, Tone tone, std::string_view text) {
    if (!screen.color || tone == Tone::plain || text.empty()) return std::string(text);
    constexpr std::array codes = {"0", "1", "2", "32", "33", "1;31"};
    return fmt::format("\033[{}m{}\033[0m", codes.at(static_cast<std::size_t>(tone)), text);
}

std::string bar(double percent, std::size_t width, bool unicode) {
    const double part = std::isfinite(percent) ? std::clamp(percent, 0.0, 100.0) / 100 : 0;
    if (!unicode) {
        const auto full = static_cast<std::size_t>(part * static_cast<double>(width));
        return std::string(full, '#') + std::string(width - full, '.');
    }
    constexpr std::array eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto filled = static_cast<std::size_t>(part * static_cast<double>(width) * 8);
    std::string drawn;
    for (std::size_t i = 0; i < filled / 8; ++i)
        drawn += "█";
    drawn += eighths.at(filled % 8);
    const std::size_t taken = filled / 8 + (filled % 8 == 0 ? 0 : 1);
    for (std::size_t i = taken; i < width; ++i)
        drawn += "░";
    return drawn;
}

}  // namespace wearout::tools
