#pragma once

#include "base/types.h"
#include "facts/checkpoint.h"
#include "facts/run_spec.h"

#include <cstdint>
#include <vector>

namespace wearout::workload {

/// Units that one transfer covers: consecutive positions of the walk at consecutive addresses.
struct Extent {
    std::uint64_t position = 0;  ///< Of its first unit.
    UnitIndex first;
    std::uint64_t units = 0;
};

/// The walk from the first unit of a range to the last. Pure: positions in, extents and expectations out.
class Sequential {
  public:
    /// `capacity` is the drive's: its last unit may be shorter than 4096 bytes.
    Sequential(UnitRange range, Bytes capacity, std::uint32_t transfer_bytes);

    [[nodiscard]] std::uint64_t positions() const { return range_.count; }
    /// The longest extent at `position` that is no longer than a transfer and ends before `limit`.
    [[nodiscard]] Extent extent_at(std::uint64_t position, std::uint64_t limit) const;
    [[nodiscard]] UnitIndex unit_at(std::uint64_t position) const { return {range_.first.value + position}; }
    [[nodiscard]] std::uint64_t position_of(UnitIndex unit) const { return unit.value - range_.first.value; }
    /// How many bytes these units really have on the drive.
    [[nodiscard]] std::uint64_t bytes_of(const Extent& extent) const;

  private:
    UnitRange range_;
    Bytes capacity_;
    std::uint64_t units_per_transfer_;
};

/// What is known of a stretch of units that all are alike.
struct Content {
    enum class Known { exact, either, nothing } known = Known::nothing;
    Generation generation;  ///< With `either`: this one or the one before it, each sector on its own.
    bool below_restart_mark = false;
    std::uint64_t units = 0;  ///< How many from the asked position on are alike.
};

/// What the media holds from `position` on, up to `limit`: a stretch of which one thing is true, as long as
/// it goes (but `nothing` may come in two pieces). In the first generation "this one or the one before" is
/// `nothing`. Takes the same time whatever the sizes are.
[[nodiscard]] Content content_at(const MediaState& media, const Sequential& walk, std::uint64_t position,
                                 std::uint64_t limit);

}  // namespace wearout::workload
