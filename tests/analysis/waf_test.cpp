#include "analysis/waf.h"

#include "support.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::analysis;
using namespace wearout::analysis::test;

TEST_CASE("amplification since the start and over the whole life") {
    const std::vector<Observation> nand = {seen(0, 0, 1000), seen(1, 1, 1150), seen(2, 2, 1300)};
    const std::vector<Observation> host = {seen(0, 0, 500), seen(1, 1, 600), seen(2, 2, 700)};
    const auto waf = write_amplification(nand, host);
    CHECK(*waf.since_start == doctest::Approx(1.5));
    CHECK(*waf.lifetime == doctest::Approx(1300.0 / 700.0));
}

TEST_CASE("a drive that compresses stays below one") {
    const auto waf = write_amplification(std::vector{seen(0, 0, 501), seen(1, 1, 541)},
                                         std::vector{seen(0, 0, 700), seen(1, 1, 800)});
    CHECK(*waf.since_start == doctest::Approx(0.4));
    CHECK(*waf.lifetime == doctest::Approx(541.0 / 800.0));
}

TEST_CASE("a value holds until the next, so that histories need not share their moments") {
    const std::vector<Observation> nand = {seen(0, 0, 0), seen(5, 5, 50), seen(10, 10, 50)};
    const std::vector<Observation> host = {seen(0, 0, 0), seen(3, 3, 20), seen(10, 10, 40)};
    CHECK(*write_amplification(nand, host).since_start == doctest::Approx(1.25));
    // The host's counter was first told later: only from there on can they be compared.
    CHECK(*write_amplification(nand, std::span(host).subspan(1)).since_start == doctest::Approx(2.5));
}

TEST_CASE("what can't be known is absent") {
    const std::vector<Observation> some = {seen(0, 0, 100), seen(1, 1, 200)};
    CHECK_FALSE(write_amplification(some, {}).since_start);
    CHECK_FALSE(write_amplification({}, some).lifetime);
    const std::vector<Observation> still = {seen(0, 0, 100), seen(1, 1, 100)};
    CHECK_FALSE(write_amplification(some, still).since_start);
    CHECK(write_amplification(some, still).lifetime);
    const std::vector<Observation> none = {seen(0, 0, 0), seen(1, 1, 0)};
    CHECK_FALSE(write_amplification(some, none).lifetime);
}

TEST_CASE("a counter that fell no longer holds the whole life") {
    const std::vector<Observation> wrapped = {seen(0, 0, 4000, 0), seen(1, 1, 10, 1), seen(2, 2, 30, 1)};
    const std::vector<Observation> whole = {seen(0, 0, 4000), seen(1, 1, 4010), seen(2, 2, 4020)};
    const auto waf = write_amplification(wrapped, whole);
    CHECK(*waf.since_start == doctest::Approx(2.0));
    CHECK_FALSE(waf.lifetime);
    // Another decoder starts an epoch too, but the totals still hold.
    const std::vector<Observation> renamed = {seen(0, 0, 4000, 0), seen(1, 1, 4010, 1), seen(2, 2, 4020, 1)};
    CHECK(write_amplification(whole, renamed).lifetime);
}

