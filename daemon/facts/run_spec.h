#pragma once

#include "base/enum_names.h"
#include "base/types.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace wearout {

/// Consecutive units.
struct UnitRange {
    UnitIndex first;
    std::uint64_t count = 0;
    [[nodiscard]] std::uint64_t end() const { return first.value + count; }
    [[nodiscard]] bool contains(UnitIndex unit) const { return unit >= first && unit.value < end(); }
    auto operator<=>(const UnitRange&) const = default;
};

/// What, beside the address and the generation, decides the bytes of a sector.
struct PatternId {
    std::uint64_t run = 0;    ///< Random, so that two runs never write the same stamp.
    std::uint64_t drive = 0;  ///< Drive::stamp_id.
    std::uint64_t seed = 0;
    auto operator<=>(const PatternId&) const = default;
};

/// What a run does when it finds something.
enum class OnFinding { go_on, stop };
inline constexpr EnumNames<OnFinding, 2> on_finding_names{{"continue", "stop"}};

/// When a run has done enough. None given: it goes on until stopped, or until the drive takes no more writes.
struct Limits {
    std::optional<std::uint32_t> passes;  ///< Write passes, each with its verify pass.
    std::optional<std::chrono::milliseconds> active_time;
    std::optional<Bytes> written;               ///< By this run (`--tbw`).
    std::optional<std::uint32_t> wear_percent;  ///< percentage_used reaches it.
    auto operator<=>(const Limits&) const = default;
};

/// One profile on one drive: everything that was decided when it was started.
struct RunSpec {
    std::string profile;
    std::string target;  ///< As the user named it.
    PatternId pattern;
    UnitRange range;
    Limits limits;
    /// Reads and verifies what `subject` left, and never writes.
    bool reads_only = false;
    std::optional<RunId> subject;
    bool verify = true;  ///< A verify pass follows each write pass.
    OnFinding on_finding = OnFinding::go_on;
    std::uint32_t transfer_bytes = 1U << 20U;
    std::uint32_t queue_depth = 16;
    std::optional<std::uint64_t> bytes_per_second;  ///< Limit of the write and read rate.
    std::optional<Bytes> rating;                    ///< Rated TBW.
    std::string rating_source;
    std::string consent;  ///< What was typed to allow the destruction, and by it what was destroyed.
    bool operator==(const RunSpec&) const = default;
};

}  // namespace wearout
