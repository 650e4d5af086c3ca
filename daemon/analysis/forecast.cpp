#include "analysis/forecast.h"

#include "analysis/rate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace wearout::analysis {

namespace {

constexpr std::size_t fewest_steps = 4;

/// The first observation at or past the end, when there is one.
std::optional<Forecast> already_there(std::span<const Observation> epoch, const ForecastOptions& options) {
    const auto past = [&](const Observation& o) {
        const auto value = static_cast<double>(o.value);
        return options.direction == Direction::rising ? value >= options.end : value <= options.end;
    };
    const auto first = std::find_if(epoch.begin(), epoch.end(), past);
    if (first == epoch.end()) return std::nullopt;
    const double at = terabytes(first->written);
    const double low = first == epoch.begin() ? at : terabytes(std::prev(first)->written);
    return Forecast{at, low, at, options.confidence, "observed", epoch.size()};
}

/// The points at which the value changed: where exactly it stood between them a coarse counter does not tell.
/// The first observation fell somewhere within its step, the last one too.
Curve steps(std::span<const Observation> epoch) {
    Curve curve;
    for (std::size_t i = 1; i < epoch.size(); ++i) {
        if (epoch[i].value == epoch[i - 1].value) continue;
        const Point point{terabytes(epoch[i].written), static_cast<double>(epoch[i].value)};
        if (!curve.empty() && curve.back().tb == point.tb)
            curve.back() = point;
        else
            curve.push_back(point);
    }
    return curve;
}

/// Where the line, give or take what a further value may lie beside it, meets the end: the roots in x of
///   (end - a - b x)^2 = t^2 s^2 (1 + 1/n + (x - mean)^2 / Sxx).
/// Absent when the slope is not distinct from none, so that the roots enclose nothing.
std::optional<Interval> fieller(const Line& line, const ForecastOptions& options) {
    const double rounding = options.resolution / std::sqrt(12.0);
    const double sd = std::max(line.residual_sd, rounding);
    const double t = student_t(line.degrees, options.confidence);
    const double variance = t * t * sd * sd;
    const double a = line.slope * line.slope - variance / line.sum_xx;
    if (a <= 0) return std::nullopt;
    // In u = x - mean: a u^2 - 2 slope gap u + gap^2 - variance (1 + 1/n) = 0.
    const double gap = options.end - (line.intercept + line.slope * line.mean_x);
    const double c = gap * gap - variance * (1 + 1 / static_cast<double>(line.samples));
    const double b = line.slope * gap;
    const double root = std::sqrt(std::max(0.0, b * b - a * c));
    return Interval{line.mean_x + (b - root) / a, line.mean_x + (b + root) / a};
}

std::variant<Forecast, NoForecast> along_line(std::span<const Observation> epoch, const Curve& curve,
                                              const ForecastOptions& options) {
    const auto line = fit_line(curve);
    if (!line || (options.direction == Direction::rising ? line->slope <= 0 : line->slope >= 0))
        return NoForecast{"the wear does not move towards its end"};
    const auto interval = fieller(*line, options);
    if (!interval) return NoForecast{"the wear's growth can't be told from chance yet"};
    // The end was not reached so far, whatever the line says.
    const double now = terabytes(epoch.back().written);
    const double at = (options.end - line->intercept) / line->slope;
    return Forecast{std::max(at, now),
                    std::max(interval->low, now),
                    std::max(interval->high, now),
                    options.confidence,
                    "linear",
                    curve.size()};
}

}  // namespace

std::variant<Forecast, NoForecast> forecast(std::span<const Observation> history,
                                            const ForecastOptions& options) {
    if (history.empty()) return NoForecast{"the drive does not tell this counter"};
    const auto epoch = newest_epoch(history);
    if (const auto observed = already_there(epoch, options)) {
        // A counter that never said anything else says nothing of when (some drives fix their spare at 0 %).
        if (observed->tbw_at_end == terabytes(epoch.front().written))
            return NoForecast{
                fmt::format("it stood at its end, {}, when it was first read", epoch.front().value)};
        return *observed;
    }
    const Curve curve = steps(epoch);
    if (curve.empty())
        return NoForecast{fmt::format("no wear seen yet: it stands at {} after {:.3g} TB", epoch.back().value,
                                      terabytes(epoch.back().written - epoch.front().written))};
    if (curve.size() < fewest_steps)
        return NoForecast{fmt::format("too few points: the counter has moved {} times, {} are needed",
                                      curve.size(), fewest_steps)};
    return along_line(epoch, curve, options);
}

}  // namespace wearout::analysis