TEST_CASE("without a host counter the bytes that we wrote serve, and no lifetime is claimed") {
    const std::vector<Observation> nand = {seen(0, 0, 7), seen(1, 2, 3'000'000'007)};
    const auto waf = write_amplification(nand);
    CHECK(*waf.since_start == doctest::Approx(1.5));
    CHECK_FALSE(waf.lifetime);
    CHECK_FALSE(write_amplification({}).since_start);
    CHECK_FALSE(write_amplification(std::vector{seen(0, 5, 1), seen(1, 5, 9)}).since_start);
}

TEST_CASE("an exact ratio is found whatever the steps") {
    CHECK(rc::check([] {
        const auto factor = *rc::gen::inRange<std::int64_t>(1, 50);
        std::vector<Observation> nand;
        std::vector<Observation> host;
        std::int64_t value = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
        for (std::int64_t i = 0; i < 10; ++i) {
            host.push_back(seen(i, 0, value));
            nand.push_back(seen(i, 0, value * factor));
            value += *rc::gen::inRange<std::int64_t>(1, 1000);
        }
        const auto waf = write_amplification(nand, host);
        RC_ASSERT(*waf.since_start == static_cast<double>(factor));
        RC_ASSERT(*waf.lifetime == static_cast<double>(factor));
    }));
}

TEST_CASE("a counter in GiB says nothing of a few GB, and enough of a hundred") {
    constexpr std::int64_t gib = 1 << 30;
    const auto life = [](std::int64_t gibibytes) {
        const std::vector nand{seen(0, 0, 0), seen(1, 1, gibibytes / 2 * gib), seen(2, 2, gibibytes * gib)};
        const std::vector host{seen(0, 0, 0), seen(2, 2, gibibytes * gib + gib / 2 + 512)};
        return write_amplification(nand, host);
    };
    // The truth lies between 6 / 6.5 and 7 / 6.5.
    CHECK_FALSE(life(6).since_start);
    CHECK_FALSE(life(6).lifetime);
    CHECK(life(6).too_coarse);
    REQUIRE(life(101).since_start);
    CHECK(*life(101).since_start == doctest::Approx(1).epsilon(0.01));
    CHECK_FALSE(life(101).too_coarse);
}

TEST_CASE("a flash counter that stands still under writes is no amplification of nothing") {
    const std::vector nand{seen(0, 0, 5000), seen(1, 1, 5000)};
    const std::vector host{seen(0, 0, 100), seen(1, 1, 1'000'000)};
    CHECK_FALSE(write_amplification(nand, host).since_start);
}

TEST_CASE("amplification goes on over a reset of either counter, of which only the gap is lost") {
    const std::vector nand{seen(0, 0, 1000), seen(1, 1, 1300), seen(2, 2, 40, 1), seen(3, 3, 340, 1)};
    const std::vector host{seen(0, 0, 500), seen(1, 1, 600), seen(2, 2, 700), seen(3, 3, 800)};
    CHECK(*write_amplification(nand, host).since_start == doctest::Approx(3.0));
}

TEST_CASE("windows show where amplification changes") {
    std::vector<Observation> nand;
    std::vector<Observation> host;
    std::int64_t flashed = 0;
    for (std::int64_t i = 0; i <= 400; ++i) {
        host.push_back(seen(i, static_cast<std::uint64_t>(i), i * 1'000'000'007));
        nand.push_back(seen(i, static_cast<std::uint64_t>(i), flashed));
        flashed += (i < 200 ? 1 : 4) * 1'000'000'000LL;
    }
    const auto waf = write_amplification(nand, host);
    CHECK(waf.windows.size() == waf_windows);
    for (const auto& point : waf.windows)
        CHECK(point.value == doctest::Approx(point.tb <= 0.2 ? 1 : 4));
    CHECK(*waf.since_start == doctest::Approx(2.5));
    // Whatever the windows, together they hold the whole.
    CHECK(rc::check([] {
        std::vector<Observation> flash;
        std::vector<Observation> bytes;
        std::int64_t f = 0;
        std::int64_t b = 0;
        for (std::int64_t i = 0; i < *rc::gen::inRange<std::int64_t>(2, 200); ++i) {
            flash.push_back(seen(i, static_cast<std::uint64_t>(i), f));
            bytes.push_back(seen(i, static_cast<std::uint64_t>(i), b));
            const auto step = *rc::gen::inRange<std::int64_t>(1, 1000);
            b += step;
            f += step * *rc::gen::inRange<std::int64_t>(1, 9);
        }
        const auto all = write_amplification(flash, bytes);
        if (!all.since_start || all.windows.empty()) return;
        RC_ASSERT(all.windows.size() <= waf_windows + 1);
        const auto [low, high] = std::ranges::minmax_element(all.windows, {}, &Point::value);
        RC_ASSERT(low->value <= *all.since_start + 1);
        RC_ASSERT(high->value >= *all.since_start - 1);
    }));
}
