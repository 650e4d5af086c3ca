#pragma once

#include "base/clock.h"
#include "base/types.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Pure arithmetic over histories of wear counters: from plain values to plain values, no I/O, no time.
namespace wearout::analysis {

/// What a counter said at one moment. Histories are spans of these, oldest first; a value holds until the
/// next one, so that moments at which nothing changed may be left out, except the last.
struct Observation {
    WallTime time;
    Bytes written;  ///< To the drive until then; never falls along a history.
    std::int64_t value = 0;
    std::uint32_t epoch = 0;  ///< Values of different epochs can't be subtracted; never falls.
    bool operator==(const Observation&) const = default;
};

/// One point of a curve over terabytes written (1 TB = 10^12 bytes).
struct Point {
    double tb = 0;
    double value = 0;
    bool operator==(const Point&) const = default;
};

/// Points with growing `tb`.
using Curve = std::vector<Point>;

[[nodiscard]] double terabytes(Bytes bytes);

/// The history over terabytes written: of observations at the same amount written, the last one.
[[nodiscard]] Curve to_curve(std::span<const Observation> history);

/// At most `most` (>= 4) points that look the same when drawn: the first, the last, and of each stretch
/// between the lowest and the highest.
[[nodiscard]] Curve thinned(const Curve& curve, std::size_t most);

/// The history of a counter that only ever grows, as if it had never been reset: where it falls from one
/// epoch to the next, the later ones are lifted, so that it goes on from where it stood. What it grew between
/// its last reading before the fall and its first one after is not known and counts as nothing.
[[nodiscard]] std::vector<Observation> continued(std::span<const Observation> history);

/// The observations of the newest epoch.
[[nodiscard]] std::span<const Observation> newest_epoch(std::span<const Observation> history);

}  // namespace wearout::analysis
