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

std::optional<double> ratio(std::int64_t nand, std::int64_t host) {
    if (host <= 0 || nand < 0) return std::nullopt;
    return static_cast<double>(nand) / static_cast<double>(host);
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
    const auto nand_begin = value_at(nand, begin);
    const auto nand_end = value_at(nand, end);
    const auto host_begin = value_at(host, begin);
    const auto host_end = value_at(host, end);
    if (nand_begin && nand_end && host_begin && host_end)
        waf.since_start = ratio(*nand_end - *nand_begin, *host_end - *host_begin);
    if (nand_end && host_end && !ever_fell(nand_bytes) && !ever_fell(host_bytes))
        waf.lifetime = ratio(*nand_end, *host_end);
    return waf;
}

Waf write_amplification(std::span<const Observation> nand_bytes) {
    if (nand_bytes.empty()) return {};
    const auto nand = newest_epoch(nand_bytes);
    const double written = static_cast<double>((nand.back().written - nand.front().written).value);
    const double flashed = static_cast<double>(nand.back().value - nand.front().value);
    if (written <= 0 || flashed < 0) return {};
    return {flashed / written, std::nullopt};
}

}  // namespace wearout::analysis
