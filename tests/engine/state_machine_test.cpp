#include "run/state_machine.h"

#include "base/error.h"

#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::run;

namespace {

using enum RunState;

/// Every step that is possible, from writing as the phase to go back to.
const std::map<std::pair<RunState, Event>, RunState> possible = {
    {{writing, Event::verify_next}, verifying},
    {{writing, Event::write_next}, writing},
    {{writing, Event::pause}, paused},
    {{writing, Event::storage_lost}, waiting_storage},
    {{writing, Event::drive_gone}, waiting_drive},
    {{writing, Event::limit_reached}, finished},
    {{writing, Event::stop}, stopped},
    {{writing, Event::give_up}, failed},
    {{verifying, Event::write_next}, writing},
    {{verifying, Event::pause}, paused},
    {{verifying, Event::storage_lost}, waiting_storage},
    {{verifying, Event::drive_gone}, waiting_drive},
    {{verifying, Event::limit_reached}, finished},
    {{verifying, Event::stop}, stopped},
    {{verifying, Event::give_up}, failed},
    {{paused, Event::resume}, writing},
    {{paused, Event::storage_lost}, waiting_storage},
    {{paused, Event::limit_reached}, finished},
    {{paused, Event::stop}, stopped},
    {{waiting_storage, Event::pause}, paused},
    {{waiting_storage, Event::storage_lost}, waiting_storage},
    {{waiting_storage, Event::storage_back}, writing},
    {{waiting_storage, Event::drive_gone}, waiting_drive},
    {{waiting_storage, Event::limit_reached}, finished},
    {{waiting_storage, Event::stop}, stopped},
    {{waiting_storage, Event::give_up}, failed},
    {{waiting_drive, Event::pause}, paused},
    {{waiting_drive, Event::storage_lost}, waiting_storage},
    {{waiting_drive, Event::drive_back}, writing},
    {{waiting_drive, Event::limit_reached}, finished},
    {{waiting_drive, Event::stop}, stopped},
};

}  // namespace

TEST_CASE("every cell of the state table is as it should be") {
    for (std::size_t s = 0; s < run_state_names.size(); ++s) {
        for (std::size_t e = 0; e < event_count; ++e) {
            const auto state = static_cast<RunState>(s);
            const auto event = static_cast<Event>(e);
            CAPTURE(run_state_names[state]);
            CAPTURE(event_names[event]);
            const auto expected = possible.find({state, event});
            const auto next = next_state(state, event, writing);
            REQUIRE(next.has_value() == (expected != possible.end()));
            if (next) {
                CHECK(*next == expected->second);
                CHECK(transition(state, event, writing) == expected->second);
            } else {
                CHECK_THROWS_AS((void)transition(state, event, writing), Failure);
            }
            if (is_over(state)) CHECK_FALSE(next.has_value());
        }
    }
}

TEST_CASE("a run that was verifying goes on verifying") {
    CHECK(next_state(paused, Event::resume, verifying) == verifying);
    CHECK(next_state(waiting_storage, Event::storage_back, verifying) == verifying);
    CHECK(next_state(waiting_drive, Event::drive_back, verifying) == verifying);
}

TEST_CASE("what is not possible is refused with both names") {
    try {
        (void)transition(finished, Event::pause, writing);
        FAIL("accepted");
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        CHECK(std::string(failure.what()) == "a run that is finished can't take 'pause'");
    }
}
