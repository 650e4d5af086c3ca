#include "support/faulty_rig.h"

using namespace wearout;
using namespace wearout::test;
using run::Progress;

namespace {

constexpr std::uint64_t units = 300;

Rig make_rig(std::uint64_t seed, Limits limits) {
    RunSpec spec = make_spec(0, units);
    spec.limits = limits;
    return Rig({{units * unit_bytes}, 512}, spec, seed);
}

Limits passes(std::uint32_t count) {
    Limits limits;
    limits.passes = count;
    return limits;
}

}  // namespace

TEST_CASE("a run ends at its time, flushed and saved, wherever it is then") {
    for (int ms = 5; ms < 400; ms += 13) {
        CAPTURE(ms);
        Limits limits;
        limits.active_time = std::chrono::milliseconds(ms);
        Rig rig = make_rig(1, limits);
        REQUIRE(rig.run_to_end() == RunState::finished);
        CHECK(rig.counters().active >= *limits.active_time);
        CHECK(rig.counters().active <= *limits.active_time + 20ms);
        CHECK(rig.journal.last.reason.starts_with("ran for"));
        if (rig.journal.last.phase == RunState::writing)
            CHECK(rig.journal.last.media.flushed_to == rig.journal.last.media.issued_to);
        rig.media.cut_power();
        rig.become_scan();
        REQUIRE(rig.run_to_end() == RunState::finished);
        CHECK(rig.counters().findings.total() == 0);
    }
}

TEST_CASE("time that a run is paused does not count") {
    Limits limits;
    limits.active_time = 100ms;
    Rig rig = make_rig(1, limits);
    rig.open(false);
    (void)rig.engine->work(20ms);
    rig.engine->pause();
    rig.clock.advance(1h);
    rig.engine->resume();
    REQUIRE(rig.work_on() == RunState::finished);
    CHECK(rig.counters().active < 130ms);
    CHECK(rig.clock.steady().time_since_epoch() > 1h);
}

TEST_CASE("a limit of bytes is kept to within a transfer") {
    for (std::uint64_t bytes = 1; bytes < 3 * units * unit_bytes; bytes += 99'999) {
        CAPTURE(bytes);
        Limits limits;
        limits.written = Bytes{bytes};
        Rig rig = make_rig(bytes, limits);
        REQUIRE(rig.run_to_end() == RunState::finished);
        CHECK(rig.counters().written.value >= bytes);
        CHECK(rig.counters().written.value < bytes + rig.spec.transfer_bytes);
        CHECK(rig.counters().findings.total() == 0);
    }
}

TEST_CASE("pause, resume, suspend and restart at random moments change nothing in the end") {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        Rig rig = make_rig(seed, passes(2));
        rig.open(false);
        while (!is_over(rig.engine->work(std::chrono::milliseconds(random() % 20)))) {
            const std::uint64_t order = random() % 6;
            if (order < 2) {
                rig.engine->pause();
                CHECK(rig.device->under_way == 0);
                CHECK(rig.journal.last.state == RunState::paused);
                CHECK_THROWS_AS(rig.engine->pause(), Failure);
                const std::uint64_t before = rig.device->submitted;
                CHECK(rig.engine->work(1s) == RunState::paused);
                CHECK(rig.device->submitted == before);
                if (order == 1) {
                    rig.memory->cut_power();
                    rig.open(true);
                    CHECK(rig.engine->work(1s) == RunState::paused);
                }
                rig.engine->resume();
                CHECK(rig.journal.last.state == rig.journal.last.phase);
            } else if (order == 2) {
                const RunState state = rig.engine->progress().checkpoint.state;
                rig.engine->suspend();
                CHECK(rig.device->under_way == 0);
                CHECK(rig.journal.last.state == state);
                if (state == RunState::writing)
                    CHECK(rig.journal.last.media.flushed_to == rig.engine->progress().position);
                if (random() % 2 == 0) {
                    rig.memory->cut_power();
                    rig.open(true);
                }
            }
        }
        CHECK(rig.counters().written.value == 2 * rig.range_bytes());
        CHECK(rig.counters().verified.value == 2 * rig.range_bytes());
        CHECK(rig.counters().findings.total() == 0);
        CHECK(rig.journal.passes.size() == 4);
        CHECK(holds(rig, 2));
    }
}

