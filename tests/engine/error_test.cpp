// What the drive answers with an error is placed to the logical block, and never taken for what it is not.

#include "support/faulty_rig.h"

using namespace wearout;
using namespace wearout::test;
using block::FaultKind;

namespace {

constexpr std::uint64_t units = 300;

}  // namespace

TEST_CASE("sectors that can't be read are placed exactly, and their neighbours verified") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::uint32_t block = seed % 2 == 0 ? 512 : 4096;
        const std::uint64_t grain = block / sector_bytes;
        FaultyRig faulty(units, 1, seed, block);
        faulty.rig.open(false);
        const std::uint64_t first = random() % (units * sectors_per_unit / 2) / grain * grain;
        const std::uint64_t count = (1 + random() % 90) * grain;
        faulty.break_sectors(FaultKind::read_error, first, count, ENODATA);
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        REQUIRE(faulty.rig.journal.findings.size() == 1);
        const Finding& finding = faulty.rig.journal.findings.at(1);
        CHECK(finding.cls == FindingClass::read_error);
        CHECK(finding.error == ENODATA);
        CHECK(finding.lba.value == first);
        CHECK(finding.sectors == count);
        CHECK(finding.expected.value == 1);
        CHECK(faulty.rig.counters().unverified.value == count * sector_bytes);
        CHECK(faulty.rig.counters().verified.value == faulty.rig.range_bytes() - count * sector_bytes);
    }
}

TEST_CASE("a wrong sector beside an unreadable one in the same unit is found too") {
    FaultyRig faulty(units, 1, 1);
    faulty.rig.open(false);
    const std::uint64_t unit = 120;
    faulty.break_sectors(FaultKind::read_error, unit * sectors_per_unit + 3, 1);
    faulty.faults->add({.kind = FaultKind::zeroed_write,
                        .offset = unit * unit_bytes + 5 * sector_bytes,
                        .length = sector_bytes});
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    REQUIRE(faulty.rig.journal.findings.size() == 2);
    CHECK(faulty.rig.journal.findings.at(1).cls == FindingClass::read_error);
    CHECK(faulty.rig.journal.findings.at(1).lba.value == unit * sectors_per_unit + 3);
    CHECK(faulty.rig.journal.findings.at(2).cls == FindingClass::zeroed);
    CHECK(faulty.rig.journal.findings.at(2).lba.value == unit * sectors_per_unit + 5);
    CHECK(faulty.rig.journal.findings.at(2).sectors == 1);
}

TEST_CASE("a drive of which nothing can be read is walked to its end, and is one range") {
    FaultyRig faulty(2000, 1, 1);
    faulty.rig.open(false);
    faulty.break_sectors(FaultKind::read_error, 0, 2000 * sectors_per_unit);
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    CHECK(faulty.ranges(FindingClass::read_error) == faulty.rig.journal.findings.size());
    CHECK(faulty.sectors(FindingClass::read_error) == 2000 * sectors_per_unit);
    CHECK(faulty.rig.journal.findings.size() <= 3);
    CHECK(faulty.rig.counters().unverified.value == faulty.rig.range_bytes());
    CHECK(faulty.rig.counters().verified.value == 0);
}

TEST_CASE("sectors that can't be written are placed exactly, their neighbours written, and not verified") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::uint32_t block = seed % 2 == 0 ? 512 : 4096;
        const std::uint64_t grain = block / sector_bytes;
        FaultyRig faulty(units, 1, seed, block);
        faulty.rig.open(false);
        const std::uint64_t first = random() % (units * sectors_per_unit / 2) / grain * grain;
        const std::uint64_t count = (1 + random() % 90) * grain;
        faulty.break_sectors(FaultKind::write_error, first, count);
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        REQUIRE(faulty.rig.journal.findings.size() == 1);
        const Finding& finding = faulty.rig.journal.findings.at(1);
        CHECK(finding.cls == FindingClass::write_error);
        CHECK(finding.error == EIO);
        CHECK(finding.lba.value == first);
        CHECK(finding.sectors == count);
        CHECK(faulty.rig.counters().written.value == faulty.rig.range_bytes() - count * sector_bytes);
        const std::uint64_t first_unit = first / sectors_per_unit;
        const std::uint64_t end_unit = (first + count + sectors_per_unit - 1) / sectors_per_unit;
        CHECK(faulty.rig.journal.last.media.unknown ==
              std::vector<UnitRange>{{{first_unit}, end_unit - first_unit}});
        CHECK(faulty.rig.counters().unverified.value == (end_unit - first_unit) * unit_bytes);
        CHECK(faulty.rig.counters().verified.value ==
              faulty.rig.range_bytes() - (end_unit - first_unit) * unit_bytes);
    }
}

