#include "run/io_gaps.h"

#include "support/run_rig.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::run;
using namespace std::chrono_literals;

namespace {

struct Asked {
    ManualClock clock;
    IoGaps gaps;

    void work(std::chrono::milliseconds duration, std::chrono::microseconds gap) {
        for (const auto end = clock.steady() + duration; clock.steady() < end;) {
            clock.advance(gap);
            gaps.completed(clock.steady());
        }
    }
    void ask() { gaps.begin_question(clock.steady()); }
    std::optional<IoStall> answer() { return gaps.end_question(clock.steady()); }
};

}  // namespace

TEST_CASE("a gap while a question is open is held against the longest just before") {
    Asked disk;
    disk.work(5s, 1ms);
    disk.clock.advance(4ms);
    disk.work(5s, 1ms);
    disk.ask();
    disk.work(10ms, 1ms);
    disk.clock.advance(12ms);
    disk.gaps.completed(disk.clock.steady());
    disk.work(10ms, 1ms);
    const auto stall = disk.answer();
    REQUIRE(stall);
    CHECK(stall->longest == 12ms);
    CHECK(stall->usual == 5ms);
    CHECK(stall->caused() == 7ms);
}

TEST_CASE("a drive that was slow anyway is not blamed on the question") {
    Asked disk;
    disk.work(20s, 40ms);
    disk.ask();
    disk.work(400ms, 40ms);
    const auto stall = disk.answer();
    REQUIRE(stall);
    CHECK(stall->longest == 40ms);
    CHECK(stall->usual == 40ms);
    CHECK(stall->caused() == 0ms);
}

TEST_CASE("a gap that was open when the question came counts from then on, one still open until now") {
    Asked disk;
    disk.work(1s, 1ms);
    disk.clock.advance(500ms);
    disk.ask();
    disk.clock.advance(3ms);
    CHECK(disk.answer()->longest == 3ms);
}

TEST_CASE("what the run waits for by itself is no gap") {
    Asked disk;
    disk.work(1s, 1ms);
    disk.ask();
    disk.work(5ms, 1ms);
    disk.gaps.interrupted();
    disk.clock.advance(300ms);
    disk.work(5ms, 1ms);
    CHECK(disk.answer()->longest == 1ms);
}

TEST_CASE("without I/O before or during the question there is nothing to tell") {
    Asked idle;
    idle.ask();
    CHECK_FALSE(idle.answer());
    Asked paused;
    paused.work(1s, 1ms);
    paused.gaps.interrupted();
    paused.clock.advance(1min);
    paused.ask();
    paused.clock.advance(40ms);
    CHECK_FALSE(paused.answer());
    Asked first;
    first.ask();
    first.work(10ms, 1ms);
    CHECK_FALSE(first.answer());
}

TEST_CASE("a question's stall does not become what is usual for the next") {
    Asked disk;
    disk.work(5s, 1ms);
    disk.ask();
    disk.clock.advance(80ms);
    CHECK(disk.answer()->longest == 80ms);
    disk.clock.advance(80ms);
    disk.gaps.completed(disk.clock.steady());
    disk.work(5s, 1ms);
    disk.ask();
    disk.work(5ms, 1ms);
    CHECK(disk.answer()->usual == 1ms);
}

TEST_CASE("the engine tells of its completions, and not of the time that a checkpoint takes") {
    test::Rig rig({{64ULL << 20U}, 512}, test::make_spec(0, 8192));
    IoGaps gaps;
    rig.options.gaps = &gaps;
    rig.options.checkpoint_interval = 100ms;
    rig.open(false);
    rig.journal.fails = [&](std::uint64_t attempt) {
        if (attempt % 4 == 0) rig.clock.advance(200ms);  // The database is slow.
        return false;
    };
    rig.work_on(50);
    gaps.begin_question(rig.clock.steady());
    rig.work_on(50);
    CHECK(rig.journal.commits > 8);
    const auto stall = gaps.end_question(rig.clock.steady());
    REQUIRE(stall);
    CHECK(stall->longest >= 1ms);
    CHECK(stall->longest < 100ms);
    CHECK(stall->usual < 100ms);
}
