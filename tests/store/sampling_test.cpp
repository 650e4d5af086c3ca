#include "base/error.h"
#include "store/migrations.h"
#include "store/opening.h"
#include "support.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;
using namespace std::chrono_literals;

namespace {

const auto key = some_drive().key;

Sample question(std::int64_t seconds, std::chrono::milliseconds took, std::optional<IoStall> stall = {}) {
    Sample taken = sample(seconds);
    taken.took = took;
    taken.stall = stall;
    taken.raw = "{}";
    return taken;
}

}  // namespace

TEST_CASE("what a question did to the run's I/O is kept with its sample") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    store.add_sample(key, {}, question(1, 41ms, IoStall{12'345us, 678us}));
    REQUIRE(store.last_sample(key)->stall);
    CHECK(*store.last_sample(key)->stall == IoStall{12'345us, 678us});
    store.add_sample(key, {}, question(2, 41ms));
    CHECK_FALSE(store.last_sample(key)->stall);
}

TEST_CASE("the cost of sampling: how many, how long, and the worst that can be blamed on it") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    CHECK(store.sampling_cost("nobody").questions == 0);
    store.remember_drive(some_drive(), false);
    CHECK(store.sampling_cost(key).questions == 0);
    const RunId run = store.add_run(key, some_spec(), {}, at(0));
    store.add_sample(key, {}, question(1, 900ms, IoStall{500ms, 100ms}));
    store.add_sample(key, run, question(2, 40ms, IoStall{80ms, 70ms}));
    store.add_sample(key, run, question(3, 50ms, IoStall{30ms, 10ms}));
    store.add_sample(key, run, question(4, 60ms, IoStall{90ms, 95ms}));
    store.add_sample(key, run, question(5, 2000ms));
    Sample silent = sample(6);
    silent.problem = "silent";
    silent.decoder.clear();
    store.add_sample(key, run, silent);

    const auto all = store.sampling_cost(key);
    CHECK(all.questions == 6);
    CHECK(all.unanswered == 1);
    CHECK(all.median == 50ms);
    CHECK(all.longest == 2000ms);
    CHECK(all.worst == IoStall{500ms, 100ms});
    const auto of_run = store.sampling_cost(key, run);
    CHECK(of_run.questions == 5);
    CHECK(of_run.median == 50ms);
    CHECK(of_run.worst == IoStall{30ms, 10ms});  // Not the longest gap: its drive was slow anyway.
    CHECK(of_run.worst->caused() == 20ms);
}

TEST_CASE("a drive's device type is kept until it is another, also when the drive is seen again") {
    const Folder folder;
    {
        Store store(folder.file(), OpenMode::read_write);
        store.remember_drive(some_drive(), false);
        CHECK(store.device_type(key).empty());
        store.remember_device_type(key, "sat,12");
        store.remember_drive(some_drive(), false);
    }
    Store store(folder.file(), OpenMode::read_write);
    CHECK(store.device_type(key) == "sat,12");
    store.remember_device_type(key, "");
    CHECK(store.device_type(key).empty());
    CHECK(store.device_type("nobody").empty());
    CHECK_THROWS_AS(store.remember_device_type("nobody", "sat"), Failure);
}

TEST_CASE("a database of the first version keeps its samples and takes new ones") {
    const Folder folder;
    {
        auto old = open_to_write(folder.file(), migrations().first(1));
        old.database.execute(
            "INSERT INTO drive VALUES (1, 'serial:X25:CVPR1234', 'X25', 'CVPR1234', '', '', 'sata', '', "
            "1000, 512, 0, "
            "0);"
            "INSERT INTO note VALUES (1, 'kingston'), (2, '');"
            "INSERT INTO sample VALUES (1, 1, NULL, 1780000000000, 'periodic', 5, 7, 41, NULL, 1, 2);"
            "INSERT INTO epoch VALUES (1, 1, 'retired_blocks', 0, 'attribute 5', 'vendor', 1);"
            "INSERT INTO reading VALUES (1, 1, 3);");
    }
    Store store(folder.file(), OpenMode::read_write);
    const auto kept = store.last_sample(key);
    REQUIRE(kept);
    CHECK(kept->took == 41ms);
    CHECK(kept->readings == std::vector{reading(Metric::retired_blocks, 3)});
    CHECK_FALSE(kept->stall);
    CHECK(store.device_type(key).empty());
    CHECK(store.sampling_cost(key).questions == 1);
    store.add_sample(key, {}, question(1, 41ms, IoStall{2ms, 1ms}));
    store.remember_device_type(key, "sat");
    CHECK(store.last_sample(key)->stall == IoStall{2ms, 1ms});
    CHECK(store.device_type(key) == "sat");
}
