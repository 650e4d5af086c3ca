#pragma once

#include "base/enum_names.h"

namespace wearout {

/// Where a run stands. Kept in the database by name.
enum class RunState {
    writing,          ///< A write pass is going on.
    verifying,        ///< A verify pass is going on.
    paused,           ///< By the user; goes on only when told to.
    waiting_storage,  ///< The database takes no writes; goes on by itself when it does.
    waiting_drive,    ///< The drive is gone; goes on by itself when it is back.
    finished,         ///< A limit was reached.
    stopped,          ///< By the user.
    failed,           ///< The drive takes no more writes, or the run can't go on.
};
inline constexpr EnumNames<RunState, 8> run_state_names{
    {"writing", "verifying", "paused", "waiting-storage", "waiting-drive", "finished", "stopped", "failed"}};

[[nodiscard]] constexpr bool is_over(RunState state) {
    return state == RunState::finished || state == RunState::stopped || state == RunState::failed;
}

}  // namespace wearout
