#include "health/text_values.h"

#include "health/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace wearout::health {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view digits_at(std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<std::uint64_t> parse_part(std::string_view text, std::uint64_t most, int base = 10) {
    std::uint64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (text.empty() || error != std::errc() || stop != end || value > most) return std::nullopt;
    return value;
}

/// Numbers that make up a raw value, most significant first, each of so many bits.
std::optional<std::int64_t> joined(const std::vector<std::string_view>& parts, unsigned bits) {
    std::uint64_t value = 0;
    for (const auto part : parts) {
        const auto number = parse_part(part, (std::uint64_t{1} << bits) - 1);
        if (!number) return std::nullopt;
        value = value << bits | *number;
    }
    return static_cast<std::int64_t>(value);
}

/// "4992 (0 42)": the low bytes, then the higher ones in brackets.
std::optional<std::int64_t> with_brackets(std::string_view printed) {
    const auto open = printed.find(" (");
    if (!printed.ends_with(')')) return std::nullopt;
    const auto high = words(printed.substr(open + 2, printed.size() - open - 3));
    const std::size_t count = high.size();
    if (count != 2 && count != 3 && count != 5) return std::nullopt;
    const unsigned bits = count == 2 ? 16 : 8;
    const unsigned low_bits = 48 - bits * static_cast<unsigned>(count);
    const auto upper = joined(high, bits);
    const auto lower = parse_part(printed.substr(0, open), (std::uint64_t{1} << low_bits) - 1);
    if (!upper || !lower) return std::nullopt;
    return *upper << low_bits | static_cast<std::int64_t>(*lower);
}

/// "51472h+52m+26.660s"
std::optional<std::int64_t> hours_and_milliseconds(std::string_view printed) {
    const auto hours = digits_at(printed);
    printed.remove_prefix(hours.size());
    if (!printed.starts_with("h+")) return std::nullopt;
    printed.remove_prefix(2);
    const auto minutes = digits_at(printed);
    printed.remove_prefix(minutes.size());
    if (!printed.starts_with("m+") || !printed.ends_with('s')) return std::nullopt;
    printed = printed.substr(2, printed.size() - 3);
    const auto seconds = digits_at(printed);
    if (printed.size() != seconds.size() + 4 || printed[seconds.size()] != '.') return std::nullopt;
    const auto h = parse_part(hours, 0xffffffff);
    const auto m = parse_part(minutes, 300);
    const auto s = parse_part(seconds, 59);
    const auto ms = parse_part(printed.substr(seconds.size() + 1), 999);
    if (!h || !m || !s || !ms) return std::nullopt;
    const auto milliseconds = (*m * 60 + *s) * 1000 + *ms;
    if (milliseconds > 0xffffff) return std::nullopt;
    return static_cast<std::int64_t>(milliseconds << 32U | *h);
}

std::optional<int> zone_offset(std::string_view zone) {
    if (zone == "UTC" || zone == "GMT") return 0;
    if (zone.size() < 3 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
    const auto digits = zone.substr(1);
    if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
    const auto hours = parse_part(digits.substr(0, 2), 14);
    const auto minutes = digits.size() == 4 ? parse_part(digits.substr(2), 59) : 0;
    if (!hours || !minutes) return std::nullopt;
    const auto offset = static_cast<int>(*hours * 3600 + *minutes * 60);
    return zone[0] == '-' ? -offset : offset;
}

}  // namespace

std::vector<std::string_view> words(std::string_view line) {
    constexpr std::size_t most = 64;
    std::vector<std::string_view> result;
    for (std::size_t at = 0; result.size() < most;) {
        at = line.find_first_not_of(blanks, at);
        if (at == std::string_view::npos) break;
        const auto end = std::min(line.find_first_of(blanks, at), line.size());
        result.push_back(line.substr(at, end - at));
        at = end;
    }
    return result;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::string> grouped_digits(std::string_view text) {
    constexpr std::size_t longest_separator = 4;
    std::string digits(digits_at(text));
    if (digits.empty() || digits.size() > 39) return std::nullopt;
    text.remove_prefix(digits.size());
    if (text.empty()) return digits;
    if (digits.size() > 3) return std::nullopt;
    const auto separator = text.substr(0, text.find_first_of("0123456789"));
    const bool plausible =
        separator.size() <= longest_separator &&
        (std::all_of(separator.begin(), separator.end(), [](char c) { return (c & 0x80) != 0; }) ||
         (separator.size() == 1 && std::string_view(",.' _?").find(separator[0]) != std::string_view::npos));
    if (!plausible) return std::nullopt;
    while (!text.empty()) {
        if (!text.starts_with(separator)) return std::nullopt;
        text.remove_prefix(separator.size());
        const auto group = digits_at(text);
        if (group.size() != 3 || digits.size() > 39) return std::nullopt;
        digits += group;
        text.remove_prefix(3);
    }
    return digits;
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    return parse_integer(text.substr(0, sign + digits_at(text.substr(sign)).size()));
}

std::optional<std::int64_t> any_integer(std::string_view text) {
    if (!text.starts_with("0x") && !text.starts_with("0X")) return parse_integer(text);
    const auto value = parse_part(text.substr(2), INT64_MAX, 16);
    return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> raw_of_printed(std::string_view printed) {
    if (printed.starts_with("0x")) return any_integer(printed);
    if (printed.find(" (") != std::string_view::npos) return with_brackets(printed);
    if (printed.find('h') != std::string_view::npos) return hours_and_milliseconds(printed);
    const auto parts = words(printed);
    if (parts.size() == 1) {
        const auto value = parse_part(printed, INT64_MAX);
        return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    }
    if (parts.size() == 3) return joined(parts, 16);
    if (parts.size() == 6) return joined(parts, 8);
    return std::nullopt;
}

std::optional<LocalTime> parse_local_time(std::string_view text) {
    constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto parts = words(text);
    if (parts.size() < 5 || parts[3].size() != 8 || parts[3][2] != ':' || parts[3][5] != ':')
        return std::nullopt;
    const auto* month = std::find(months.begin(), months.end(), parts[1]);
    const auto day = parse_part(parts[2], 31);
    const auto hour = parse_part(parts[3].substr(0, 2), 23);
    const auto minute = parse_part(parts[3].substr(3, 2), 59);
    const auto second = parse_part(parts[3].substr(6, 2), 60);
    const auto year = parse_part(parts[4], 9999);
    if (month == months.end() || !day || !hour || !minute || !second || !year || *year < 1970)
        return std::nullopt;
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(static_cast<int>(*year)),
                              std::chrono::month(static_cast<unsigned>(month - months.begin() + 1)),
                              std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    const auto days = sys_days(date).time_since_epoch();
    LocalTime time;
    time.seconds = std::chrono::duration_cast<seconds>(days).count() +
                   static_cast<std::int64_t>(*hour * 3600 + *minute * 60 + *second);
    if (parts.size() > 5) time.offset = zone_offset(parts[5]);
    return time;
}

}  // namespace wearout::health
