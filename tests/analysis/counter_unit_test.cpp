#include "analysis/counter_unit.h"

#include "support.h"

#include <random>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::analysis;
using namespace wearout::analysis::test;

namespace {

/// A drive's counter, and how it is read.
struct Habit {
    std::int64_t unit = 512;
    std::int64_t begin = 0;        ///< Its value when the run begins.
    std::uint64_t per_sample = 0;  ///< Bytes that we write between two readings, about.
    int readings = 100;
    int update_every = 1;  ///< It is brought up to date at each so-many-th reading.
};

std::vector<CounterPoint> observed(const Habit& habit, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<CounterPoint> points;
    std::uint64_t written = 0;
    const std::uint64_t rest = random() % static_cast<std::uint64_t>(habit.unit);
    std::int64_t told = habit.begin;
    for (int i = 0; i < habit.readings; ++i) {
        if (i % habit.update_every == 0)
            told = habit.begin +
                   static_cast<std::int64_t>((written + rest) / static_cast<std::uint64_t>(habit.unit));
        points.push_back({at(300 * i), {written}, told});
        written += habit.per_sample / 2 + random() % (habit.per_sample + 1);
    }
    return points;
}

CounterUnit of_catalogue(std::optional<std::int64_t> step) {
    CounterUnit unit;
    unit.field = "attribute 241 Total_LBAs_Written";
    unit.catalogue_step = step;
    return unit;
}

constexpr std::int64_t mib32 = 1 << 25;
constexpr std::int64_t gib = 1 << 30;

}  // namespace

TEST_CASE("a unit is learnt, confirmed or contradicted by what was written") {
    const auto points = observed({.unit = mib32, .begin = 77'000, .per_sample = 20'000'000'000}, 1);
    const auto learnt = learn_unit(points, of_catalogue({}));
    CHECK(learnt.verdict == CounterVerdict::learnt);
    CHECK(learnt.step == mib32);
    CHECK(learn_unit(points, of_catalogue(mib32)).verdict == CounterVerdict::agrees);
    const auto wrong = learn_unit(points, of_catalogue(512));
    CHECK(wrong.verdict == CounterVerdict::contradicts);
    CHECK(wrong.step == mib32);
    CHECK(wrong.bytes_per_step == doctest::Approx(33'554'432).epsilon(0.001));
    CHECK(evidence(wrong).find("33.6 MB a step") != std::string::npos);
}

TEST_CASE("GB and GiB are told apart once enough was written, and not before") {
    for (const auto unit : {std::int64_t{1'000'000'000}, gib}) {
        const Habit habit{.unit = unit, .begin = 5, .per_sample = 3'000'000'000, .readings = 200};
        const auto points = observed(habit, 4);
        CHECK(learn_unit(points, of_catalogue({})).step == unit);
        const auto other = unit == gib ? 1'000'000'000 : gib;
        CHECK(learn_unit(points, of_catalogue(other)).verdict == CounterVerdict::contradicts);
        const auto few = learn_unit(std::span(points).first(6), of_catalogue(other));
        CHECK(few.verdict == CounterVerdict::unsettled);
        CHECK_FALSE(few.step);
    }
}

TEST_CASE("a counter that is brought up to date once an hour is not misread, and its lateness is told") {
    const Habit habit{.unit = 512'000, .per_sample = 30'000'000'000, .readings = 12 * 30, .update_every = 12};
    const auto points = observed(habit, 9);
    const auto unit = learn_unit(points, of_catalogue(512'000));
    CHECK(unit.verdict == CounterVerdict::agrees);
    CHECK(unit.longest_still_time == std::chrono::minutes(55));
    CHECK(unit.longest_still.value > 200'000'000'000U);
    // In its first hours nothing is said.
    CHECK(learn_unit(std::span(points).first(30), of_catalogue(512)).verdict == CounterVerdict::unsettled);
}

TEST_CASE("a counter that does not move under writes stands still") {
    auto points = observed({.unit = gib, .per_sample = 10'000'000'000}, 2);
    for (auto& point : points)
        point.raw = 70;
    CHECK(learn_unit(points, of_catalogue(gib)).verdict == CounterVerdict::still);
    CHECK(learn_unit(points, of_catalogue({})).verdict == CounterVerdict::still);
    // Some counters are brought up to date once an hour only.
    CHECK(learn_unit(std::span(points).first(13), of_catalogue(512)).verdict == CounterVerdict::unsettled);
}

TEST_CASE("a counter of flash writes only moves: its growth is no unit") {
    auto points = observed({.unit = gib / 3, .per_sample = 10'000'000'000}, 2);
    auto nand = of_catalogue(gib);
    nand.metric = Metric::nand_bytes_written;
    CHECK(learn_unit(points, nand).verdict == CounterVerdict::moves);
    CHECK_FALSE(learn_unit(points, nand).step);
}

TEST_CASE("a fall of the counter begins anew, so that a wrap is no evidence") {
    auto points = observed({.unit = 512, .per_sample = 20'000'000'000}, 3);
    for (auto& point : points)
        point.raw %= INT64_C(1) << 30U;
    const auto unit = learn_unit(points, of_catalogue(512));
    CHECK(unit.verdict != CounterVerdict::contradicts);
}

TEST_CASE("whatever the unit, the pace and the lateness: no false learning, no false contradiction") {
    CHECK(rc::check([] {
        const auto known = known_units();
        const auto& truth = known[*rc::gen::inRange<std::size_t>(0, known.size())];
        Habit habit;
        habit.unit = truth.bytes;
        habit.begin = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
        habit.per_sample = *rc::gen::inRange<std::uint64_t>(1'000'000, 50'000'000'000);
        habit.readings = *rc::gen::inRange(2, 300);
        habit.update_every = *rc::gen::inRange(1, 13);
        const auto points = observed(habit, *rc::gen::arbitrary<std::uint64_t>());
        const auto confirmed = learn_unit(points, of_catalogue(truth.bytes));
        RC_ASSERT(confirmed.verdict == CounterVerdict::agrees ||
                  confirmed.verdict == CounterVerdict::unsettled);
        const auto learnt = learn_unit(points, of_catalogue({}));
        RC_ASSERT(learnt.verdict == CounterVerdict::learnt || learnt.verdict == CounterVerdict::unsettled);
        if (learnt.step) RC_ASSERT(*learnt.step == truth.bytes);
    }));
}