TEST_CASE("a unit that is written again in the next pass is known again") {
    FaultyRig faulty(units, 2, 7);
    faulty.rig.open(false);
    faulty.break_sectors(FaultKind::write_error, 801, 3);
    while (faulty.rig.journal.last.media.generation.value < 2)
        REQUIRE_FALSE(is_over(faulty.rig.engine->work(1ms)));
    CHECK(faulty.rig.journal.last.media.unknown == std::vector<UnitRange>{{{100}, 1}});
    faulty.faults->clear();
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    CHECK(faulty.rig.journal.last.media.unknown.empty());
    CHECK(faulty.rig.counters().findings.total() == 1);
    CHECK(faulty.rig.counters().unverified.value == unit_bytes);
    CHECK(holds(faulty.rig, 2));
}

TEST_CASE("write errors and kills: each bad place is kept once, and nothing else is found") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        FaultyRig faulty(units, 1, seed);
        std::vector<std::pair<std::uint64_t, std::uint64_t>> bad;
        for (std::uint64_t lba = random() % 300; lba + 30 < units * sectors_per_unit;
             lba += 40 + random() % 900)
            bad.emplace_back(lba, 1 + random() % 30);
        const auto open = [&](bool resumed) {
            faulty.rig.open(resumed);
            for (const auto& [first, count] : bad)
                faulty.break_sectors(FaultKind::write_error, first, count);
        };
        open(false);
        while (!is_over(faulty.rig.engine->work(std::chrono::milliseconds(1 + random() % 150)))) {
            faulty.rig.close();
            if (random() % 2 == 0) faulty.rig.media.cut_power();
            open(true);
        }
        std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
        for (const auto& [sequence, finding] : faulty.rig.journal.findings) {
            CHECK(finding.cls == FindingClass::write_error);
            if (!found.empty() && found.back().first + found.back().second == finding.lba.value)
                found.back().second += finding.sectors;  // A kill in the middle of a range leaves it in two.
            else
                found.emplace_back(finding.lba.value, finding.sectors);
        }
        CHECK(found == bad);
    }
}

TEST_CASE("a drive that takes no more writes ends the run as failed, quickly, saying how much it took") {
    FaultyRig faulty(8000, 1, 1);
    faulty.rig.spec.limits = {};
    faulty.rig.open(false);
    faulty.faults->add(
        {.kind = FaultKind::write_error, .after = 500, .times = block::Fault::always, .error = EROFS});
    REQUIRE(faulty.rig.work_on() == RunState::failed);
    const Checkpoint& last = faulty.rig.journal.last;
    CHECK(last.state == RunState::failed);
    CHECK(last.reason == "the drive takes no more writes: Read-only file system, after 16.4 MB written");
    CHECK(last.counters.written.value == 500 * faulty.rig.spec.transfer_bytes);
    // About as many attempts as the limit says, not one for every block.
    CHECK(faulty.rig.device->submitted < 500 + 64 + 16);
    CHECK(faulty.ranges(FindingClass::write_error) == 1);
    CHECK(faulty.rig.journal.findings.at(1).error == EROFS);
    // What was written before is known, and a scan finds it.
    faulty.rig.become_scan();
    faulty.rig.open(false);
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    CHECK(faulty.rig.counters().findings.total() == 0);
    CHECK(faulty.rig.counters().verified.value == 500 * faulty.rig.spec.transfer_bytes);
}

TEST_CASE("a drive too small for so many writes to fail in a row ends the run after one pass all the same") {
    FaultyRig faulty(units, 1000, 3);
    faulty.rig.open(false);
    while (faulty.rig.counters().write_passes < 2)
        REQUIRE_FALSE(is_over(faulty.rig.engine->work(1ms)));
    faulty.break_sectors(FaultKind::write_error, 0, units * sectors_per_unit, EROFS);
    REQUIRE(faulty.rig.work_on() == RunState::failed);
    CHECK(
        faulty.rig.journal.last.reason.starts_with("the drive takes no more writes: Read-only file system"));
    CHECK(faulty.rig.journal.last.media.generation.value <= 4);
    CHECK(faulty.ranges(FindingClass::write_error) <= 2);
}

