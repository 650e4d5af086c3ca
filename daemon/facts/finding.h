#pragma once

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wearout {

/// What a range holds instead of what it should.
enum class FindingClass {
    bit_flip,            ///< Nearly right: few bits differ.
    stale,               ///< An older generation of the same sector: a lost write.
    lost_after_restart,  ///< Stale, though it was acknowledged and flushed before the run was interrupted.
    misdirected,         ///< A true sector of this run that belongs elsewhere.
    aliased,             ///< The same, a power of two away: addresses that wrap, a fake capacity.
    foreign_run,         ///< A true sector of another run.
    foreign_drive,       ///< A true sector of another drive.
    zeroed,
    ones,
    torn,        ///< A unit, or a sector, of which a part is the old write and a part the new.
    stamp_only,  ///< The payload is right, the stamp is not.
    garbage,     ///< Nothing of the above.
    read_error,
    write_error,
    host_memory,  ///< Right when read again: the transfer or the host's memory, not the media.
};
inline constexpr std::size_t finding_class_count = 15;
inline constexpr EnumNames<FindingClass, finding_class_count> finding_class_names{
    {"bit-flip", "stale", "lost-after-restart", "misdirected", "aliased", "foreign-run", "foreign-drive",
     "zeroed", "ones", "torn", "stamp-only", "garbage", "read-error", "write-error", "host-memory"}};

/// What a second read, into a fresh buffer, gave.
enum class Reread { not_done, same, different, correct, failed };
inline constexpr EnumNames<Reread, 5> reread_names{{"not-done", "same", "different", "correct", "failed"}};

/// One contiguous range that did not hold what it should.
struct Finding {
    std::uint32_t sequence =
        0;  ///< Unique in its run, from 1. Stored again with the same number, it has grown.
    FindingClass cls = FindingClass::garbage;
    Lba lba;                    ///< Its first sector,
    std::uint64_t sectors = 0;  ///< and how many.
    std::uint32_t pass = 0;     ///< The generation that the run had reached.
    WallTime time;
    Generation expected;
    std::optional<Generation> found;           ///< What the stamp in its place says.
    std::optional<Lba> source_lba;             ///< Where the first sector's content belongs.
    std::optional<std::uint64_t> foreign_run;  ///< PatternId::run and ::drive of a stranger.
    std::optional<std::uint64_t> foreign_drive;
    std::uint64_t flips_to_one = 0;  ///< Bits, over the whole range.
    std::uint64_t flips_to_zero = 0;
    std::uint32_t first_wrong_byte = 0;  ///< Offset of the first wrong byte in the first sector,
    std::uint8_t first_wrong_bits = 0;   ///< and which of its bits are wrong.
    std::uint8_t torn_sectors = 0;       ///< Bit i: sector i of the (first) unit holds the older write.
    int error = 0;                       ///< errno of a read or write error.
    Reread reread = Reread::not_done;
    std::vector<std::byte> expected_bytes;  ///< Evidence: its first sector, whole.
    std::vector<std::byte> actual_bytes;
    bool operator==(const Finding&) const = default;
};

/// Findings by class, in the order of FindingClass. Goes on counting when findings are too many to be kept.
struct FindingCounts {
    std::array<std::uint64_t, finding_class_count> ranges{};
    std::array<std::uint64_t, finding_class_count> sectors{};
    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const auto count : ranges)
            sum += count;
        return sum;
    }
    bool operator==(const FindingCounts&) const = default;
};

}  // namespace wearout
