#pragma once

#include "base/enum_names.h"
#include "facts/run_state.h"

#include <cstddef>
#include <optional>

namespace wearout::run {

/// Everything that can move a run from one state to another.
enum class Event {
    verify_next,    ///< A write pass is complete and is verified now.
    write_next,     ///< A pass is complete and the next generation is written.
    pause,          ///< The user's order.
    resume,         ///< The user's order.
    storage_lost,   ///< Facts could not be made durable.
    storage_back,   ///< They could again.
    drive_gone,     ///< The drive is no longer there.
    drive_back,     ///< The run goes on over a drive that was opened anew.
    limit_reached,  ///< The run has done what it was to do.
    stop,           ///< The user's order.
    give_up,        ///< The drive takes no more writes, or the run was to stop at a finding.
};
inline constexpr std::size_t event_count = 11;
inline constexpr EnumNames<Event, event_count> event_names{
    {"verify-next", "write-next", "pause", "resume", "storage-lost", "storage-back", "drive-gone",
     "drive-back", "limit-reached", "stop", "give-up"}};

/// Where `event` leads from `state`; `phase` (writing or verifying) is what a run goes back to that was
/// paused or waited. Empty: not possible.
[[nodiscard]] std::optional<RunState> next_state(RunState state, Event event, RunState phase);

/// The same, but throws a Failure (usage) for what is not possible: "a finished run can't take 'pause'".
[[nodiscard]] RunState transition(RunState state, Event event, RunState phase);

}  // namespace wearout::run
