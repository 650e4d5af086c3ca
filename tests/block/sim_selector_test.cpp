#include "block/sim/selector.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using wearout::block::sim::Selector;

TEST_CASE("a selector finds what a search finds") {
    CHECK(rc::check("best is the lowest slot of the smallest key", [] {
        const auto slots = *rc::gen::inRange<std::uint32_t>(1, 70);
        const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint64_t>>>(
            rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, slots), rc::gen::inRange<std::uint64_t>(0, 6)));
        Selector selector(slots);
        std::vector<std::uint64_t> naive(slots, UINT64_MAX);
        for (const auto& [slot, key] : steps) {
            if (key == 0) {
                selector.clear(slot);
                naive[slot] = UINT64_MAX;
            } else {
                selector.set(slot, key);
                naive[slot] = key;
            }
            const auto smallest = std::ranges::min_element(naive);
            if (*smallest == UINT64_MAX)
                RC_ASSERT(!selector.best());
            else
                RC_ASSERT(selector.best() == static_cast<std::uint32_t>(smallest - naive.begin()));
        }
    }));
}
