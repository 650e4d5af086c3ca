#pragma once

#include "analysis/curve.h"
#include "tools/wearctl/console.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace wearout::tools {

struct PlotSeries {
    std::string label;  ///< Written at its right end; may be empty for a single one.
    analysis::Curve points;
};

struct PlotOptions {
    std::string title;
    std::string x_label = "TB written";
    std::size_t rows = 9;  ///< About so many: as many as fit the axis' numbers.
    /// The vertical axis covers at least these values.
    std::optional<double> at_least;
    std::optional<double> at_most;
    /// A value holds until the next point, as a counter's does; else points are joined by lines.
    bool steps = true;
};

/// Curves over TB written, as lines of text at most `screen.columns` wide: the title, rows with round numbers
/// at the left and each curve's label where it ends, the axis, its numbers, its label. Drawn in
/// Braille dots (2 x 4 to a character), or in ASCII with one letter a curve. Nothing without points.
[[nodiscard]] std::string plot(const std::vector<PlotSeries>& series, const PlotOptions& options,
                               const Screen& screen);

/// Round numbers (1, 2 or 5 times a power of ten apart), from the last at or below `low` to the first at or
/// above `high`; about `wanted` of them. Exposed for its tests.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, std::size_t wanted);

}  // namespace wearout::tools
