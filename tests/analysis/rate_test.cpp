#include "analysis/rate.h"

#include "support.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::analysis;
using namespace wearout::analysis::test;

TEST_CASE("growth counts differences within epochs only") {
    const std::vector<Observation> history = {seen(0, 0, 10, 0), seen(1, 1000, 14, 0), seen(2, 3000, 2, 1),
                                              seen(3, 4000, 5, 1), seen(4, 9000, 5, 2)};
    const auto total = growth(history);
    REQUIRE(total);
    CHECK(total->first == 10);
    CHECK(total->last == 5);
    CHECK(total->grown == 4 + 3);
    CHECK(total->over == Bytes{2'000'000'000'000});
    CHECK(*total->per_tb == doctest::Approx(3.5));
}

TEST_CASE("growth is told without a rate while nothing was written, and not at all of nothing") {
    CHECK_FALSE(growth({}));
    const std::vector<Observation> one = {seen(0, 7, 10)};
    CHECK(growth(one)->grown == 0);
    CHECK_FALSE(growth(one)->per_tb);
    const std::vector<Observation> idle = {seen(0, 7, 10), seen(1, 7, 12)};
    CHECK(growth(idle)->grown == 2);
    CHECK_FALSE(growth(idle)->per_tb);
}

TEST_CASE("least squares give the textbook's numbers") {
    // Anscombe's first set (The American Statistician 27, 1973): y = 3.00 + 0.500 x, residual SD 1.237.
    const std::vector<Point> points = {{10, 8.04}, {8, 6.95}, {13, 7.58},  {9, 8.81}, {11, 8.33}, {14, 9.96},
                                       {6, 7.24},  {4, 4.26}, {12, 10.84}, {7, 4.82}, {5, 5.68}};
    const auto line = fit_line(points);
    REQUIRE(line);
    CHECK(line->slope == doctest::Approx(0.5001).epsilon(1e-4));
    CHECK(line->intercept == doctest::Approx(3.0001).epsilon(1e-4));
    CHECK(line->residual_sd == doctest::Approx(1.2366).epsilon(1e-4));
    CHECK(line->samples == 11);
    CHECK(line->degrees == 9);
}

TEST_CASE("there is no line through too few points, or straight up") {
    CHECK_FALSE(fit_line(std::vector<Point>{{0, 0}, {1, 1}}));
    CHECK_FALSE(fit_line(std::vector<Point>{{1, 0}, {1, 1}, {1, 2}}));
}

TEST_CASE("Student's t gives the table's quantiles") {
    CHECK(student_t(1, 0.95) == doctest::Approx(12.706).epsilon(1e-4));
    CHECK(student_t(9, 0.95) == doctest::Approx(2.262).epsilon(1e-3));
    CHECK(student_t(30, 0.99) == doctest::Approx(2.750).epsilon(1e-3));
}

TEST_CASE("the rate of an exact history is exact, whatever its epochs begin with") {
    CHECK(rc::check([] {
        const auto slope = *rc::gen::inRange<std::int64_t>(-1000, 1000);
        std::vector<Observation> history;
        std::uint64_t gb = 0;
        const auto epochs = *rc::gen::inRange<std::uint32_t>(1, 4);
        for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
            const auto level = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
            for (std::int64_t i = 0; i < 5; ++i, gb += 1000)
                history.push_back(seen(0, gb, level + slope * i, epoch));
        }
        const auto rate = growth_rate(history);
        RC_ASSERT(rate.has_value());
        RC_ASSERT(std::abs(rate->per_tb - static_cast<double>(slope)) < 1e-6);
        RC_ASSERT(rate->interval.low <= rate->per_tb);
        RC_ASSERT(rate->interval.high >= rate->per_tb);
        RC_ASSERT(rate->interval.high - rate->interval.low < 1e-3);
        RC_ASSERT(rate->samples == history.size());
    }));
}

TEST_CASE("the true rate lies in the interval as often as its confidence says") {
    constexpr unsigned seed = 4711;
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 40);
    int inside = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Observation> history;
        for (std::uint64_t i = 0; i < 12; ++i)
            history.push_back(
                seen(0, i * 1000, std::llround(100.0 * static_cast<double>(i) + noise(random))));
        const auto rate = growth_rate(history, 0.9);
        REQUIRE(rate);
        if (rate->interval.low <= 100 && 100 <= rate->interval.high) ++inside;
    }
    // Four standard deviations of the binomial distribution on both sides.
    const double share = static_cast<double>(inside) / rounds;
    CHECK(share == doctest::Approx(0.9).epsilon(4 * std::sqrt(0.9 * 0.1 / rounds) / 0.9));
}

TEST_CASE("there is no rate without written bytes or with too few points") {
    CHECK_FALSE(growth_rate({}));
    CHECK_FALSE(growth_rate(std::vector{seen(0, 0, 1), seen(1, 1000, 2)}));
    CHECK_FALSE(growth_rate(std::vector{seen(0, 5, 1), seen(1, 5, 2), seen(2, 5, 3), seen(3, 5, 4)}));
    CHECK_FALSE(growth_rate(std::vector{seen(0, 0, 1, 0), seen(1, 1000, 2, 0), seen(2, 2000, 1, 1)}));
}
