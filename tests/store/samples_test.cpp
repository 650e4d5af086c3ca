#include "base/error.h"
#include "store/database.h"
#include "support.h"

#include <algorithm>
#include <map>
#include <memory>

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

const std::string key = some_drive().key;

struct World {
    Folder folder;
    std::unique_ptr<Store> store = open();
    RunId run;
    World() {
        store->remember_drive(some_drive(), false);
        run = store->add_run(key, some_spec(), checkpoint(0), at(0));
    }
    /// As after a restart of the daemon: nothing is remembered but what is in the file.
    void reopen() {
        store.reset();
        store = open();
    }

  private:
    [[nodiscard]] std::unique_ptr<Store> open() const {
        return std::make_unique<Store>(folder.file(), OpenMode::read_write);
    }
};

/// A sample as the naive model keeps it: everything, every time.
struct Taken {
    std::optional<RunId> run;
    Sample sample;
    Bytes drive_written;
};

const Reading* find(const std::vector<Reading>& readings, Metric metric) {
    const auto found =
        std::find_if(readings.begin(), readings.end(), [&](const auto& r) { return r.metric == metric; });
    return found == readings.end() ? nullptr : &*found;
}

/// What Store::series promises, worked out from every sample.
std::map<Metric, Series> model_series(const std::vector<Taken>& history, std::optional<RunId> run) {
    std::map<Metric, Series> all;
    for (std::size_t m = 0; m < metric_count; ++m) {
        const auto metric = static_cast<Metric>(m);
        Series series;
        series.metric = metric;
        std::uint32_t epoch = 0;
        const Reading* before = nullptr;
        const std::string* decoder = nullptr;
        std::optional<SeriesPoint> pending;
        for (const auto& taken : history) {
            const Reading* now = find(taken.sample.readings, metric);
            if (now == nullptr) continue;
            if (before != nullptr &&
                ((is_cumulative(metric) && now->value < before->value) || now->source != before->source ||
                 now->confidence != before->confidence || taken.sample.decoder != *decoder))
                ++epoch;
            before = now;
            decoder = &taken.sample.decoder;
            if (run && taken.run != run) continue;
            series.source = now->source;
            series.confidence = now->confidence;
            const SeriesPoint point{taken.sample.time, taken.run, taken.drive_written, now->value, epoch};
            auto& points = series.points;
            if (points.empty() || points.back().value != point.value || points.back().epoch != epoch) {
                if (pending && pending->epoch != epoch && pending->time != points.back().time)
                    points.push_back(*pending);
                points.push_back(point);
            }
            pending = point;
        }
        if (pending && pending->time != series.points.back().time) series.points.push_back(*pending);
        if (!series.points.empty()) all[metric] = series;
    }
    return all;
}

void check_series(const Store& store, const std::vector<Taken>& history, std::optional<RunId> run) {
    const auto model = model_series(history, run);
    const auto stored = store.series(key, run);
    RC_ASSERT(stored.size() == model.size());
    for (const auto& series : stored) {
        const auto& expected = model.at(series.metric);
        RC_ASSERT(series.source == expected.source);
        RC_ASSERT(series.confidence == expected.confidence);
        RC_ASSERT(series.points == expected.points);
        const auto alone = store.series(key, run, series.metric);
        RC_ASSERT(alone.size() == 1U);
        RC_ASSERT(alone.front().points == expected.points);
    }
}

std::vector<Reading> sorted(std::vector<Reading> readings) {
    std::sort(readings.begin(), readings.end(),
              [](const auto& a, const auto& b) { return a.metric < b.metric; });
    return readings;
}

Sample any_sample(std::int64_t seconds) {
    auto taken = sample(seconds);
    if (*rc::gen::inRange(0, 10) == 0) taken.decoder = *rc::gen::element<std::string>("a", "b");
    for (const auto metric : {Metric::retired_blocks, Metric::temperature_c, Metric::host_bytes_written}) {
        if (*rc::gen::inRange(0, 5) == 0) continue;
        const auto source = *rc::gen::weightedElement<std::string>({{9, "here"}, {1, "there"}});
        taken.readings.push_back(reading(metric, *rc::gen::inRange(0, 4), source));
    }
    if (*rc::gen::arbitrary<bool>()) taken.raw = *rc::gen::arbitrary<std::string>();
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
        taken.unknown.push_back({"attribute " + std::to_string(i), *rc::gen::element<std::string>("1", "2")});
    return taken;
}

