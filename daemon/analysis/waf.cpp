#include "analysis/waf.h"

#include <algorithm>
#include <cstdint>

namespace wearout::analysis {

namespace {

/// The value that stands at a moment; absent before the first observation.
std::optional<std::int64_t> value_at(std::span<const Observation> history, WallTime time) {
    const auto later = std::upper_bound(history.begin(), history.end(), time,
                                        [](WallTime t, const Observation& o) { return t < o.time; });
    if (later == history.begin()) return std::nullopt;
    return std::prev(later)->value;
}

/// The coarse unit that a byte counter visibly counts in: it divides all values. 0: none, it counts finely.
double step_of(std::span<const Observation> history) {
    // GiB, GB and 32 MiB are what drives are known to use.
    for (const std::int64_t unit : {INT64_C(1) << 30U, INT64_C(1'000'000'000), INT64_C(1) << 25U})
        if (std::ranges::all_of(history, [&](const Observation& o) { return o.value % unit == 0; }))
            return static_cast<double>(unit);
    return 0;
}

/// How far a ratio may be wrong for its counters' steps before it is not told.
constexpr double tolerance = 0.1;

struct Steps {
    double nand = 0;
    double host = 0;
};

/// Nothing where it would divide by nothing, and where steps hide it; the latter is told to `too_coarse`.
std::optional<double> ratio(std::int64_t nand, std::int64_t host, const Steps& steps, bool& too_coarse) {
    if (host < 0 || nand < 0 || (host == 0 && steps.host == 0)) return std::nullopt;
    const auto flashed = static_cast<double>(nand);
    const auto written = static_cast<double>(host);
    // Each counter is known to within one step; relative errors add up.
    if (steps.nand > tolerance * flashed ||
        steps.nand * written + steps.host * flashed > tolerance * flashed * written) {
        too_coarse = steps.nand > 0 || steps.host > 0;
        if (too_coarse) return std::nullopt;
    }
    return flashed / written;
}

/// It was reset or has wrapped, so that it no longer holds the whole life.
bool ever_fell(std::span<const Observation> history) {
    const auto falls = [](const Observation& before, const Observation& after) {
        return after.value < before.value;
    };
    return std::adjacent_find(history.begin(), history.end(), falls) != history.end();
}

}  // namespace

Waf write_amplification(std::span<const Observation> nand_bytes, std::span<const Observation> host_bytes) {
    if (nand_bytes.empty() || host_bytes.empty()) return {};
    const auto nand = newest_epoch(nand_bytes);
    const auto host = newest_epoch(host_bytes);
    const WallTime begin = std::max(nand.front().time, host.front().time);
    const WallTime end = std::min(nand.back().time, host.back().time);
    Waf waf;
    const Steps steps{step_of(nand_bytes), step_of(host_bytes)};
    const auto nand_begin = value_at(nand, begin);
    const auto nand_end = value_at(nand, end);
    const auto host_begin = value_at(host, begin);
    const auto host_end = value_at(host, end);
    if (nand_begin && nand_end && host_begin && host_end)
        waf.since_start = ratio(*nand_end - *nand_begin, *host_end - *host_begin, steps, waf.too_coarse);
    if (nand_end && host_end && !ever_fell(nand_bytes) && !ever_fell(host_bytes))
        waf.lifetime = ratio(*nand_end, *host_end, steps, waf.too_coarse);
    return waf;
}

Waf write_amplification(std::span<const Observation> nand_bytes) {
    if (nand_bytes.empty()) return {};
    const auto nand = newest_epoch(nand_bytes);
    Waf waf;
    waf.since_start = ratio(nand.back().value - nand.front().value,
                            static_cast<std::int64_t>((nand.back().written - nand.front().written).value),
                            {step_of(nand_bytes), 0}, waf.too_coarse);
    return waf;
}

}  // namespace wearout::analysis
