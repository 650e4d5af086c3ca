#pragma once

#include "base/clock.h"
#include "base/types.h"
#include "facts/finding.h"
#include "facts/run_spec.h"
#include "facts/run_state.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace wearout {

/// What the media holds, said for every unit of a run's range in a few numbers. Positions count units in the
/// order of the walk, from 0. With g = generation:
///   position < flushed_to                 holds g, acknowledged and flushed;
///   flushed_to <= position < issued_to    holds g or g - 1, each sector on its own;
///   issued_to <= position                 holds g - 1 (unknown content where g is 1).
/// issued_to is made durable before anything at or beyond it is issued.
struct MediaState {
    Generation generation{1};
    std::uint64_t flushed_to = 0;
    std::uint64_t issued_to = 0;
    /// Below this position the media was flushed before the run was last interrupted in this generation: a
    /// stale unit there is an acknowledged write lost.
    std::uint64_t restart_mark = 0;
    /// Units (by address, sorted, apart) whose last write failed, so that nothing is known of their content.
    /// At most `max_unknown`; past that, neighbours are joined with what lies between.
    std::vector<UnitRange> unknown;
    static constexpr std::size_t max_unknown = 1024;
    bool operator==(const MediaState&) const = default;
};

/// What has been done and found so far; only ever grows.
struct RunCounters {
    Bytes written;     ///< Acknowledged by the drive.
    Bytes verified;    ///< Read back and compared.
    Bytes unverified;  ///< Passed over in verify passes, since nothing is known of their content, or
                       ///< unreadable.
    std::uint32_t write_passes = 0;       ///< Completed.
    std::uint32_t verify_passes = 0;      ///< Completed.
    std::chrono::milliseconds active{0};  ///< Time writing or verifying.
    std::uint32_t last_finding_sequence = 0;
    FindingCounts findings;
    bool operator==(const RunCounters&) const = default;
};

/// One pass. What it took is summed over the interruptions.
struct PassRecord {
    RunState kind = RunState::writing;  ///< writing or verifying
    Generation generation;
    WallTime started;
    WallTime ended;
    std::chrono::milliseconds active{0};
    Bytes bytes;
    std::uint64_t finding_ranges = 0;
    bool operator==(const PassRecord&) const = default;
};

/// From this any unit's expected content can be computed, and the run goes on.
struct Checkpoint {
    RunState state = RunState::writing;
    /// Which pass to go on with: `writing` or `verifying`. Equals `state` unless the run is paused, waits or
    /// is over.
    RunState phase = RunState::writing;
    std::string reason;  ///< Why it waits, or how it ended: one line for the user.
    MediaState media;
    std::uint64_t verify_position = 0;  ///< Verified up to here, in units in the order of the walk.
    RunCounters counters;
    PassRecord pass;  ///< The one that is going on, as far as it has come; `ended` says nothing yet.
    bool operator==(const Checkpoint&) const = default;
};

/// All that a run has to say at one moment; stored in one transaction.
struct RunBatch {
    Checkpoint checkpoint;
    std::vector<Finding> findings;  ///< New ones, and grown ones with the sequence they had.
    std::vector<PassRecord> passes;
};

}  // namespace wearout
