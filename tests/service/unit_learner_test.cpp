#include "service/unit_learner.h"

#include "health/health_source.h"
#include "support/scratch_dir.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace wearout;
using namespace wearout::service;

namespace {

constexpr std::int64_t mib32 = 1 << 25;

/// A drive whose attribute 241 counts in 32 MiB, read while a run writes to it.
struct Watched {
    explicit Watched(std::string family) : family_(std::move(family)) {
        Drive drive;
        drive.key = "serial:X:1";
        drive.model = "X";
        drive.serial = "1";
        store.remember_drive(drive, true);
        RunSpec spec;
        spec.profile = "endurance";
        run = *store.run(store.add_run(drive.key, spec, {}, {}));
    }

    [[nodiscard]] Sample next(SampleReason reason = SampleReason::periodic) {
        Sample sample;
        sample.time = WallTime(std::chrono::minutes(5) * ++samples_);
        sample.reason = reason;
        sample.run_written = Bytes{samples_ * 20'000'000'000U};
        const auto raw = static_cast<std::int64_t>(sample.run_written.value) / mib32 + 1000;
        sample.raw = fmt::format(
            R"({{"smartctl": {{"version": [7, 3], "exit_status": 0}}, "device": {{"protocol": "ATA"}},
                "model_name": "X"{}, "logical_block_size": 512, "power_on_time": {{"hours": 100000}},
                "ata_smart_attributes": {{"table": [{{"id": 241, "name": "Total_LBAs_Written", "value": 99,
                "raw": {{"value": {}, "string": "{}"}}}}]}}}})",
            family_, raw, raw);
        const auto answer = health::decode({.text = sample.raw, .problem = {}});
        sample.readings = answer.readings;
        sample.decoder = answer.decoder;
        return sample;
    }
    void take(Sample sample) {
        learner.complete(sample);
        store.add_sample("serial:X:1", run.id, sample);
        learner.learn(sample);
    }

    test::ScratchDir folder;
    store::Store store{folder.path() + "/w.db", store::OpenMode::read_write};
    store::StoredRun run;
    UnitLearner learner{store, run};

  private:
    std::string family_;
    std::uint64_t samples_ = 0;
};

std::optional<Reading> host_bytes(const Sample& sample) {
    const auto found = std::ranges::find(sample.readings, Metric::host_bytes_written, &Reading::metric);
    return found == sample.readings.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TEST_CASE("a counter of no known drive gets its unit from what was written, and counts from then on") {
    Watched watched("");
    Sample first = watched.next();
    watched.learner.complete(first);
    CHECK_FALSE(host_bytes(first));
    for (int i = 0; i < 40; ++i)
        watched.take(watched.next());
    const auto units = watched.store.counter_units("serial:X:1");
    REQUIRE(units.size() == 1);
    CHECK(units.front().field == "attribute 241 Total_LBAs_Written");
    CHECK(units.front().verdict == CounterVerdict::learnt);
    CHECK(units.front().step == mib32);
    auto sample = watched.next();
    watched.learner.complete(sample);
    const auto reading = host_bytes(sample);
    REQUIRE(reading);
    CHECK(reading->confidence == Confidence::learnt);
    CHECK(reading->value % mib32 == 0);
    CHECK(reading->value > static_cast<std::int64_t>(sample.run_written.value));
    // It is known at once when the next run on the drive begins.
    UnitLearner again(watched.store, watched.run);
    auto later = watched.next();
    again.complete(later);
    CHECK(host_bytes(later));
}

TEST_CASE("a catalogue that is wrong about a drive is contradicted with the evidence, and not followed") {
    // Listed as a Samsung, whose attribute counts sectors.
    Watched watched(R"(, "in_smartctl_database": true, "model_family": "Samsung based SSDs")");
    REQUIRE(host_bytes(watched.next()));
    CHECK(host_bytes(watched.next())->confidence != Confidence::learnt);
    for (int i = 0; i < 40; ++i)
        watched.take(watched.next());
    const auto units = watched.store.counter_units("serial:X:1");
    REQUIRE(units.size() == 1);
    CHECK(units.front().verdict == CounterVerdict::contradicts);
    CHECK(units.front().catalogue_step == 512);
    CHECK(units.front().step == mib32);
    CHECK(units.front().grown > 10'000);
    auto sample = watched.next();
    watched.learner.complete(sample);
    CHECK(host_bytes(sample)->confidence == Confidence::learnt);
    CHECK(std::ranges::count(sample.readings, Metric::host_bytes_written, &Reading::metric) == 1);
}

TEST_CASE("a run that is too short says nothing, and undoes nothing") {
    Watched watched("");
    for (int i = 0; i < 40; ++i)
        watched.take(watched.next());
    RunSpec spec;
    spec.profile = "quick";
    const auto next = *watched.store.run(watched.store.add_run("serial:X:1", spec, {}, {}));
    UnitLearner learner(watched.store, next);
    auto sample = watched.next(SampleReason::end);
    watched.store.add_sample("serial:X:1", next.id, sample);
    learner.learn(sample);
    CHECK(watched.store.counter_units("serial:X:1").front().verdict == CounterVerdict::learnt);
}
