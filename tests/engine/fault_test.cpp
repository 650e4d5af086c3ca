// What goes wrong behind the engine's back is found, named, placed to the sector and joined.

#include "support/faulty_rig.h"

using namespace wearout;
using namespace wearout::test;

namespace {

constexpr std::uint64_t units = 300;

/// A run of one pass over a drive, of which `spoil` changes the media when all is written and before it is
/// read.
struct SpoiltRun {
    explicit SpoiltRun(std::uint64_t seed, std::uint32_t passes = 1, std::uint64_t size = units)
        : rig({{size * unit_bytes}, 512}, with_passes(passes, size), seed) {}

    static RunSpec with_passes(std::uint32_t passes, std::uint64_t size) {
        RunSpec spec = make_spec(0, size);
        spec.limits.passes = passes;
        return spec;
    }

    void write_last_pass() {
        rig.open(false);
        const std::uint32_t last = *rig.spec.limits.passes;
        while (rig.journal.last.phase == RunState::writing || rig.journal.last.media.generation.value < last)
            REQUIRE_FALSE(is_over(rig.engine->work(1ms)));
        // Nothing that was read before it was spoilt may count: begin the pass again.
        rig.close();
        rig.journal.last.verify_position = 0;
        rig.journal.last.counters.verified.value = (last - 1) * rig.range_bytes();
        rig.open(false);
    }
    void verify() { REQUIRE(rig.work_on() == RunState::finished); }

    const Finding& only() {
        REQUIRE(rig.journal.findings.size() == 1);
        REQUIRE(rig.counters().findings.total() == 1);
        const Finding& finding = rig.journal.findings.at(1);
        const auto cls = static_cast<std::size_t>(finding.cls);
        CHECK(rig.counters().findings.ranges.at(cls) == 1);
        CHECK(rig.counters().findings.sectors.at(cls) == finding.sectors);
        CHECK(finding.pass == *rig.spec.limits.passes);
        CHECK(finding.reread == Reread::same);
        CHECK(finding.expected_bytes.size() == sector_bytes);
        CHECK(finding.actual_bytes.size() == sector_bytes);
        return finding;
    }

    Rig rig;
};

std::uint64_t random_below(std::mt19937_64& random, std::uint64_t limit) {
    return random() % limit;
}

}  // namespace

TEST_CASE("a flipped bit is found to the byte") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        SpoiltRun run(seed);
        run.write_last_pass();
        const std::uint64_t at = random_below(random, units * unit_bytes);
        auto byte = read_media(run.rig.media, at, 1);
        const auto bit = static_cast<std::uint8_t>(1U << random_below(random, 8));
        byte[0] ^= std::byte{bit};
        run.rig.media.corrupt(at, byte);
        run.verify();
        const Finding& finding = run.only();
        CHECK(finding.cls == FindingClass::bit_flip);
        CHECK(finding.lba.value == at / sector_bytes);
        CHECK(finding.sectors == 1);
        CHECK(finding.first_wrong_byte == at % sector_bytes);
        CHECK(finding.first_wrong_bits == bit);
        CHECK(finding.flips_to_one + finding.flips_to_zero == 1);
    }
}

TEST_CASE("stretches across transfers are one range, whatever was done to them") {
    enum class Harm { zeroes, ones, old, garbage, copy };
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        SpoiltRun run(seed, 2);
        run.write_last_pass();
        const std::uint64_t first = random_below(random, units - 80);
        const std::uint64_t count = 1 + random_below(random, 60);
        std::vector<std::byte> bytes(count * unit_bytes);
        const auto harm = static_cast<Harm>(random_below(random, 5));
        std::uint64_t source = 0;
        FindingClass expected = FindingClass::zeroed;
        switch (harm) {
            case Harm::zeroes:
                break;
            case Harm::ones:
                std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
                expected = FindingClass::ones;
                break;
            case Harm::old:
                pattern::generate(run.rig.spec.pattern, UnitIndex{first}.first_lba(), {1}, bytes);
                expected = FindingClass::stale;
                break;
            case Harm::garbage:
                for (std::byte& byte : bytes)
                    byte = static_cast<std::byte>(random());
                expected = FindingClass::garbage;
                break;
            case Harm::copy:
                source = first + count + 5 < units - count ? first + count + 5 : 0;
                if (source == 0 && first < count) continue;
                bytes = read_media(run.rig.media, source * unit_bytes, bytes.size());
                expected = FindingClass::misdirected;
                break;
        }
        run.rig.media.corrupt(first * unit_bytes, bytes);
        run.verify();
        const Finding& finding = run.only();
        if (harm == Harm::copy)
            CHECK((finding.cls == expected || finding.cls == FindingClass::aliased));
        else
            CHECK(finding.cls == expected);
        CHECK(finding.lba == UnitIndex{first}.first_lba());
        CHECK(finding.sectors == count * sectors_per_unit);
        if (harm == Harm::copy) CHECK(finding.source_lba == UnitIndex{source}.first_lba());
        if (harm == Harm::old) CHECK(finding.found == Generation{1});
    }
}

