#include "analysis/rate.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace wearout::analysis {

namespace {

/// Sums of squares and products about the means.
struct Moments {
    double mean_x = 0;
    double mean_y = 0;
    double xx = 0;
    double xy = 0;
    double yy = 0;
};

Moments moments(std::span<const Point> points) {
    Moments m;
    const auto n = static_cast<double>(points.size());
    for (const auto& point : points) {
        m.mean_x += point.tb / n;
        m.mean_y += point.value / n;
    }
    for (const auto& point : points) {
        const double x = point.tb - m.mean_x;
        const double y = point.value - m.mean_y;
        m.xx += x * x;
        m.xy += x * y;
        m.yy += y * y;
    }
    return m;
}

/// What is left of the sum of squares beside the line; rounding may bring it below nothing.
double residual_squares(const Moments& m) {
    return std::max(0.0, m.yy - m.xy * m.xy / m.xx);
}

}  // namespace

std::optional<Growth> growth(std::span<const Observation> history) {
    if (history.empty()) return std::nullopt;
    Growth result;
    result.first = history.front().value;
    result.last = history.back().value;
    for (std::size_t i = 1; i < history.size(); ++i) {
        const auto& before = history[i - 1];
        const auto& after = history[i];
        if (before.epoch != after.epoch) continue;
        result.grown += after.value - before.value;
        result.over += after.written - before.written;
    }
    if (result.over.value > 0) result.per_tb = static_cast<double>(result.grown) / terabytes(result.over);
    return result;
}

std::optional<Line> fit_line(std::span<const Point> points) {
    if (points.size() < 3) return std::nullopt;
    const Moments m = moments(points);
    if (m.xx <= 0) return std::nullopt;
    Line line;
    line.samples = points.size();
    line.degrees = points.size() - 2;
    line.slope = m.xy / m.xx;
    line.intercept = m.mean_y - line.slope * m.mean_x;
    line.mean_x = m.mean_x;
    line.sum_xx = m.xx;
    line.residual_sd = std::sqrt(residual_squares(m) / static_cast<double>(line.degrees));
    return line;
}

double student_t(std::size_t degrees, double confidence) {
    const boost::math::students_t distribution(static_cast<double>(degrees));
    return boost::math::quantile(distribution, (1 + confidence) / 2);
}

std::optional<Rate> growth_rate(std::span<const Observation> history, double confidence) {
    Moments sum;
    std::size_t samples = 0;
    std::size_t epochs = 0;
    for (auto rest = history; !rest.empty(); ++epochs) {
        const auto epoch = newest_epoch(rest);
        rest = rest.first(rest.size() - epoch.size());
        const Curve curve = to_curve(epoch);
        const Moments m = moments(curve);
        sum.xx += m.xx;
        sum.xy += m.xy;
        sum.yy += m.yy;
        samples += curve.size();
    }
    if (samples < epochs + 2 || sum.xx <= 0) return std::nullopt;
    const std::size_t degrees = samples - epochs - 1;
    const double slope = sum.xy / sum.xx;
    const double error = std::sqrt(residual_squares(sum) / static_cast<double>(degrees) / sum.xx);
    const double half = student_t(degrees, confidence) * error;
    return Rate{slope, {slope - half, slope + half}, confidence, samples};
}

}  // namespace wearout::analysis
