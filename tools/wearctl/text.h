#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text for terminals, as UTF-8.
namespace wearout::tools {

/// What a drive, a file name or a daemon says, made safe to show: control characters and what is no UTF-8
/// become '?', so that nothing can steer the terminal or break a line.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that it takes: combining marks none, East Asian wide characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// At most `width` columns, with an ellipsis ("…", or "~" without Unicode) where something was cut off.
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width, bool unicode);

enum class Align { left, right };
/// Filled with spaces to `width` columns; longer text stays.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width, Align align);

/// Broken at spaces into lines of at most `width` columns (a longer word stays whole).
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The word of `known` that `word` was probably meant to be, or empty: at most two letters wrong, missing,
/// too many or swapped.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> known);

/// 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(long long value);

/// "1 finding", "3 findings".
[[nodiscard]] std::string counted(unsigned long long count, std::string_view noun);

}  // namespace wearout::tools