TEST_CASE("what another run or drive wrote is named") {
    SpoiltRun run(1);
    run.write_last_pass();
    PatternId stranger = run.rig.spec.pattern;
    stranger.run = 99;
    std::vector<std::byte> bytes(unit_bytes);
    pattern::generate(stranger, UnitIndex{20}.first_lba(), {1}, bytes);
    run.rig.media.corrupt(20 * unit_bytes, bytes);
    stranger = run.rig.spec.pattern;
    stranger.drive = 77;
    pattern::generate(stranger, UnitIndex{40}.first_lba(), {1}, bytes);
    run.rig.media.corrupt(40 * unit_bytes, bytes);
    run.verify();
    REQUIRE(run.rig.journal.findings.size() == 2);
    CHECK(run.rig.journal.findings.at(1).cls == FindingClass::foreign_run);
    CHECK(run.rig.journal.findings.at(1).foreign_run == 99U);
    CHECK(run.rig.journal.findings.at(2).cls == FindingClass::foreign_drive);
    CHECK(run.rig.journal.findings.at(2).foreign_drive == 77U);
}

TEST_CASE("a short last unit is verified to its last sector") {
    RunSpec spec = make_spec(0, 11);
    spec.limits.passes = 1;
    Rig rig({{10 * unit_bytes + 3 * sector_bytes}, 512}, spec);
    rig.open(false);
    while (rig.journal.last.phase == RunState::writing)
        REQUIRE_FALSE(is_over(rig.engine->work(1ms)));
    rig.close();
    rig.journal.last.verify_position = 0;
    rig.journal.last.counters.verified = {};
    rig.media.corrupt(10 * unit_bytes + 2 * sector_bytes, std::vector<std::byte>(sector_bytes));
    rig.open(false);
    REQUIRE(rig.work_on() == RunState::finished);
    REQUIRE(rig.journal.findings.size() == 1);
    CHECK(rig.journal.findings.at(1).lba.value == 82);
    CHECK(rig.journal.findings.at(1).sectors == 1);
}

TEST_CASE("a drive that returns nothing but garbage gives one range") {
    SpoiltRun run(1, 1, 3000);
    run.write_last_pass();
    std::mt19937_64 random(5);
    std::vector<std::byte> bytes(3000 * unit_bytes);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random());
    run.rig.media.corrupt(0, bytes);
    run.verify();
    const Finding& finding = run.only();
    CHECK(finding.cls == FindingClass::garbage);
    CHECK(finding.lba.value == 0);
    CHECK(finding.sectors == 3000 * sectors_per_unit);
    CHECK(run.rig.counters().verified.value == run.rig.range_bytes());
}

TEST_CASE("findings past the cap are counted and no longer kept") {
    SpoiltRun run(3, 1, 1000);
    run.rig.options.max_stored_findings = 50;
    run.write_last_pass();
    for (std::uint64_t lba = 0; lba < 1000 * sectors_per_unit; lba += 4)
        run.rig.media.corrupt(lba * sector_bytes, std::vector<std::byte>(sector_bytes));
    run.verify();
    CHECK(run.rig.journal.findings.size() == 50);
    CHECK(run.rig.counters().last_finding_sequence == 50);
    CHECK(run.rig.counters().findings.total() == 2000);
    CHECK(run.rig.counters().findings.sectors[static_cast<std::size_t>(FindingClass::zeroed)] == 2000);
    for (const auto& [sequence, finding] : run.rig.journal.findings)
        CHECK(finding.lba.value == (sequence - 1) * 4);
}