TEST_CASE("a bad stretch longer than many transfers is no dead drive") {
    FaultyRig faulty(2000, 1, 1);
    faulty.rig.open(false);
    faulty.break_sectors(FaultKind::write_error, 3000, 60 * 8 * sectors_per_unit);
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    CHECK(faulty.ranges(FindingClass::write_error) == 1);
    CHECK(faulty.sectors(FindingClass::write_error) == 60 * 8 * sectors_per_unit);
}

TEST_CASE("a bad stretch at the very end of the drive is no dead drive") {
    FaultyRig faulty(400, 1, 1);
    faulty.rig.open(false);
    faulty.break_sectors(FaultKind::write_error, 399 * sectors_per_unit - 5, sectors_per_unit + 5);
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    REQUIRE(faulty.rig.journal.findings.size() == 1);
    CHECK(faulty.rig.journal.findings.at(1).lba.value == 399 * sectors_per_unit - 5);
    CHECK(faulty.rig.journal.findings.at(1).sectors == sectors_per_unit + 5);
}

TEST_CASE("a drive that is gone is waited for, is no finding, and is gone on with when it is back") {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        CAPTURE(seed);
        FaultyRig faulty(units, 2, seed);
        faulty.rig.open(false);
        std::mt19937_64 random(seed);
        for (int times = 0; times < 4; ++times) {
            faulty.faults->add({.kind = FaultKind::drive_gone, .after = random() % 60, .error = ENXIO});
            const RunState state = faulty.rig.work_on();
            REQUIRE(state == (is_over(state) ? RunState::finished : RunState::waiting_drive));
            if (is_over(state)) break;
            CHECK(faulty.rig.journal.last.state == RunState::waiting_drive);
            CHECK(faulty.rig.journal.last.reason.starts_with("the drive is gone"));
            CHECK(faulty.rig.engine->work(10ms) == RunState::waiting_drive);
            if (random() % 2 == 0) faulty.rig.media.cut_power();
            faulty.rig.open(true);
            CHECK_FALSE(faulty.rig.engine->progress().checkpoint.state == RunState::waiting_drive);
        }
        faulty.faults->clear();
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        CHECK(faulty.rig.counters().findings.total() == 0);
        CHECK(holds(faulty.rig, 2));
    }
}

TEST_CASE("what a failed flush may have lost is a finding, and is written again") {
    FaultyRig faulty(2000, 1, 1);
    faulty.rig.open(false);
    faulty.faults->add({.kind = FaultKind::flush_error, .after = 1, .times = 2});
    REQUIRE(faulty.rig.work_on() == RunState::finished);
    CHECK(faulty.ranges(FindingClass::write_error) == 2);
    CHECK(faulty.rig.counters().findings.total() == 2);
    for (const auto& [sequence, finding] : faulty.rig.journal.findings) {
        CHECK(finding.error == EIO);
        CHECK(finding.sectors > 0);
    }
    CHECK(faulty.rig.journal.findings.at(1).lba == faulty.rig.journal.findings.at(2).lba);
    CHECK(faulty.rig.counters().written.value ==
          faulty.rig.range_bytes() + faulty.sectors(FindingClass::write_error) * sector_bytes);
    CHECK(faulty.rig.counters().verified.value == faulty.rig.range_bytes());
    CHECK(holds(faulty.rig, 1));
}

TEST_CASE("a failed flush, then the power goes: nothing that was not flushed is taken for flushed") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        FaultyRig faulty(units, 2, seed);
        faulty.rig.open(false);
        std::mt19937_64 random(seed);
        faulty.faults->add({.kind = FaultKind::flush_error, .after = random() % 3, .times = 1});
        while (faulty.ranges(FindingClass::write_error) == 0 && !is_over(faulty.rig.engine->work(1ms))) {
        }
        faulty.rig.close();
        faulty.rig.media.cut_power();
        faulty.rig.open(true);
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        CHECK(faulty.rig.counters().findings.total() == 1);
        CHECK(holds(faulty.rig, 2));
    }
}

TEST_CASE("a drive whose flush fails for good ends the run") {
    FaultyRig faulty(units, 1, 1);
    faulty.rig.open(false);
    faulty.faults->add({.kind = FaultKind::flush_error, .times = block::Fault::always});
    REQUIRE(faulty.rig.work_on() == RunState::failed);
    CHECK(faulty.rig.journal.last.reason.starts_with("the drive takes no more writes: its flush fails"));
    CHECK(faulty.rig.journal.last.media.flushed_to == 0);
}
