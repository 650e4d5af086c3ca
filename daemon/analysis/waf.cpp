#include "analysis/waf.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wearout::analysis {

namespace {

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

/// Nothing where it would divide by nothing, where the flash is said to have taken nothing, and where steps
/// hide it; the latter is told to `too_coarse`.
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
    if (nand == 0) return std::nullopt;
    return flashed / written;
}

/// It was reset or has wrapped, so that it no longer holds the whole life.
bool ever_fell(std::span<const Observation> history) {
    const auto falls = [](const Observation& before, const Observation& after) {
        return after.value < before.value;
    };
    return std::adjacent_find(history.begin(), history.end(), falls) != history.end();
}

/// Both counters at one moment.
struct Pair {
    Observation nand;
    Observation host;
    [[nodiscard]] bool comparable(const Pair& later) const {
        return nand.epoch == later.nand.epoch && host.epoch == later.host.epoch;
    }
};

/// At every moment at which either is told, once both are.
std::vector<Pair> pairs(std::span<const Observation> nand, std::span<const Observation> host) {
    std::vector<Pair> result;
    std::size_t n = 0;
    std::size_t h = 0;
    while (n < nand.size() || h < host.size()) {
        const auto time = std::min(n < nand.size() ? nand[n].time : WallTime::max(),
                                   h < host.size() ? host[h].time : WallTime::max());
        while (n < nand.size() && nand[n].time <= time)
            ++n;
        while (h < host.size() && host[h].time <= time)
            ++h;
        if (n > 0 && h > 0) result.push_back({nand[n - 1], host[h - 1]});
    }
    return result;
}

/// Growth of both over some stretches.
struct Grown {
    std::int64_t nand = 0;
    std::int64_t host = 0;
    void add(const Pair& before, const Pair& after) {
        nand += after.nand.value - before.nand.value;
        host += after.host.value - before.host.value;
    }
};

Curve windows(std::span<const Pair> moments, std::int64_t whole, const Steps& steps) {
    Curve curve;
    Grown window;
    for (std::size_t i = 1; i < moments.size(); ++i) {
        if (!moments[i - 1].comparable(moments[i])) {
            window = {};
            continue;
        }
        window.add(moments[i - 1], moments[i]);
        if (window.host < whole / static_cast<std::int64_t>(waf_windows)) continue;
        bool too_coarse = false;
        const auto factor = ratio(window.nand, window.host, steps, too_coarse);
        if (!factor) continue;
        const Bytes written = std::max(moments[i].nand.written, moments[i].host.written);
        curve.push_back({terabytes(written), *factor});
        window = {};
    }
    return curve.size() < 2 ? Curve{} : curve;
}

Waf between(std::span<const Pair> moments, const Steps& steps) {
    Waf waf;
    Grown whole;
    for (std::size_t i = 1; i < moments.size(); ++i)
        if (moments[i - 1].comparable(moments[i])) whole.add(moments[i - 1], moments[i]);
    waf.since_start = ratio(whole.nand, whole.host, steps, waf.too_coarse);
    if (waf.since_start) waf.windows = windows(moments, whole.host, steps);
    return waf;
}

}  // namespace

Waf write_amplification(std::span<const Observation> nand_bytes, std::span<const Observation> host_bytes) {
    if (nand_bytes.empty() || host_bytes.empty()) return {};
    const Steps steps{step_of(nand_bytes), step_of(host_bytes)};
    const auto moments = pairs(nand_bytes, host_bytes);
    Waf waf = between(moments, steps);
    if (!ever_fell(nand_bytes) && !ever_fell(host_bytes))
        waf.lifetime = ratio(moments.back().nand.value, moments.back().host.value, steps, waf.too_coarse);
    return waf;
}

Waf write_amplification(std::span<const Observation> nand_bytes) {
    if (nand_bytes.empty()) return {};
    std::vector<Pair> moments;
    for (const auto& nand : nand_bytes) {
        Observation host = nand;
        host.value = static_cast<std::int64_t>(nand.written.value);
        moments.push_back({nand, host});
    }
    return between(moments, {step_of(nand_bytes), 0});
}

}  // namespace wearout::analysis
