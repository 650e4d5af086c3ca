#pragma once

#include "analysis/curve.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace wearout::analysis {

/// By how much a counter grew, and over what. Only differences within an epoch count, so that a reset is no
/// growth and no loss.
struct Growth {
    std::int64_t first = 0;  ///< The oldest value and the newest, as they were told.
    std::int64_t last = 0;
    std::int64_t grown = 0;        ///< Negative for what falls as the drive wears (life left, spare).
    Bytes over;                    ///< Written while it was watched.
    std::optional<double> per_tb;  ///< grown per 10^12 bytes; absent while nothing was written.
};

/// Absent for an empty history.
[[nodiscard]] std::optional<Growth> growth(std::span<const Observation> history);

struct Interval {
    double low = 0;
    double high = 0;
};

/// A straight line through points by ordinary least squares, with what its intervals need.
struct Line {
    double slope = 0;
    double intercept = 0;
    double mean_x = 0;
    double sum_xx = 0;       ///< Sum of (x - mean_x)^2.
    double residual_sd = 0;  ///< Standard deviation of the residuals, with `degrees` degrees of freedom.
    std::size_t samples = 0;
    std::size_t degrees = 0;
};

/// Absent with fewer than three points or when all have the same tb.
[[nodiscard]] std::optional<Line> fit_line(std::span<const Point> points);

/// The two-sided quantile of Student's t: with this many standard errors on both sides an interval has the
/// confidence, in (0, 1).
[[nodiscard]] double student_t(std::size_t degrees, double confidence);

/// How fast a counter grows per TB written.
struct Rate {
    double per_tb = 0;
    Interval interval;
    double confidence = 0;
    std::size_t samples = 0;
};

/// The slope by least squares, common to all epochs while each has a level of its own. Absent with fewer than
/// three observations more than epochs, or when nothing was written between them.
[[nodiscard]] std::optional<Rate> growth_rate(std::span<const Observation> history, double confidence = 0.95);

}  // namespace wearout::analysis
