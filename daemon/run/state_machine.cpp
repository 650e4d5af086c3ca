#include "run/state_machine.h"

#include "base/error.h"

#include <array>
#include <string>

namespace wearout::run {

namespace {

/// A cell of the table: a state to go to, the phase to go back to, or nothing.
enum class Cell { none, phase, writing, verifying, paused, storage, drive, finished, stopped, failed };

using Row = std::array<Cell, event_count>;

constexpr auto x = Cell::none;

// clang-format off
constexpr std::array<Row, run_state_names.size()> table = [] {
    using enum Cell;
    return std::array<Row, run_state_names.size()>{{
    //                    verify_next write_next pause   resume storage_lost storage_back drive_gone drive_back limit_reached stop     give_up
    /* writing         */ {verifying, writing,   paused, x,     storage,     x,           drive,     x,         finished,     stopped, failed},
    /* verifying       */ {x,         writing,   paused, x,     storage,     x,           drive,     x,         finished,     stopped, failed},
    /* paused          */ {x,         x,         x,      phase, storage,     x,           x,         x,         finished,     stopped, x     },
    /* waiting_storage */ {x,         x,         paused, x,     storage,     phase,       drive,     x,         finished,     stopped, failed},
    /* waiting_drive   */ {x,         x,         paused, x,     storage,     x,           x,         phase,     finished,     stopped, x     },
    /* finished        */ {x,         x,         x,      x,     x,           x,           x,         x,         x,            x,       x     },
    /* stopped         */ {x,         x,         x,      x,     x,           x,           x,         x,         x,            x,       x     },
    /* failed          */ {x,         x,         x,      x,     x,           x,           x,         x,         x,            x,       x     },
    }};
}();
// clang-format on

}  // namespace

std::optional<RunState> next_state(RunState state, Event event, RunState phase) {
    switch (table.at(static_cast<std::size_t>(state)).at(static_cast<std::size_t>(event))) {
        case Cell::none:
            return std::nullopt;
        case Cell::phase:
            return phase;
        case Cell::writing:
            return RunState::writing;
        case Cell::verifying:
            return RunState::verifying;
        case Cell::paused:
            return RunState::paused;
        case Cell::storage:
            return RunState::waiting_storage;
        case Cell::drive:
            return RunState::waiting_drive;
        case Cell::finished:
            return RunState::finished;
        case Cell::stopped:
            return RunState::stopped;
        case Cell::failed:
            return RunState::failed;
    }
    return std::nullopt;
}

RunState transition(RunState state, Event event, RunState phase) {
    if (const auto next = next_state(state, event, phase)) return *next;
    throw usage_error("a run that is " + std::string(run_state_names[state]) + " can't take '" +
                      std::string(event_names[event]) + "'");
}

}  // namespace wearout::run
