#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace wearout::tools {

enum class ColorMode { automatic, always, never };

/// What the place can do to which the output goes.
struct Screen {
    std::size_t columns = 80;
    bool unicode = false;  ///< UTF-8, with the Braille patterns that plots are drawn with.
    bool color = false;
    bool live = false;     ///< Progress (on `err`) goes to a terminal: a line can be drawn over.
    bool can_ask = false;  ///< Questions reach a person, and answers come from one.
};

/// Where a command reads and writes; borrowed.
struct Console {
    std::ostream& out;
    std::ostream& err;
    std::istream& in;
    Screen screen;
};

/// Of this process: terminals, `COLUMNS`, `NO_COLOR` (https://no-color.org), `TERM` and the locale, which the
/// caller has set from the environment.
[[nodiscard]] Screen detect_screen();
/// What `--color` makes of it.
[[nodiscard]] Screen with_color(Screen screen, ColorMode mode);

enum class Tone { plain, strong, faint, good, warning, bad };
/// With ANSI colours where the screen has them.
[[nodiscard]] std::string paint(const Screen& screen, Tone tone, std::string_view text);

/// A bar of `width` columns, filled to `percent` in eighths of a column where there is Unicode.
[[nodiscard]] std::string bar(double percent, std::size_t width, bool unicode);

}  // namespace wearout::tools