TEST_CASE("a stop at a random moment leaves a drive of which everything is known") {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        Rig rig = make_rig(seed, {});
        rig.open(false);
        (void)rig.engine->work(std::chrono::milliseconds(random() % 700));
        if (random() % 4 == 0) rig.engine->pause();
        rig.engine->stop("by the user");
        CHECK(rig.engine->work(1s) == RunState::stopped);
        CHECK(rig.journal.last.state == RunState::stopped);
        CHECK(rig.journal.last.reason == "by the user");
        CHECK(rig.journal.last.media.flushed_to == rig.journal.last.media.issued_to);
        CHECK_THROWS_AS(rig.engine->resume(), Failure);
        CHECK_THROWS_AS(rig.engine->pause(), Failure);
        CHECK_THROWS_AS(rig.engine->stop("again"), Failure);
        rig.media.cut_power();
        rig.become_scan();
        REQUIRE(rig.run_to_end() == RunState::finished);
        CHECK(rig.counters().findings.total() == 0);
    }
}

TEST_CASE("a limit that the caller sees finishes the run") {
    Rig rig = make_rig(1, {});
    rig.open(false);
    (void)rig.engine->work(20ms);
    rig.engine->finish("the drive reports 100 % used");
    CHECK(rig.engine->work(1ms) == RunState::finished);
    CHECK(rig.journal.last.state == RunState::finished);
    CHECK(rig.journal.last.reason == "the drive reports 100 % used");
}

TEST_CASE("a stop in the middle of a bad stretch accounts for every byte that was issued") {
    std::uint64_t in_the_middle = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        FaultyRig faulty(2000, 1, seed);
        faulty.rig.open(false);
        // Good and bad transfers by turns, so that some are always about to be looked into.
        for (std::uint64_t unit = 100; unit < 2000; unit += 64)
            faulty.break_sectors(block::FaultKind::write_error, unit * sectors_per_unit + 3, 100);
        (void)faulty.rig.engine->work(std::chrono::milliseconds(20 + seed));
        const Progress before = faulty.rig.engine->progress();
        faulty.rig.engine->stop("by the user");
        const Checkpoint& last = faulty.rig.journal.last;
        REQUIRE(last.state == RunState::stopped);
        CHECK(last.media.flushed_to == last.media.issued_to);
        CHECK(last.counters.written.value + faulty.sectors(FindingClass::write_error) * sector_bytes ==
              last.media.issued_to * unit_bytes);
        std::uint64_t unknown = 0;
        for (const UnitRange& range : last.media.unknown)
            unknown += range.count * sectors_per_unit;
        CHECK(unknown >= faulty.sectors(FindingClass::write_error));
        if (before.position < last.media.issued_to) ++in_the_middle;
    }
    CHECK(in_the_middle > 20);
}

TEST_CASE("the rate limit holds for writing and for reading") {
    RunSpec spec = make_spec(0, 2000);
    spec.limits.passes = 1;
    spec.bytes_per_second = 4'000'000;
    Rig rig({{2000 * unit_bytes}, 512}, spec);
    rig.device_options.service_time = 10us;
    REQUIRE(rig.run_to_end() == RunState::finished);
    const double seconds = std::chrono::duration<double>(rig.clock.steady().time_since_epoch()).count();
    CHECK(seconds == doctest::Approx(2.0 * 2000 * unit_bytes / 4e6).epsilon(0.1));
}

TEST_CASE("progress tells the place, the rate and the sums of this moment") {
    Rig rig({{20'000 * unit_bytes}, 512}, make_spec(0, 20'000));
    rig.open(false);
    for (int i = 0; i < 100; ++i)
        (void)rig.engine->work(10ms);
    const run::Progress progress = rig.engine->progress();
    CHECK(progress.checkpoint.state == RunState::writing);
    CHECK(progress.positions == 20'000);
    CHECK(progress.position > 7000);
    CHECK(progress.position * unit_bytes <= progress.written.value);
    CHECK(progress.bytes_per_second == doctest::Approx(8.0 * unit_bytes * 1000).epsilon(0.05));
    CHECK(progress.written.value >= progress.position * unit_bytes);
    CHECK(progress.written.value >= rig.counters().written.value);
    rig.engine->pause();
    CHECK(rig.engine->progress().bytes_per_second == 0);
}

TEST_CASE("a clock that stands still does not hold the caller") {
    RunSpec spec = make_spec(0, 200'000);
    Rig rig({{20'000'588'955'648}, 512}, spec);
    rig.device_options.service_time = 0ns;
    rig.spec.range = {{0}, 1'000'000'000};
    rig.open(false);
    CHECK(rig.engine->work(1s) == RunState::writing);
    CHECK(rig.engine->progress().position < 200'000);
}
