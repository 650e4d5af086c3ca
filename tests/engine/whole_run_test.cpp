#include "support/run_rig.h"

using namespace wearout;
using namespace wearout::test;

namespace {

struct Shape {
    const char* name;
    block::Geometry geometry;
    std::uint64_t first;
    std::uint64_t count;
};

const Shape shapes[] = {
    {"whole transfers", {{256 * unit_bytes}, 512}, 0, 256},
    {"a size that is no multiple of the transfer", {{251 * unit_bytes}, 512}, 0, 251},
    {"a short last unit", {{100 * unit_bytes + 3 * sector_bytes}, 512}, 0, 101},
    {"4096-byte logical blocks", {{77 * unit_bytes}, 4096}, 0, 77},
    {"a range", {{300 * unit_bytes}, 512}, 37, 101},
    {"a range of one unit", {{300 * unit_bytes}, 4096}, 299, 1},
    {"only a short unit", {{sector_bytes}, 512}, 0, 1},
    {"the end of 20 TB", {{20'000'588'955'648}, 512}, 20'000'588'955'648 / unit_bytes - 50, 50},
    {"the end of a drive beyond 16 TiB that ends in a part of a unit",
     {{20'000'588'955'648 + 5 * sector_bytes}, 512},
     20'000'588'955'648 / unit_bytes - 20,
     21},
};

}  // namespace

TEST_CASE("runs of three passes end as they should, with every byte counted and nothing found") {
    for (const Shape& shape : shapes) {
        CAPTURE(shape.name);
        RunSpec spec = make_spec(shape.first, shape.count);
        spec.limits.passes = 3;
        Rig rig(shape.geometry, spec);
        REQUIRE(rig.run_to_end() == RunState::finished);
        const Checkpoint& last = rig.journal.last;
        CHECK(last.state == RunState::finished);
        CHECK(last.reason == "3 passes done");
        CHECK(last.counters.written.value == 3 * rig.range_bytes());
        CHECK(last.counters.verified.value == 3 * rig.range_bytes());
        CHECK(last.counters.unverified.value == 0);
        CHECK(last.counters.write_passes == 3);
        CHECK(last.counters.verify_passes == 3);
        CHECK(last.counters.findings.total() == 0);
        CHECK(last.media.generation.value == 3);
        CHECK(last.media.flushed_to == shape.count);
        CHECK(last.media.issued_to == shape.count);
        CHECK(holds(rig, 3));
        REQUIRE(rig.journal.passes.size() == 6);
        for (std::size_t i = 0; i < 6; ++i) {
            const PassRecord& pass = rig.journal.passes[i];
            CHECK(pass.kind == (i % 2 == 0 ? RunState::writing : RunState::verifying));
            CHECK(pass.generation.value == i / 2 + 1);
            CHECK(pass.bytes.value == rig.range_bytes());
            CHECK(pass.ended >= pass.started);
            CHECK(pass.finding_ranges == 0);
            if (i > 0) CHECK(pass.started >= rig.journal.passes[i - 1].ended);
        }
        CHECK(last.counters.active == rig.clock.steady().time_since_epoch());
    }
}

TEST_CASE("nothing outside the range is touched") {
    RunSpec spec = make_spec(10, 5);
    spec.limits.passes = 1;
    Rig rig({{20 * unit_bytes}, 512}, spec);
    REQUIRE(rig.run_to_end() == RunState::finished);
    for (const std::uint64_t unit : {9U, 15U})
        CHECK(read_media(rig.media, unit * unit_bytes, unit_bytes) == std::vector<std::byte>(unit_bytes));
}

TEST_CASE("without verification the generations follow each other at once") {
    RunSpec spec = make_spec(0, 100);
    spec.verify = false;
    spec.limits.passes = 4;
    Rig rig({{100 * unit_bytes}, 512}, spec);
    REQUIRE(rig.run_to_end() == RunState::finished);
    CHECK(rig.counters().write_passes == 4);
    CHECK(rig.counters().verified.value == 0);
    CHECK(rig.journal.last.media.generation.value == 4);
    CHECK(holds(rig, 4));
}