/// Each sample, one by one, in the order in which they were taken.
void check_samples(const Store& store, const std::vector<Taken>& history, std::optional<RunId> run) {
    const auto stored = store.samples(key, run);
    auto next = stored.begin();
    for (const auto& taken : history) {
        if (run && taken.run != run) continue;
        RC_ASSERT(next != stored.end());
        RC_ASSERT(next->time == taken.sample.time);
        const auto sample = store.sample(*next++);
        RC_ASSERT(sample.time == taken.sample.time);
        RC_ASSERT(sample.raw == taken.sample.raw);
        RC_ASSERT(sample.readings == sorted(taken.sample.readings));
        RC_ASSERT(sample.decoder == taken.sample.decoder);
    }
    RC_ASSERT(next == stored.end());
}

}  // namespace

TEST_CASE("series, samples and raw answers are those of a store that keeps everything") {
    CHECK(rc::check([] {
        World world;
        const auto second = world.store->add_run(key, some_spec(), checkpoint(0), at(0));
        std::vector<Taken> history;
        Bytes written;
        for (int i = 0, count = *rc::gen::inRange(1, 30); i < count; ++i) {
            if (*rc::gen::inRange(0, 8) == 0) world.reopen();
            Taken taken;
            taken.run = *rc::gen::element<std::optional<RunId>>(std::nullopt, world.run, second);
            taken.sample = any_sample(i);
            if (taken.run == world.run) taken.sample.run_written = {*rc::gen::inRange<std::uint64_t>(0, 99)};
            written = std::max(written, taken.sample.run_written);
            taken.drive_written = written;
            world.store->add_sample(key, taken.run, taken.sample);
            history.push_back(std::move(taken));
        }
        for (const auto run : {std::optional<RunId>(), std::optional(world.run), std::optional(second)}) {
            check_series(*world.store, history, run);
            check_samples(*world.store, history, run);
        }

        const auto last = world.store->last_sample(key);
        RC_ASSERT(last->raw == history.back().sample.raw);
        RC_ASSERT(last->readings == sorted(history.back().sample.readings));
        RC_ASSERT(last->unknown == history.back().sample.unknown);
        for (const auto run : {world.run, second}) {
            const auto first = world.store->first_sample(run);
            const auto expected =
                std::find_if(history.begin(), history.end(), [&](const auto& t) { return t.run == run; });
            RC_ASSERT(first.has_value() == (expected != history.end()));
            if (!first) continue;
            RC_ASSERT(first->time == expected->sample.time);
            RC_ASSERT(first->raw == expected->sample.raw);
            RC_ASSERT(first->readings == sorted(expected->sample.readings));
        }
        std::vector<std::string> raws;
        world.store->raw_answers(key, [&](WallTime, const std::string& text) { raws.push_back(text); });
        std::vector<std::string> expected;
        for (const auto& taken : history)
            if (!taken.sample.raw.empty()) expected.push_back(taken.sample.raw);
        RC_ASSERT(raws == expected);
    }));
}

TEST_CASE("a sample comes back whole") {
    World world;
    Sample taken =
        sample(3, {reading(Metric::host_bytes_written, INT64_MAX), reading(Metric::temperature_c, -40)});
    taken.readings[0].confidence = Confidence::verified;
    taken.reason = SampleReason::pass;
    taken.run_written = {12345};
    taken.took = std::chrono::milliseconds(321);
    taken.raw = std::string("{\"a\":\0\xff}", 9);
    taken.unknown = {{"attribute 183 Unknown_Attribute", "2621443"}, {"attribute 184", ""}};
    taken.problem = "one checksum is wrong";
    world.store->add_sample(key, world.run, taken);
    const auto stored = world.store->last_sample(key);
    REQUIRE(stored);
    CHECK(stored->time == taken.time);
    CHECK(stored->reason == taken.reason);
    CHECK(stored->run_written == taken.run_written);
    CHECK(stored->took == taken.took);
    CHECK(stored->raw == taken.raw);
    CHECK(stored->readings == sorted(taken.readings));
    CHECK(stored->unknown == taken.unknown);
    CHECK(stored->problem == taken.problem);
    CHECK(stored->decoder == taken.decoder);
}

