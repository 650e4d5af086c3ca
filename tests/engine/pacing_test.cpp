#include "run/pacing.h"

#include "base/types.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::run;
using namespace std::chrono_literals;

TEST_CASE("a rate is that of the last few seconds") {
    ManualClock clock;
    RateMeter meter;
    CHECK(meter.per_second() == 0);
    std::uint64_t total = 0;
    for (int i = 0; i < 1000; ++i) {
        meter.update(clock.steady(), total);
        clock.advance(10ms);
        total += 1000;
    }
    CHECK(meter.per_second() == doctest::Approx(100'000).epsilon(0.01));
    for (int i = 0; i < 600; ++i) {
        meter.update(clock.steady(), total);
        clock.advance(10ms);
    }
    CHECK(meter.per_second() == doctest::Approx(0));
}

TEST_CASE("a clock that stands still gives no rate") {
    RateMeter meter;
    ManualClock clock;
    meter.update(clock.steady(), 0);
    meter.update(clock.steady(), 1'000'000);
    CHECK(meter.per_second() == 0);
}

TEST_CASE("a rate limit is kept over time, whatever the pieces") {
    for (const std::uint64_t piece : {512U, 4096U, 1U << 20U}) {
        ManualClock clock;
        RateLimit limit(1'000'000);
        const SteadyTime begin = clock.steady();
        std::uint64_t sent = 0;
        while (sent < 20'000'000) {
            clock.advance(limit.wait(clock.steady()));
            limit.spend(piece);
            sent += piece;
        }
        const double seconds = std::chrono::duration<double>(clock.steady() - begin).count();
        CHECK(seconds == doctest::Approx(20).epsilon(0.1));
    }
    RateLimit none(std::nullopt);
    none.spend(1U << 30U);
    CHECK(none.wait(SteadyTime{}) == 0ns);
}

TEST_CASE("issued_to moves ahead by time, within bounds and in whole transfers") {
    const std::uint32_t transfer = 1U << 20U;
    CHECK(units_ahead(0, 2s, transfer, 16) == 4 * 16 * 256);
    CHECK(units_ahead(500e6, 2s, transfer, 16) == (1'000'000'000 + transfer - 1) / transfer * 256);
    CHECK(units_ahead(1e15, 2s, transfer, 16) == (16ULL << 30U) / unit_bytes);
    CHECK(units_ahead(12345.6, 2s, 3 * unit_bytes, 1) % 3 == 0);
}