TEST_CASE("a bit that is wrong in one read only is the host's, or the transfer's, fault") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        FaultyRig faulty(units, 1, seed);
        faulty.rig.open(false);
        faulty.faults->add({.kind = block::FaultKind::flip_on_read, .after = seed, .times = 1});
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        REQUIRE(faulty.faults->log().size() == 1);
        REQUIRE(faulty.rig.journal.findings.size() == 1);
        const Finding& finding = faulty.rig.journal.findings.at(1);
        CHECK(finding.cls == FindingClass::host_memory);
        CHECK(finding.reread == Reread::correct);
        CHECK(finding.lba.value == faulty.faults->log()[0].offset / sector_bytes);
        CHECK(finding.sectors == 1);
    }
}

TEST_CASE("a campaign of writes gone wrong: each is found where it was done and as what it was") {
    using block::FaultKind;
    const std::map<FaultKind, FindingClass> classes = {{FaultKind::flip_on_write, FindingClass::bit_flip},
                                                       {FaultKind::lost_write, FindingClass::stale},
                                                       {FaultKind::zeroed_write, FindingClass::zeroed}};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        FaultyRig faulty(units, 2, seed);
        faulty.rig.open(false);
        const auto kind = std::next(classes.begin(), static_cast<std::ptrdiff_t>(random() % classes.size()));
        const std::uint64_t first = random() % (units * sectors_per_unit - 20);
        const std::uint64_t count = kind->first == FaultKind::flip_on_write ? 1 : 1 + random() % 20;
        const std::uint64_t offset = first * sector_bytes;
        // The second write of each transfer is that of generation 2.
        faulty.faults->add(
            {.kind = kind->first, .offset = offset, .length = count * sector_bytes, .times = 1000});
        while (faulty.rig.journal.last.media.generation.value < 2)
            REQUIRE_FALSE(is_over(faulty.rig.engine->work(1ms)));
        if (kind->first == FaultKind::lost_write) {
            // In generation 1 what was lost leaves zeroes.
            CHECK(faulty.rig.counters().findings.ranges[static_cast<std::size_t>(FindingClass::zeroed)] == 1);
        }
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        std::uint64_t in_second_pass = 0;
        for (const auto& [sequence, finding] : faulty.rig.journal.findings) {
            if (finding.pass != 2) continue;
            ++in_second_pass;
            CHECK(finding.lba.value == first);
            CHECK(finding.sectors == count);
            if (kind->first != FaultKind::lost_write) CHECK(finding.cls == kind->second);
        }
        CHECK(in_second_pass == 1);
    }
}

TEST_CASE("a lost write of the second generation is stale by one, wherever transfers end") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        FaultyRig faulty(units, 2, seed);
        faulty.rig.open(false);
        while (faulty.rig.journal.last.media.generation.value < 2)
            REQUIRE_FALSE(is_over(faulty.rig.engine->work(1ms)));
        REQUIRE(faulty.rig.engine->progress().position < 150);
        const std::uint64_t first = 150 * sectors_per_unit + random() % 1000;
        const std::uint64_t count = 1 + random() % 100;
        faulty.faults->add({.kind = block::FaultKind::lost_write,
                            .offset = first * sector_bytes,
                            .length = count * sector_bytes,
                            .times = block::Fault::always});
        REQUIRE(faulty.rig.work_on() == RunState::finished);
        std::uint64_t sectors = 0;
        std::uint64_t next = first;
        for (const auto& [sequence, finding] : faulty.rig.journal.findings) {
            CHECK((finding.cls == FindingClass::stale || finding.cls == FindingClass::torn));
            CHECK(finding.lba.value == next);
            next += finding.sectors;
            sectors += finding.sectors;
        }
        CHECK(sectors == count);
    }
}

TEST_CASE("a run that is to stop at a finding stops as failed, with the finding kept") {
    FaultyRig faulty(units, 1, 1);
    faulty.rig.spec.on_finding = OnFinding::stop;
    faulty.rig.open(false);
    faulty.faults->add(
        {.kind = block::FaultKind::zeroed_write, .offset = 100 * unit_bytes, .length = sector_bytes});
    REQUIRE(faulty.rig.work_on() == RunState::failed);
    CHECK(faulty.rig.journal.last.state == RunState::failed);
    CHECK(faulty.rig.journal.findings.size() == 1);
    CHECK(faulty.rig.counters().verified.value < faulty.rig.range_bytes());
    CHECK_FALSE(faulty.rig.journal.last.reason.empty());
}
