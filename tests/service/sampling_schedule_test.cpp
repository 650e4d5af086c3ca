#include "service/sampling_schedule.h"

#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

using Outcome = SamplingOutcome;

/// A drive that is asked for some time by a schedule, each question taking `took`.
struct AskedDrive {
    AskedDrive(SamplingSchedule::Settings settings, std::chrono::nanoseconds question)
        : schedule(std::move(settings), clock.steady()), took(question) {}

    /// Goes to the next question and answers it; gives when it was asked.
    SteadyTime ask(Outcome outcome) {
        if (schedule.next() > clock.steady()) clock.advance(schedule.next() - clock.steady());
        const auto at = clock.steady();
        reason = schedule.begin(at);
        clock.advance(took);
        schedule.end(outcome, clock.steady(), took);
        return at;
    }

    ManualClock clock;
    SamplingSchedule schedule;
    std::chrono::nanoseconds took;
    SampleReason reason{};
};

}  // namespace

TEST_CASE("24 drives over a day: spread by a tenth around the interval, never many in one second") {
    std::multiset<std::int64_t> seconds;
    for (int drive = 0; drive < 24; ++drive) {
        AskedDrive one({5min, 1s, fmt::format("wwn:500{:02}", drive)}, 40ms);
        auto last = one.ask(Outcome::answered);
        CHECK(last >= SteadyTime(150s));
        CHECK(last < SteadyTime(300s));
        int count = 1;
        for (; last < SteadyTime(24h); ++count) {
            const auto at = one.ask(Outcome::answered);
            CHECK(at - last >= 270s);
            CHECK(at - last <= 330s);
            seconds.insert(std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count());
            last = at;
        }
        CHECK(count > 280);
        CHECK(count < 297);
    }
    std::size_t most = 0;
    for (const auto second : seconds)
        most = std::max(most, seconds.count(second));
    CHECK(most <= 6);
}

TEST_CASE(
    "the same drive is asked at the same moments, another at others, one with no key exactly at the "
    "interval") {
    AskedDrive one({5min, 0ms, "wwn:1"}, 0ms);
    AskedDrive again({5min, 0ms, "wwn:1"}, 0ms);
    AskedDrive other({5min, 0ms, "wwn:2"}, 0ms);
    AskedDrive exact({5min, 0ms, ""}, 0ms);
    for (int i = 1; i < 20; ++i) {
        const auto at = one.ask(Outcome::answered);
        CHECK(at == again.ask(Outcome::answered));
        CHECK(at != other.ask(Outcome::answered));
        CHECK(exact.ask(Outcome::answered) == SteadyTime(i * 5min));
    }
}

TEST_CASE("runs that go on together do not ask their drives together") {
    std::set<SteadyTime> moments;
    for (int drive = 0; drive < 24; ++drive) {
        SamplingSchedule schedule({5min, 1s, fmt::format("serial:X:{}", drive)}, SteadyTime{});
        schedule.request_soon(SampleReason::start, SteadyTime{});
        CHECK(schedule.next() >= SteadyTime{});
        CHECK(schedule.next() <= SteadyTime(10s));
        moments.insert(schedule.next());
    }
    CHECK(moments.size() == 24);
    CHECK(*moments.rbegin() - *moments.begin() > 5s);
}

TEST_CASE("each failure doubles the interval up to the bound, and the first answer ends that") {
    struct Row {
        std::chrono::milliseconds interval;
        std::vector<std::chrono::milliseconds> then;
    };
    const std::vector<Row> rows = {{5min, {10min, 20min, 40min, 40min, 40min}},
                                   {10min, {20min, 40min, 60min, 60min}},
                                   {1s, {2s, 4s, 8s, 8s}},
                                   {45min, {60min, 60min}},
                                   {168h, {168h, 168h}}};
    for (const auto& row : rows) {
        AskedDrive drive({row.interval, 0ms, ""}, 0ms);
        auto last = drive.ask(Outcome::failed);
        for (const auto expected : row.then) {
            CHECK(drive.schedule.interval() == expected);
            const auto at = drive.ask(Outcome::failed);
            CHECK(at - last == expected);
            last = at;
        }
        last = drive.ask(Outcome::answered);
        CHECK(drive.schedule.failures() == 0);
        CHECK(drive.ask(Outcome::answered) - last == row.interval);
    }
}

TEST_CASE("a drive that sleeps has not failed") {
    AskedDrive drive({5min, 0ms, ""}, 0ms);
    for (int i = 1; i < 10; ++i)
        CHECK(drive.ask(Outcome::asleep) == SteadyTime(i * 5min));
    CHECK(drive.schedule.failures() == 0);
}

TEST_CASE("passes that end fast keep a drive that times out busy for a tenth of the time at most") {
    AskedDrive drive({5min, 1s, "wwn:1"}, 2min);
    std::chrono::nanoseconds asking{0};
    int pass_samples = 0;
    while (drive.clock.steady() < SteadyTime(24h)) {
        drive.schedule.request(SampleReason::pass, drive.clock.steady());
        drive.ask(Outcome::failed);
        asking += drive.took;
        if (drive.reason == SampleReason::pass) ++pass_samples;
    }
    CHECK(asking <= 144min);
    CHECK(pass_samples > 10);  // They are still tried.
}

TEST_CASE("a run's last question is asked at once, whatever came before") {
    AskedDrive drive({5min, 1s, "wwn:1"}, 2min);
    drive.ask(Outcome::failed);
    drive.schedule.request(SampleReason::pass, drive.clock.steady());
    CHECK(drive.schedule.next() == drive.clock.steady() + 20min);
    drive.schedule.request(SampleReason::end, drive.clock.steady());
    CHECK(drive.schedule.next() == drive.clock.steady() + 1s);
}

TEST_CASE("another way to ask begins without the failures of the one before") {
    AskedDrive drive({5min, 0ms, ""}, 0ms);
    drive.ask(Outcome::failed);
    drive.schedule.forget_failures();
    CHECK(drive.schedule.interval() == 5min);
}
