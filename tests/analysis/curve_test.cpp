#include "analysis/curve.h"

#include "support.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::analysis;
using namespace wearout::analysis::test;

TEST_CASE("a cumulative history goes on over its resets, and never falls") {
    const std::vector history{seen(0, 0, 100),   seen(1, 1, 150),   seen(2, 2, 5, 1),  seen(3, 3, 30, 1),
                              seen(4, 4, 10, 2), seen(5, 5, 11, 2), seen(6, 6, 500, 3)};
    std::vector<std::int64_t> values;
    for (const auto& observation : continued(history))
        values.push_back(observation.value);
    CHECK(values == std::vector<std::int64_t>{100, 150, 150, 175, 175, 176, 665});
}

TEST_CASE("a terabyte is 10^12 bytes") {
    CHECK(terabytes({1'000'000'000'000}) == 1.0);
    CHECK(terabytes({0}) == 0.0);
    CHECK(terabytes({500'000'000}) == 0.0005);
}

TEST_CASE("of observations at the same amount written the last one counts") {
    const std::vector<Observation> history = {seen(0, 0, 5), seen(1, 0, 6), seen(2, 1000, 7),
                                              seen(3, 2000, 7), seen(4, 2000, 8)};
    CHECK(to_curve(history) == Curve{{0, 6}, {1, 7}, {2, 8}});
    CHECK(to_curve({}).empty());
}

TEST_CASE("the newest epoch is what stands at the end") {
    const std::vector<Observation> history = {seen(0, 0, 5, 0), seen(1, 1, 6, 0), seen(2, 2, 1, 1),
                                              seen(3, 3, 2, 1)};
    CHECK(newest_epoch(history).size() == 2);
    CHECK(newest_epoch(history).front().value == 1);
    CHECK(newest_epoch(std::span(history).first(2)).size() == 2);
    CHECK(newest_epoch({}).empty());
}

TEST_CASE("a thinned curve keeps its ends, its extremes and its order, and invents nothing") {
    CHECK(rc::check([] {
        const auto most = *rc::gen::inRange<std::size_t>(4, 50);
        const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-100, 100));
        Curve curve;
        for (std::size_t i = 0; i < values.size(); ++i)
            curve.push_back({static_cast<double>(i), static_cast<double>(values[i])});
        const Curve thin = thinned(curve, most);
        RC_ASSERT(thin.size() <= std::max(most, std::size_t{4}));
        if (curve.size() <= most) RC_ASSERT(thin == curve);
        if (curve.empty()) return;
        RC_ASSERT(thin.front() == curve.front());
        RC_ASSERT(thin.back() == curve.back());
        const auto by_tb = [](const Point& a, const Point& b) { return a.tb < b.tb; };
        RC_ASSERT(std::is_sorted(thin.begin(), thin.end(), by_tb));
        RC_ASSERT(std::includes(curve.begin(), curve.end(), thin.begin(), thin.end(), by_tb));
        const auto by_value = [](const Point& a, const Point& b) { return a.value < b.value; };
        RC_ASSERT(std::max_element(thin.begin(), thin.end(), by_value)->value ==
                  std::max_element(curve.begin(), curve.end(), by_value)->value);
        RC_ASSERT(std::min_element(thin.begin(), thin.end(), by_value)->value ==
                  std::min_element(curve.begin(), curve.end(), by_value)->value);
    }));
}