TEST_CASE("commits and flushes come by time, not by transfer") {
    RunSpec spec = make_spec(0, 20'000);
    spec.limits.passes = 1;
    Rig rig({{20'000 * unit_bytes}, 512}, spec);
    rig.options.checkpoint_interval = 1s;
    rig.options.issue_ahead = 500ms;
    REQUIRE(rig.run_to_end() == RunState::finished);
    const auto seconds =
        std::chrono::ceil<std::chrono::seconds>(rig.clock.steady().time_since_epoch()).count();
    CHECK(rig.device->submitted == 5000);
    CHECK(rig.journal.commits < static_cast<std::uint64_t>(5 * seconds + 10));
    CHECK(rig.device->flushes <= static_cast<std::uint64_t>(seconds + 2));
}

TEST_CASE("a scan verifies what a finished run left, and writes nothing") {
    RunSpec spec = make_spec(0, 100);
    spec.limits.passes = 2;
    Rig rig({{100 * unit_bytes}, 512}, spec);
    REQUIRE(rig.run_to_end() == RunState::finished);
    rig.become_scan();
    REQUIRE(rig.run_to_end() == RunState::finished);
    CHECK(rig.counters().verified.value == rig.range_bytes());
    CHECK(rig.counters().written.value == 0);
    CHECK(rig.counters().verify_passes == 1);
    CHECK(rig.counters().findings.total() == 0);
    CHECK(rig.journal.last.reason == "everything was read");
    CHECK_THROWS_AS((void)run::initial_checkpoint(rig.spec, nullptr), Failure);
}

TEST_CASE("a scan of a run that was stopped on its way knows what is where") {
    RunSpec spec = make_spec(0, 400);
    spec.limits.written = Bytes{650 * unit_bytes};
    Rig rig({{400 * unit_bytes}, 512}, spec);
    REQUIRE(rig.run_to_end() == RunState::finished);
    const Checkpoint subject = rig.journal.last;
    CHECK(subject.media.generation.value == 2);
    CHECK(subject.media.flushed_to == subject.media.issued_to);
    CHECK(subject.media.flushed_to * unit_bytes + rig.range_bytes() == subject.counters.written.value);
    CHECK(subject.counters.written.value >= 650 * unit_bytes);
    CHECK(subject.counters.written.value < 650 * unit_bytes + spec.transfer_bytes);
    rig.become_scan();
    REQUIRE(rig.run_to_end() == RunState::finished);
    CHECK(rig.counters().verified.value == rig.range_bytes());
    CHECK(rig.counters().findings.total() == 0);
}

TEST_CASE("what no engine can work with is refused in one line") {
    const block::Geometry geometry{{100 * unit_bytes}, 512};
    const auto refused = [&](auto change) {
        RunSpec spec = make_spec(0, 100);
        Checkpoint checkpoint;
        change(spec, checkpoint);
        block::MemoryMedia media(geometry);
        block::MemoryDevice device(media, {.queue_depth = 4, .transfer_bytes = 8 * unit_bytes});
        MemoryJournal journal(checkpoint);
        ManualClock clock;
        CHECK_THROWS_AS(run::Engine(spec, checkpoint, false, device, journal, clock), Failure);
    };
    refused([](RunSpec& spec, Checkpoint&) { spec.range = {{0}, 0}; });
    refused([](RunSpec& spec, Checkpoint&) { spec.range = {{0}, 101}; });
    refused([](RunSpec& spec, Checkpoint&) { spec.range = {{1}, UINT64_MAX}; });
    refused([](RunSpec& spec, Checkpoint&) { spec.range = {{UINT64_MAX}, 2}; });
    refused([](RunSpec& spec, Checkpoint&) { spec.transfer_bytes = 0; });
    refused([](RunSpec& spec, Checkpoint&) { spec.transfer_bytes = 512; });
    refused([](RunSpec& spec, Checkpoint&) { spec.transfer_bytes = 16 * unit_bytes; });
    refused([](RunSpec& spec, Checkpoint&) { spec.queue_depth = 0; });
    refused([](RunSpec& spec, Checkpoint&) { spec.reads_only = true; });
    refused([](RunSpec&, Checkpoint& checkpoint) { checkpoint.media.flushed_to = 1; });
    refused([](RunSpec&, Checkpoint& checkpoint) { checkpoint.media.issued_to = 101; });
    refused([](RunSpec&, Checkpoint& checkpoint) { checkpoint.verify_position = 101; });
    refused([](RunSpec&, Checkpoint& checkpoint) { checkpoint.phase = RunState::paused; });
}