TEST_CASE("an epoch begins where values stop being comparable") {
    World world;
    auto take = [&, n = 0](Metric metric, std::int64_t value, std::string decoder = "d") mutable {
        auto taken = sample(n++, {reading(metric, value)});
        taken.decoder = std::move(decoder);
        world.store->add_sample(key, world.run, taken);
    };
    const auto epochs = [&](Metric metric) {
        std::vector<std::pair<std::int64_t, std::uint32_t>> all;
        const auto series = world.store->series(key, std::nullopt, metric);
        for (const auto& point : series.at(0).points)
            all.emplace_back(point.value, point.epoch);
        return all;
    };
    using Expected = std::vector<std::pair<std::int64_t, std::uint32_t>>;
    SUBCASE("a counter that falls") {
        for (const int value : {5, 7, 3, 3, 4})
            take(Metric::retired_blocks, value);
        CHECK(epochs(Metric::retired_blocks) == Expected{{5, 0}, {7, 0}, {3, 1}, {4, 1}});
    }
    SUBCASE("not a temperature that falls") {
        for (const int value : {40, 35, 36})
            take(Metric::temperature_c, value);
        CHECK(epochs(Metric::temperature_c) == Expected{{40, 0}, {35, 0}, {36, 0}});
    }
    SUBCASE("another decoder, for good") {
        take(Metric::retired_blocks, 5);
        take(Metric::retired_blocks, 5);
        take(Metric::retired_blocks, 5, "newer");
        world.reopen();
        take(Metric::retired_blocks, 6, "newer");
        take(Metric::retired_blocks, 6, "d");
        CHECK(epochs(Metric::retired_blocks) == Expected{{5, 0}, {5, 0}, {5, 1}, {6, 1}, {6, 2}});
    }
}

TEST_CASE("a drive that stops answering tells nothing, and goes on where it was") {
    World world;
    world.store->add_sample(key, world.run, sample(0, {reading(Metric::retired_blocks, 5)}));
    auto silent = sample(1);
    silent.problem = "smartctl timed out";
    silent.decoder = "";
    world.store->add_sample(key, world.run, silent);
    CHECK(world.store->last_sample(key)->readings.empty());
    CHECK(world.store->last_sample(key)->problem == silent.problem);
    CHECK(world.store->series(key).at(0).points.size() == 1);
    world.store->add_sample(key, world.run, sample(2, {reading(Metric::retired_blocks, 6)}));
    const auto points = world.store->series(key).at(0).points;
    REQUIRE(points.size() == 2);
    CHECK(points[1].value == 6);
    CHECK(points[1].epoch == 0);
}

TEST_CASE("the amount written counts all runs, and never falls after a crash") {
    World world;
    const auto second = world.store->add_run(key, some_spec(), checkpoint(0), at(0));
    world.store->commit(world.run, {checkpoint(10), {}, {}}, at(0));
    const auto take = [&](std::int64_t seconds, RunId run, std::uint64_t mib) {
        auto taken = sample(seconds, {reading(Metric::power_on_hours, seconds)});
        taken.run_written = {mib << 20U};
        world.store->add_sample(key, run, taken);
    };
    take(0, second, 1);
    take(1, second, 9);
    world.reopen();
    take(2, second, 7);
    take(3, second, 11);
    std::vector<std::uint64_t> written;
    const auto series = world.store->series(key);
    for (const auto& point : series.at(0).points)
        written.push_back(point.written.value >> 20U);
    CHECK(written == std::vector<std::uint64_t>{11, 19, 19, 21});
}

