#include "workload/unit_set.h"

#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::workload;

namespace {

std::set<std::uint64_t> units_of(const std::vector<UnitRange>& set) {
    std::set<std::uint64_t> units;
    for (const UnitRange& range : set)
        for (std::uint64_t unit = range.first.value; unit < range.end(); ++unit)
            units.insert(unit);
    return units;
}

void assert_well_formed(const std::vector<UnitRange>& set, std::size_t max_ranges) {
    RC_ASSERT(set.size() <= max_ranges);
    for (std::size_t i = 0; i < set.size(); ++i) {
        RC_ASSERT(set[i].count > 0U);
        if (i > 0) RC_ASSERT(set[i - 1].end() < set[i].first.value);
    }
}

struct Step {
    bool add;
    UnitRange units;
};

std::vector<Step> any_steps() {
    return *rc::gen::container<std::vector<Step>>(rc::gen::apply(
        [](bool add, std::uint64_t first, std::uint64_t count) {
            return Step{add, {{first}, count}};
        },
        rc::gen::arbitrary<bool>(), rc::gen::inRange<std::uint64_t>(0, 200),
        rc::gen::inRange<std::uint64_t>(0, 12)));
}

}  // namespace

TEST_CASE("with room enough a set of units holds exactly what was put in and not taken out") {
    CHECK(rc::check([] {
        std::vector<UnitRange> set;
        std::set<std::uint64_t> naive;
        for (const Step& step : any_steps()) {
            for (std::uint64_t unit = step.units.first.value; unit < step.units.end(); ++unit) {
                if (step.add)
                    naive.insert(unit);
                else
                    naive.erase(unit);
            }
            (step.add ? add_units : remove_units)(set, step.units, 1000);
            assert_well_formed(set, 1000);
            RC_ASSERT(units_of(set) == naive);
        }
    }));
}

TEST_CASE("without room it holds more, but never less") {
    CHECK(rc::check([] {
        std::vector<UnitRange> set;
        std::set<std::uint64_t> naive;
        for (const Step& step : any_steps()) {
            for (std::uint64_t unit = step.units.first.value; unit < step.units.end(); ++unit) {
                if (step.add)
                    naive.insert(unit);
                else
                    naive.erase(unit);
            }
            (step.add ? add_units : remove_units)(set, step.units, 3);
            assert_well_formed(set, 3);
            const auto held = units_of(set);
            for (const std::uint64_t unit : naive)
                RC_ASSERT(held.count(unit) == 1U);
        }
    }));
}

TEST_CASE("the two closest ranges are joined first") {
    std::vector<UnitRange> set;
    add_units(set, {{0}, 1}, 3);
    add_units(set, {{100}, 1}, 3);
    add_units(set, {{110}, 1}, 3);
    add_units(set, {{200}, 1}, 3);
    CHECK(set == std::vector<UnitRange>{{{0}, 1}, {{100}, 11}, {{200}, 1}});
}
