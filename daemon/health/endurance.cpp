#include "health/endurance.h"

#include "base/error.h"
#include "base/quantity.h"

#include <charconv>

#include <fmt/format.h>

namespace wearout::health {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t most_dwpd_milli = 1'000'000;
constexpr std::uint32_t most_years = 100;
constexpr std::uint32_t days_per_year = 365;
constexpr std::string_view dwpd_unit = "DWPD/";

/// Decimal digits and nothing else.
std::optional<std::uint32_t> whole_number(std::string_view text) {
    std::uint32_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || next != end) return std::nullopt;
    return value;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

/// "1.3DWPD/5y", taken apart where its unit begins.
std::optional<Endurance> parse_writes_a_day(std::string_view text, std::size_t unit) {
    auto years = trimmed(text.substr(unit + dwpd_unit.size()));
    if (!years.ends_with('y')) return std::nullopt;
    years.remove_suffix(1);
    const auto dwpd = parse_dwpd(trimmed(text.substr(0, unit)));
    const auto count = whole_number(years);
    if (!dwpd || !count || *count == 0 || *count > most_years) return std::nullopt;
    return Endurance{{}, *dwpd, *count};
}

std::optional<Endurance> parse(std::string_view text, std::string_view what) {
    if (const auto unit = text.find(dwpd_unit); unit != std::string_view::npos)
        return parse_writes_a_day(text, unit);
    if (text.ends_with("BW")) text.remove_suffix(1);  // "300TBW", as data sheets have it.
    try {
        const Bytes tbw = parse_bytes(text, what);
        if (tbw.value == 0 || tbw.value > INT64_MAX) return std::nullopt;
        return Endurance{tbw, {}, {}};
    } catch (const Failure&) {
        return std::nullopt;  // Its line knows nothing of drive writes a day.
    }
}

}  // namespace

Endurance parse_endurance(std::string_view text, std::string_view what) {
    if (const auto endurance = parse(text, what)) return *endurance;
    throw usage_error(
        fmt::format("{}: '{}' is not a rating; write it like 300TB, or as drive writes a day over years of "
                    "warranty like 1.3DWPD/5y",
                    what, text));
}

std::optional<Bytes> rated_bytes(const Endurance& endurance, Bytes capacity) {
    if (endurance.tbw) return endurance.tbw;
    if (!endurance.dwpd_milli || !endurance.years) return std::nullopt;
    const Wide bytes = Wide{*endurance.dwpd_milli} * days_per_year * *endurance.years * capacity.value / 1000;
    if (bytes == 0 || bytes > INT64_MAX) return std::nullopt;
    return Bytes{static_cast<std::uint64_t>(bytes)};
}

std::optional<std::uint32_t> dwpd_milli_of(Bytes tbw, Bytes capacity, std::uint32_t years) {
    const Wide written_daily = Wide{capacity.value} * days_per_year * years;
    if (written_daily == 0) return std::nullopt;
    const Wide milli = (Wide{tbw.value} * 1000 + written_daily / 2) / written_daily;
    if (milli > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(milli);
}

std::optional<std::uint32_t> parse_dwpd(std::string_view text) {
    const auto point = text.find('.');
    const auto whole = whole_number(text.substr(0, point));
    if (!whole || *whole > most_dwpd_milli / 1000) return std::nullopt;
    std::uint32_t milli = *whole * 1000;
    if (point != std::string_view::npos) {
        std::string digits(text.substr(point + 1));
        if (digits.empty() || digits.size() > 3) return std::nullopt;
        digits.append(3 - digits.size(), '0');
        const auto fraction = whole_number(digits);
        if (!fraction) return std::nullopt;
        milli += *fraction;
    }
    if (milli == 0 || milli > most_dwpd_milli) return std::nullopt;
    return milli;
}

std::string dwpd_text(std::uint32_t dwpd_milli) {
    std::string text = fmt::format("{}.{:03}", dwpd_milli / 1000, dwpd_milli % 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string dwpd_text(std::uint32_t dwpd_milli, std::uint32_t years) {
    return fmt::format("{} DWPD over {} {}", dwpd_text(dwpd_milli), years, years == 1 ? "year" : "years");
}

}  // namespace wearout::health
