#include "analysis/curve.h"

#include <algorithm>
#include <array>

namespace wearout::analysis {

namespace {

constexpr double bytes_per_tb = 1e12;

/// The lowest and the highest point of a stretch, in their order.
void add_extremes(std::span<const Point> stretch, Curve& curve) {
    if (stretch.empty()) return;
    const auto by_value = [](const Point& a, const Point& b) { return a.value < b.value; };
    auto [low, high] = std::minmax_element(stretch.begin(), stretch.end(), by_value);
    if (high < low) std::swap(low, high);
    curve.push_back(*low);
    if (high != low) curve.push_back(*high);
}

}  // namespace

double terabytes(Bytes bytes) {
    return static_cast<double>(bytes.value) / bytes_per_tb;
}

Curve to_curve(std::span<const Observation> history) {
    Curve curve;
    for (const auto& observation : history) {
        const Point point{terabytes(observation.written), static_cast<double>(observation.value)};
        if (!curve.empty() && curve.back().tb == point.tb)
            curve.back() = point;
        else
            curve.push_back(point);
    }
    return curve;
}

Curve thinned(const Curve& curve, std::size_t most) {
    if (curve.size() <= most) return curve;
    const std::size_t stretches = (most - 2) / 2;
    const auto inner = std::span(curve).subspan(1, curve.size() - 2);
    Curve result{curve.front()};
    for (std::size_t i = 0; i < stretches; ++i) {
        const std::size_t begin = inner.size() * i / stretches;
        const std::size_t end = inner.size() * (i + 1) / stretches;
        add_extremes(inner.subspan(begin, end - begin), result);
    }
    result.push_back(curve.back());
    return result;
}

std::vector<Observation> continued(std::span<const Observation> history) {
    std::vector<Observation> result(history.begin(), history.end());
    std::int64_t lift = 0;
    for (std::size_t i = 1; i < result.size(); ++i) {
        const auto fallen = history[i - 1].value - history[i].value;
        if (history[i - 1].epoch != history[i].epoch && fallen > 0) lift += fallen;
        result[i].value += lift;
    }
    return result;
}

std::span<const Observation> newest_epoch(std::span<const Observation> history) {
    std::size_t begin = history.size();
    while (begin > 0 && history[begin - 1].epoch == history.back().epoch)
        --begin;
    return history.subspan(begin);
}

}  // namespace wearout::analysis
