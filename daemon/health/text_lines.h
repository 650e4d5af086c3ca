#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// The lines of saved outputs of smartctl.
namespace wearout::health {

/// A line of smartctl's has at most so many bytes.
inline constexpr std::size_t longest_line = 1024;

/// Takes the next line, without its '\n', off `text`.
[[nodiscard]] std::string_view next_line(std::string_view& text);

/// What smartctl has printed of a line: without quote marks, a forum's tag, indentation and line end.
[[nodiscard]] std::string_view bare_line(std::string_view line);

/// "7" and "3" of "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-…] (local build)", as every output begins.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> header_version(std::string_view line);

[[nodiscard]] bool is_information_start(std::string_view line);
[[nodiscard]] bool is_attribute_header(std::string_view line);

}  // namespace wearout::health
