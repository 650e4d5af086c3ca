#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Single values as smartctl prints them in its text output. Nothing where a text is not certain.
namespace wearout::health {

[[nodiscard]] std::vector<std::string_view> words(std::string_view line);
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// "337,802,357", "2 000", "10.188", "6433": decimal digits, in groups of three with whatever one separator
/// the locale has. The digits alone.
[[nodiscard]] std::optional<std::string> grouped_digits(std::string_view text);

/// The number at the start: "512 bytes logical", "44 Celsius", "-7".
[[nodiscard]] std::optional<std::int64_t> leading_integer(std::string_view text);

/// Decimal, or hexadecimal behind "0x".
[[nodiscard]] std::optional<std::int64_t> any_integer(std::string_view text);

/// The 48 bits (56 for msec24hour32) of an attribute's raw value from the way it is printed, where that shows
/// them all: the formats raw48, hex48, raw8, raw16, raw16(raw16), raw24(raw8), msec24hour32 and the undecoded
/// form of tempminmax, as smartctl(8) names them for -v. Others ("2/556", "1047 (Average 946)") leave bytes
/// out or fit several formats.
[[nodiscard]] std::optional<std::int64_t> raw_of_printed(std::string_view printed);

/// A moment as ctime(3) prints it in the C locale, with a zone behind: "Tue Jul 27 11:03:39 2021 CEST".
struct LocalTime {
    std::int64_t seconds = 0;   ///< Since 1970, as if the zone were UTC.
    std::optional<int> offset;  ///< Of the zone from UTC, in seconds; names other than UTC and GMT say none.
};
[[nodiscard]] std::optional<LocalTime> parse_local_time(std::string_view text);

}  // namespace wearout::health