TEST_CASE("only what changes takes rows") {
    World world;
    for (int i = 0; i < 500; ++i) {
        auto taken =
            sample(i, {reading(Metric::retired_blocks, 5), reading(Metric::power_on_hours, i / 100)});
        taken.raw = "{\"the same\": true}";
        world.store->add_sample(key, world.run, taken);
    }
    Database behind(world.folder.file(), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    CHECK(behind.number("SELECT count(*) FROM sample") == 500);
    CHECK(behind.number("SELECT count(*) FROM reading") == 1 + 5);
    CHECK(behind.number("SELECT count(*) FROM raw_answer") == 1);
    CHECK(behind.number("SELECT count(*) FROM raw_keyframe") == 1);
}

TEST_CASE("keyframes are renewed each day, when the clock goes back, and when answers drift away") {
    World world;
    const auto keyframes = [&] {
        Database behind(world.folder.file(), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
        return behind.number("SELECT count(*) FROM raw_keyframe");
    };
    const auto take = [&](std::int64_t seconds, std::string text) {
        auto taken = sample(seconds);
        taken.raw = std::move(text);
        world.store->add_sample(key, world.run, taken);
        CHECK(world.store->last_sample(key)->raw == taken.raw);
    };
    std::string noise(20'000, ' ');
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = static_cast<char>('a' + fnv1a64(std::to_string(i)) % 26);
    constexpr std::int64_t day = 24 * 3600;
    take(0, noise + "0");
    take(day - 1, noise + "1");
    world.reopen();
    CHECK(keyframes() == 1);
    take(day, noise + "2");
    CHECK(keyframes() == 2);
    take(day - 60, noise + "3");
    CHECK(keyframes() == 3);
    std::reverse(noise.begin(), noise.end());
    take(day - 50, noise + "4");
    CHECK(keyframes() == 4);
    take(day - 40, noise + "5");
    CHECK(keyframes() == 4);
}

TEST_CASE("a raw answer that is damaged in the file is told, not given") {
    World world;
    for (int i = 0; i < 3; ++i) {
        auto taken = sample(i);
        taken.raw = "{\"a long enough text to be found again\": " + std::to_string(i) + "}";
        world.store->add_sample(key, world.run, taken);
    }
    const auto spoilt = [&](const char* sql) {
        Database(world.folder.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX).execute(sql);
        CHECK_THROWS_AS((void)world.store->last_sample(key), Failure);
    };
    SUBCASE("its frame") {
        spoilt("UPDATE raw_answer SET frame = x'28b52ffd00'");
    }
    SUBCASE("its size") {
        spoilt("UPDATE raw_answer SET size = size - 1");
    }
    SUBCASE("a vast size") {
        spoilt("UPDATE raw_answer SET size = -1");
    }
    SUBCASE("its keyframe") {
        spoilt("UPDATE raw_keyframe SET frame = (SELECT frame FROM raw_answer)");
    }
    world.reopen();
    CHECK_THROWS_AS(world.store->add_sample(key, world.run, sample(9)), StorageUnavailable);
}

TEST_CASE("another decoder of one metric is no new epoch for the others") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto epochs = [&](Metric metric) {
        return store.series(some_drive().key, {}, metric).front().points.back().epoch;
    };
    for (int i = 0; i < 6; ++i) {
        auto flash = reading(Metric::nand_bytes_written, 100 + i);
        auto host = reading(Metric::host_bytes_written, 10 + i);
        flash.decoder = i < 3 ? "log C0h 1" : "log C0h 2";
        host.decoder = "log 02h 1";
        auto taken = sample(i, {host, flash});
        // The page did not come this time.
        if (i == 4) taken.readings.pop_back();
        taken.decoder = i == 4 ? "log 02h 1" : "log 02h 1, log C0h";
        store.add_sample(some_drive().key, {}, taken);
    }
    CHECK(epochs(Metric::host_bytes_written) == 0);
    CHECK(epochs(Metric::nand_bytes_written) == 1);
}
