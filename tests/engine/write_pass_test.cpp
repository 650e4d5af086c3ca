#include "run/write_pass.h"

#include "support/faulty_rig.h"

using namespace wearout;
using namespace wearout::test;

TEST_CASE("a write pass by itself issues nothing beyond what it was allowed") {
    const RunSpec spec = make_spec(0, 100);
    block::MemoryMedia media(block::Geometry{{100 * unit_bytes}, 512});
    block::MemoryDevice device(media, {.queue_depth = 16, .transfer_bytes = spec.transfer_bytes});
    const workload::Sequential walk(spec.range, {100 * unit_bytes}, spec.transfer_bytes);
    ManualClock clock;
    Checkpoint now;
    run::FindingLog log(now.counters, 10);
    run::WritePass pass({spec, walk, device, clock, now, log, 16, 64}, 0);
    CHECK(pass.issue_one() == 0);
    pass.allow_up_to(27);
    std::uint64_t bytes = 0;
    while (const std::uint32_t issued = pass.issue_one())
        bytes += issued;
    CHECK(bytes == 24 * unit_bytes);
    CHECK(pass.issued() == 24);
    pass.allow_up_to(100);
    CHECK(pass.issue_one() == 8 * unit_bytes);
    CHECK(pass.done_to() == 0);
}

TEST_CASE("units whose write failed are told as unknown before anything is flushed") {
    FaultyRig faulty(2000, 1, 1);
    faulty.rig.options.checkpoint_interval = 1h;
    faulty.rig.open(false);
    faulty.break_sectors(block::FaultKind::write_error, 801, 20);
    while (faulty.rig.engine->progress().position < 1000)
        (void)faulty.rig.engine->work(1ms);
    const MediaState& durable = faulty.rig.journal.last.media;
    CHECK(durable.flushed_to == 0);
    CHECK(durable.issued_to > 103);
    CHECK(durable.unknown == std::vector<UnitRange>{{{100}, 3}});
    // And the error itself is told only with what lies before flushed_to, so that a kill now can't double it.
    CHECK(faulty.rig.journal.findings.empty());
}

TEST_CASE("a write error is kept once though a failed flush makes all be written again") {
    FaultyRig faulty(2000, 1, 1);
    faulty.rig.open(false);
    faulty.break_sectors(block::FaultKind::write_error, 101, 1);
    faulty.faults->add({.kind = block::FaultKind::flush_error, .times = 2});
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    std::uint64_t single = 0;
    for (const auto& [sequence, finding] : faulty.rig.journal.findings)
        if (finding.sectors == 1) ++single;
    CHECK(single == 1);
    CHECK(faulty.ranges(FindingClass::write_error) == 3);
    CHECK(faulty.rig.journal.last.media.unknown == std::vector<UnitRange>{{{12}, 1}});
}

TEST_CASE("what is wrong is read again into another buffer") {
    FaultyRig faulty(300, 1, 1);
    faulty.rig.open(false);
    faulty.faults->add({.kind = block::FaultKind::zeroed_write, .offset = 800 * sector_bytes, .length = 512});
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    std::vector<std::uint32_t> buffers;
    for (const block::IoRequest& request : faulty.rig.device->requests)
        if (request.kind == block::IoKind::read && request.offset == 96 * unit_bytes)
            buffers.push_back(request.buffer);
    REQUIRE(buffers.size() == 2);
    CHECK(buffers[0] != buffers[1]);
}
