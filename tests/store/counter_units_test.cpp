#include "support.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

CounterUnit some_unit(std::string field) {
    CounterUnit unit;
    unit.field = std::move(field);
    unit.verdict = CounterVerdict::contradicts;
    unit.catalogue_step = 512;
    unit.step = 1 << 25;
    unit.bytes_per_step = 33'554'000.5;
    unit.low = 33'000'000;
    unit.high = 34'000'000;
    unit.written = {5'000'000'000'000};
    unit.grown = 149'011;
    unit.samples = 256;
    unit.longest_still = {40'000'000'000};
    unit.longest_still_time = std::chrono::minutes(55);
    unit.updated = at(99);
    return unit;
}

}  // namespace

TEST_CASE("what is known of a drive's counters is kept, and replaced counter by counter") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto run = store.add_run(some_drive().key, some_spec(), {}, at(0));
    CounterUnit silent;
    silent.field = "b";
    silent.metric = Metric::nand_bytes_written;
    silent.verdict = CounterVerdict::still;
    store.save_counter_units(some_drive().key, run, {some_unit("a"), silent});
    CHECK(store.counter_units(some_drive().key) == std::vector{some_unit("a"), silent});
    CounterUnit newer = some_unit("a");
    newer.verdict = CounterVerdict::agrees;
    store.save_counter_units(some_drive().key, run, {newer});
    CHECK(store.counter_units(some_drive().key) == std::vector{newer, silent});
    CHECK(store.counter_units("serial:nobody").empty());
}

TEST_CASE("a run's answers: the first, the last, and others evenly between") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto run = store.add_run(some_drive().key, some_spec(), {}, at(0));
    const auto other = store.add_run(some_drive().key, some_spec(), {}, at(0));
    for (int i = 0; i < 100; ++i) {
        Sample taken = sample(i);
        taken.raw = i % 10 == 3 ? "" : "answer " + std::to_string(i);
        taken.run_written = {static_cast<std::uint64_t>(i) << 30U};
        store.add_sample(some_drive().key, run, taken);
    }
    Sample stranger = sample(200);
    stranger.raw = "another run's";
    store.add_sample(some_drive().key, other, stranger);
    const auto all = store.answers_of_run(run, 1000);
    REQUIRE(all.size() == 90);
    CHECK(all[3].text == "answer 4");
    CHECK(all[3].written == Bytes{4ULL << 30U});
    CHECK(all[3].time == at(4));
    const auto few = store.answers_of_run(run, 4);
    REQUIRE(few.size() == 4);
    CHECK(few.front().text == "answer 0");
    CHECK(few[1].text == "answer 32");
    CHECK(few.back().text == "answer 99");
    CHECK(store.answers_of_run(RunId{77}, 4).empty());
}
