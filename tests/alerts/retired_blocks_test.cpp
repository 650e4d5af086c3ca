#include "alerts/retired_blocks.h"

#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::alerts;
using analysis::Observation;

namespace {

Observation seen(std::int64_t seconds, std::uint64_t tb, std::int64_t value, std::uint32_t epoch = 0) {
    return {WallTime(std::chrono::seconds(seconds)), {tb * 1'000'000'000'000U}, value, epoch};
}

std::optional<Alert> check(const std::vector<Observation>& history,
                           const std::optional<Alert>& previous = std::nullopt) {
    return retired_block_growth({"serial:X", RunId{4}, history}, previous);
}

/// As it comes back from the store.
Alert saved(const std::vector<Observation>& history, std::int64_t id = 9) {
    auto alert = check(history);
    REQUIRE(alert);
    alert->id = id;
    return *alert;
}

}  // namespace

TEST_CASE("grown blocks over the run's baseline are told: how many, since when, how fast") {
    const auto alert = check(
        {seen(100, 10, 12), seen(200, 11, 12), seen(300, 12, 13), seen(400, 14, 15), seen(500, 16, 15)});
    REQUIRE(alert);
    CHECK(alert->id == 0);
    CHECK(alert->drive_key == "serial:X");
    CHECK(alert->run == RunId{4});
    CHECK(alert->rule == "retired-block-growth");
    CHECK(alert->baseline == 12);
    CHECK(alert->value == 15);
    CHECK(alert->since == seen(300, 0, 0).time);
    CHECK(alert->updated == seen(500, 0, 0).time);
    CHECK(*alert->per_tb == doctest::Approx(3.0 / 6.0));
    CHECK_FALSE(alert->acknowledged);
    CHECK(alert->text == "3 more retired blocks (12 -> 15) since 1970-01-01 00:05:00, 0.5 per TB written");
}

TEST_CASE("blocks that were there when the run began are no growth") {
    CHECK_FALSE(check({seen(0, 0, 12)}));
    CHECK_FALSE(check({seen(0, 0, 12), seen(1, 50, 12)}));
}

TEST_CASE("a drive that does not tell raises nothing, and neither do factory bad blocks") {
    CHECK_FALSE(check({}));
    CHECK(retired_block_metric == Metric::retired_blocks);
    CHECK(retired_block_metric != Metric::factory_bad_blocks);
}

TEST_CASE("growth before anything was written has no rate") {
    const auto alert = check({seen(0, 5, 1), seen(1, 5, 2)});
    REQUIRE(alert);
    CHECK_FALSE(alert->per_tb);
    CHECK(alert->text == "1 more retired block (1 -> 2) since 1970-01-01 00:00:01");
}

TEST_CASE("it is told again only when it grows, in the same alert") {
    std::vector<Observation> history = {seen(0, 0, 12), seen(1, 1, 13)};
    const auto first = saved(history);
    CHECK_FALSE(check(history, first));
    history.push_back(seen(2, 9, 13));
    CHECK_FALSE(check(history, first));
    history.push_back(seen(3, 10, 14));
    const auto grown = check(history, first);
    REQUIRE(grown);
    CHECK(grown->id == first.id);
    CHECK(grown->value == 14);
    CHECK(grown->baseline == 12);
    CHECK(grown->since == first.since);
}

TEST_CASE("an acknowledged one opens again only when it grows further") {
    std::vector<Observation> history = {seen(0, 0, 12), seen(1, 1, 13)};
    auto previous = saved(history);
    previous.acknowledged = seen(2, 0, 0).time;
    history.push_back(seen(3, 2, 13));
    CHECK_FALSE(check(history, previous));
    history.push_back(seen(4, 3, 14));
    const auto again = check(history, previous);
    REQUIRE(again);
    CHECK(again->id == previous.id);
    CHECK_FALSE(again->acknowledged);
}

TEST_CASE("a fall restarts the baseline, and growth after it is an alert of its own") {
    std::vector<Observation> history = {seen(0, 0, 12), seen(1, 1, 20)};
    const auto before = saved(history);
    history.push_back(seen(2, 2, 0, 1));
    CHECK_FALSE(check(history, before));
    history.push_back(seen(3, 4, 1, 1));
    const auto after = check(history, before);
    REQUIRE(after);
    CHECK(after->id == 0);
    CHECK(after->baseline == 0);
    CHECK(after->value == 1);
    CHECK(after->since == seen(3, 0, 0).time);
    CHECK(*after->per_tb == doctest::Approx(0.5));
}

TEST_CASE("told sample by sample, each rise is saved once") {
    CHECK(rc::check([] {
        std::vector<Observation> history;
        std::optional<Alert> kept;
        std::int64_t value = *rc::gen::inRange<std::int64_t>(0, 50);
        std::int64_t rises = 0;
        std::int64_t saves = 0;
        const std::int64_t baseline = value;
        for (std::int64_t i = 0, count = *rc::gen::inRange(1, 40); i < count; ++i) {
            const auto step = i == 0 ? 0 : *rc::gen::element<std::int64_t>(0, 0, 1, 3);
            value += step;
            rises += step > 0 ? 1 : 0;
            history.push_back(seen(i, static_cast<std::uint64_t>(i), value));
            if (auto alert = check(history, kept)) {
                ++saves;
                alert->id = 5;
                if (*rc::gen::arbitrary<bool>()) alert->acknowledged = history.back().time;
                kept = alert;
            }
        }
        RC_ASSERT(saves == rises);
        RC_ASSERT(kept.has_value() == (value > baseline));
        if (kept) RC_ASSERT(kept->value == value);
        if (kept) RC_ASSERT(kept->baseline == baseline);
    }));
}
