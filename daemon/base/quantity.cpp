#include "base/quantity.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <locale>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace wearout {

namespace {

struct Suffix {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::uint64_t kilo = 1000;
constexpr std::uint64_t kibi = 1024;

constexpr std::array byte_suffixes = {
    Suffix{"", 1},
    Suffix{"B", 1},
    Suffix{"kB", kilo},
    Suffix{"KB", kilo},
    Suffix{"MB", kilo* kilo},
    Suffix{"GB", kilo* kilo* kilo},
    Suffix{"TB", kilo* kilo* kilo* kilo},
    Suffix{"PB", kilo* kilo* kilo* kilo* kilo},
    Suffix{"KiB", kibi},
    Suffix{"MiB", kibi* kibi},
    Suffix{"GiB", kibi* kibi* kibi},
    Suffix{"TiB", kibi* kibi* kibi* kibi},
    Suffix{"PiB", kibi* kibi* kibi* kibi* kibi},
};

constexpr std::array duration_suffixes = {
    Suffix{"ms", 1}, Suffix{"s", 1000}, Suffix{"m", 60'000}, Suffix{"h", 3'600'000}, Suffix{"d", 86'400'000},
};

std::optional<std::uint64_t> factor_of(std::string_view name, const auto& suffixes) {
    for (const Suffix& suffix : suffixes)
        if (suffix.name == name) return suffix.factor;
    return std::nullopt;
}

/// "12.5 GB" times its suffix, exact in integers; nothing where it is malformed or does not fit.
std::optional<std::uint64_t> scaled(std::string_view text, const auto& suffixes) {
    std::uint64_t whole = 0;
    const char* const end = text.data() + text.size();
    auto [next, error] = std::from_chars(text.data(), end, whole);
    if (error != std::errc() || next == text.data()) return std::nullopt;

    std::uint64_t fraction = 0;
    std::uint64_t fraction_scale = 1;
    if (next != end && *next == '.') {
        const char* const first_digit = ++next;
        for (; next != end && *next >= '0' && *next <= '9'; ++next) {
            if (fraction_scale >= 1'000'000'000) return std::nullopt;
            fraction = fraction * 10 + static_cast<std::uint64_t>(*next - '0');
            fraction_scale *= 10;
        }
        if (next == first_digit) return std::nullopt;
    }
    while (next != end && *next == ' ')
        ++next;

    const auto factor = factor_of(std::string_view(next, static_cast<std::size_t>(end - next)), suffixes);
    if (!factor) return std::nullopt;
    __extension__ using Wide = unsigned __int128;
    const Wide value = Wide{whole} * *factor + Wide{fraction} * *factor / fraction_scale;
    if (value > UINT64_MAX) return std::nullopt;
    return static_cast<std::uint64_t>(value);
}

/// Commas between thousands, whatever the user's locale is.
struct Thousands : std::numpunct<char> {
    [[nodiscard]] char do_thousands_sep() const override { return ','; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

std::string quoted(std::string_view what, std::string_view text, std::string_view hint) {
    return fmt::format("{}: '{}' {}", what, text, hint);
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view what) {
    if (const auto value = scaled(text, byte_suffixes)) return {*value};
    throw usage_error(quoted(what, text, "is not a size; write it like 4096, 256MiB, 1.5GB or 30TB"));
}

std::chrono::milliseconds parse_duration(std::string_view text, std::string_view what) {
    if (text == "0") return std::chrono::milliseconds{0};
    constexpr std::uint64_t century = 100ULL * 366 * 86'400'000;
    const auto value = scaled(text, duration_suffixes);
    if (value && *value <= century) return std::chrono::milliseconds{*value};
    throw usage_error(quoted(what, text, "is not a time; write it like 500ms, 90s, 15m, 72h or 7d"));
}

std::uint64_t parse_uint(std::string_view text, std::string_view what, std::uint64_t min, std::uint64_t max) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && next == end && value >= min && value <= max) return value;
    if (max == UINT64_MAX)
        throw usage_error(quoted(what, text, fmt::format("is not a whole number of {} or more", min)));
    throw usage_error(quoted(what, text, fmt::format("is not a whole number from {} to {}", min, max)));
}

double parse_real(std::string_view text, std::string_view what, double min, double max) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && next == end && std::isfinite(value) && value >= min && value <= max)
        return value;
    throw usage_error(quoted(what, text, fmt::format("is not a number from {} to {}", min, max)));
}

std::string format_bytes(Bytes bytes) {
    constexpr std::array names = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes.value < kilo) return fmt::format("{} B", bytes.value);
    double value = static_cast<double>(bytes.value);
    std::size_t step = 0;
    // 999.5 would print as "1000": go on to the next unit before that.
    while (value >= 999.5 && step + 1 < names.size()) {
        value /= 1000;
        ++step;
    }
    const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, digits, names.at(step));
}

std::string format_capacity(Bytes bytes) {
    constexpr std::array units = {std::pair{kibi * kibi * kibi * kibi, "TiB"},
                                  std::pair{kibi * kibi * kibi, "GiB"}, std::pair{kibi * kibi, "MiB"}};
    for (const auto& [size, name] : units)
        if (bytes.value >= size && bytes.value % size == 0)
            return fmt::format("{} {}", bytes.value / size, name);
    return format_bytes(bytes);
}

std::string format_rate(double bytes_per_second) {
    if (!std::isfinite(bytes_per_second) || bytes_per_second < 0) return "-";
    return format_bytes({static_cast<std::uint64_t>(bytes_per_second)}) + "/s";
}

std::string format_real(double value) {
    if (!std::isfinite(value)) return "-";
    const double size = std::abs(value);
    if (size >= 100) {
        const double grain = std::pow(10, std::floor(std::log10(size)) - 2);
        return fmt::format(std::locale(std::locale::classic(), new Thousands), "{:.0Lf}",
                           std::round(value / grain) * grain);
    }
    const int decimals =
        size < 1e-6 ? 0 : std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 8);
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.')) text.pop_back();
    }
    return text;
}

std::string format_duration(std::chrono::milliseconds duration) {
    const auto total = duration.count();
    if (total < 0) return "-";
    if (total < 60'000) return fmt::format("{:.1f}s", static_cast<double>(total) / 1000);
    const auto seconds = total / 1000;
    if (seconds < 3600) return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
    if (seconds < 86'400) return fmt::format("{}h {:02}m", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{}d {:02}h", seconds / 86'400, seconds / 3600 % 24);
}

std::string format_time(WallTime time) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string format_iso_time(WallTime time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), (time - seconds).count());
}

}  // namespace wearout
