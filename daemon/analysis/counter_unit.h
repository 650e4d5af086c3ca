#pragma once

#include "facts/counter_unit.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wearout::analysis {

/// A drive's counter as it stood when a run had written so much.
struct CounterPoint {
    WallTime time;
    Bytes written;
    std::int64_t raw = 0;
};

/// A unit that drives are known to count written bytes in.
struct KnownUnit {
    std::int64_t bytes = 0;
    std::string_view name;  ///< "32 MiB"
};

/// Growing.
[[nodiscard]] std::span<const KnownUnit> known_units();

/// "32 MiB (33554432 B)", or the bytes alone.
[[nodiscard]] std::string unit_name(std::int64_t bytes);

/// What a run's writes say of a counter: a straight line of its steps over the bytes written, by least
/// squares through the moments at which it had just moved, since drives update their counters late and are
/// exact only there. The interval holds the slope with 99 % confidence, residuals of at least a step's
/// rounding error, and two hundredths more for what the drive counts beside our writes. `points` are one
/// run's, oldest first; a fall of the counter begins anew. `identity` brings field, metric and
/// catalogue_step; the rest is filled in.
[[nodiscard]] CounterUnit learn_unit(std::span<const CounterPoint> points, CounterUnit identity);

/// The evidence in a line: "grew by 36,000 steps over 1.2 TB written, 33.6 MB a step (33.5 to 33.6)".
[[nodiscard]] std::string evidence(const CounterUnit& unit);

}  // namespace wearout::analysis
