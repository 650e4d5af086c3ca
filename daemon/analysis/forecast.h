#pragma once

#include "analysis/curve.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace wearout::analysis {

/// When a wear counter gets to its end, in TB written to the drive as the history counts them.
struct Forecast {
    double tbw_at_end = 0;
    double low = 0;  ///< The interval's ends.
    double high = 0;
    double confidence = 0;    ///< Of the interval: 0.95.
    std::string_view method;  ///< "linear", or "observed" when the end lies in the past already.
    std::size_t samples = 0;  ///< Points that it rests on.
};

/// Why there is none: one line for the user.
struct NoForecast {
    std::string reason;
};

/// Which way a counter goes as the drive wears.
enum class Direction { rising, falling };

struct ForecastOptions {
    double end = 100;  ///< The value at which the drive counts as worn out.
    Direction direction = Direction::rising;
    double resolution = 1;  ///< The smallest step of the counter: no value is known better.
    double confidence = 0.95;
};

/// A straight line through the newest epoch's steps (the points where the value changed, since a coarse
/// counter is exact only there), continued to the end; the interval is that of inverse prediction (Fieller's
/// theorem; see Draper & Smith, Applied Regression Analysis, "inverse regression"), with residuals of at
/// least the counter's rounding error, resolution / sqrt(12).
[[nodiscard]] std::variant<Forecast, NoForecast> forecast(std::span<const Observation> history,
                                                          const ForecastOptions& options);

}  // namespace wearout::analysis
