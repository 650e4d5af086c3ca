#pragma once

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/types.h"
#include "facts/metric.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace wearout {

/// What the bytes that we wrote say of a drive's write counter.
enum class CounterVerdict {
    unsettled,    ///< Too little was written yet.
    agrees,       ///< It counts in the unit that the catalogue gives it.
    learnt,       ///< The catalogue gives it no unit; it counts in a known one.
    contradicts,  ///< It counts in another unit than the catalogue gives it.
    unknown,      ///< It counts in no known unit, and the catalogue gives it none.
    moves,        ///< A counter of flash writes, whose growth per byte is the drive's own business.
    still,        ///< Much was written, and it did not move.
};
inline constexpr EnumNames<CounterVerdict, 7> counter_verdict_names{
    {"unsettled", "agrees", "learnt", "contradicts", "unknown", "moves", "still"}};

/// A drive's counter of bytes written, held against the bytes that a run wrote: the evidence and what
/// follows.
struct CounterUnit {
    std::string field;  ///< As Reading::source names it: "attribute 241 Total_LBAs_Written".
    Metric metric = Metric::host_bytes_written;
    CounterVerdict verdict = CounterVerdict::unsettled;
    std::optional<std::int64_t> catalogue_step;  ///< Bytes per step that the catalogue gives it.
    std::optional<std::int64_t> step;            ///< The known unit that fits, if exactly one does.
    double bytes_per_step = 0;                   ///< As measured, with the interval below; 0: not measured.
    double low = 0;
    double high = 0;
    Bytes written;            ///< By the run, while the counter was watched,
    std::int64_t grown = 0;   ///< and by so many steps it grew meanwhile,
    std::size_t samples = 0;  ///< at so many moments.
    Bytes longest_still;      ///< The most that was written without its moving, and the time that took.
    std::chrono::milliseconds longest_still_time{0};
    WallTime updated;
    bool operator==(const CounterUnit&) const = default;
};

}  // namespace wearout
