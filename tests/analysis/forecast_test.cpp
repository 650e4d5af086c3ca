#include "analysis/forecast.h"

#include "support.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::analysis;
using namespace wearout::analysis::test;

namespace {

/// What percentage_used says, read each `step_gb`, of a drive whose every percent takes `gb_per_percent`.
std::vector<Observation> worn(double gb_per_percent, std::uint64_t until_gb, std::uint64_t step_gb) {
    std::vector<Observation> history;
    for (std::uint64_t gb = 0; gb <= until_gb; gb += step_gb)
        history.push_back(seen(static_cast<std::int64_t>(gb), gb,
                               static_cast<std::int64_t>(static_cast<double>(gb) / gb_per_percent)));
    return history;
}

Forecast expect(const std::vector<Observation>& history, const ForecastOptions& options = {}) {
    const auto result = forecast(history, options);
    if (const auto* none = std::get_if<NoForecast>(&result)) FAIL(none->reason);
    return std::get<Forecast>(result);
}

std::string reason(const std::vector<Observation>& history, const ForecastOptions& options = {}) {
    const auto result = forecast(history, options);
    const auto* none = std::get_if<NoForecast>(&result);
    return none == nullptr ? "a forecast" : none->reason;
}

}  // namespace

TEST_CASE("an even wear is continued to its end") {
    const auto found = expect(worn(3060, 60'000, 10));
    CHECK(found.tbw_at_end == doctest::Approx(306).epsilon(0.01));
    CHECK(found.low < 306);
    CHECK(found.high > 306);
    CHECK(found.high - found.low < 40);
    CHECK(found.confidence == 0.95);
    CHECK(found.method == "linear");
    CHECK(found.samples == 19);
}

TEST_CASE("the interval narrows as more is seen") {
    double before = INFINITY;
    for (const std::uint64_t gb : {20'000U, 60'000U, 150'000U, 300'000U}) {
        const auto found = expect(worn(3060, gb, 10));
        CHECK(found.high - found.low < before);
        before = found.high - found.low;
    }
}

TEST_CASE("life left falls to its end in the same way") {
    auto history = worn(3060, 60'000, 10);
    for (auto& observation : history)
        observation.value = 100 - observation.value;
    const auto found = expect(history, {.end = 0, .direction = Direction::falling});
    CHECK(found.tbw_at_end == doctest::Approx(306).epsilon(0.01));
    CHECK(expect(history, {.end = 10, .direction = Direction::falling}).tbw_at_end ==
          doctest::Approx(0.9 * 306).epsilon(0.01));
}

TEST_CASE("the true end lies in the interval, wherever the drive's readings fall") {
    CHECK(rc::check([] {
        const double gb_per_percent = *rc::gen::inRange(200, 30'000);
        const auto percent = *rc::gen::inRange(6, 95);
        const auto until = static_cast<std::uint64_t>(gb_per_percent * percent);
        const auto history = worn(gb_per_percent, until, *rc::gen::inRange<std::uint64_t>(1, 100));
        const auto result = forecast(history, {});
        RC_ASSERT(std::holds_alternative<Forecast>(result));
        const auto& found = std::get<Forecast>(result);
        const double truth = gb_per_percent * 100 / 1000;
        RC_ASSERT(found.low <= truth);
        RC_ASSERT(truth <= found.high);
        RC_ASSERT(found.low <= found.tbw_at_end);
        RC_ASSERT(found.tbw_at_end <= found.high);
        RC_ASSERT(found.low >= terabytes(history.back().written));
    }));
}

TEST_CASE("the interval holds the truth about as often as it says when the wear is uneven") {
    constexpr unsigned seed = 1234;
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 60);
    int inside = 0;
    constexpr int rounds = 1000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Observation> history;
        for (std::uint64_t i = 0; i < 30; ++i)
            history.push_back(
                seen(0, i * 1000, std::llround(1000.0 * static_cast<double>(i) + noise(random))));
        const auto result = forecast(history, {.end = 60'000});
        REQUIRE(std::holds_alternative<Forecast>(result));
        const auto& found = std::get<Forecast>(result);
        // The end is where a further, equally uneven value would meet it.
        const double end = 60 + noise(random) / 1000;
        if (found.low <= end && end <= found.high) ++inside;
    }
    const double share = static_cast<double>(inside) / rounds;
    MESSAGE("inside: " << share);
    CHECK(share > 0.92);
    CHECK(share < 0.98);
}

TEST_CASE("an end that lies in the past is told as it was") {
    const auto found = expect(worn(3060, 400'000, 10));
    CHECK(found.method == "observed");
    CHECK(found.tbw_at_end == doctest::Approx(306));
    CHECK(found.high == found.tbw_at_end);
    CHECK(found.low == doctest::Approx(305.99));
}

TEST_CASE("a counter that stood at its end from the first reading says nothing of when") {
    const std::vector<Observation> late = {seen(0, 0, 120), seen(1, 1000, 121)};
    const auto answer = forecast(late, ForecastOptions{});
    REQUIRE(std::holds_alternative<NoForecast>(answer));
    CHECK(std::get<NoForecast>(answer).reason == "it stood at its end, 120, when it was first read");
}

TEST_CASE("there is a reason where there is no forecast") {
    CHECK(reason({}).find("does not tell") != std::string::npos);
    CHECK(reason(worn(3060, 3000, 10)).find("no wear seen yet: it stands at 0 after 3 TB") !=
          std::string::npos);
    CHECK(reason(worn(3060, 10'000, 10)).find("moved 3 times, 4 are needed") != std::string::npos);
    const std::vector<Observation> back = {seen(0, 0, 50),    seen(1, 1000, 49), seen(2, 2000, 48),
                                           seen(3, 3000, 47), seen(4, 4000, 46), seen(5, 5000, 45)};
    CHECK(reason(back).find("does not move towards its end") != std::string::npos);
    const std::vector<Observation> wild = {seen(0, 0, 50),   seen(1, 1000, 10), seen(2, 2000, 60),
                                           seen(3, 3000, 5), seen(4, 4000, 70), seen(5, 5000, 20)};
    CHECK(reason(wild).find("told from chance") != std::string::npos);
}

TEST_CASE("only the newest epoch is continued") {
    auto history = worn(100, 4000, 10);
    for (const auto& later : worn(3060, 60'000, 10)) {
        auto shifted = later;
        shifted.written += Bytes{4'000'000'000'000};
        shifted.epoch = 1;
        history.push_back(shifted);
    }
    CHECK(expect(history).tbw_at_end == doctest::Approx(310).epsilon(0.01));
}
