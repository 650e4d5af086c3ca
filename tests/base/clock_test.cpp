#include "base/clock.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace std::chrono_literals;

TEST_CASE("a manual clock goes on only when told, on both its faces") {
    ManualClock clock;
    const auto steady = clock.steady();
    const auto wall = clock.wall();
    clock.advance(1500ms);
    clock.sleep_for(500ms);
    CHECK(clock.steady() - steady == 2s);
    CHECK(clock.wall() - wall == 2s);
}

TEST_CASE("the system clock really waits") {
    Clock& clock = system_clock();
    const auto before = clock.steady();
    clock.sleep_for(2ms);
    CHECK(clock.steady() - before >= 2ms);
}
