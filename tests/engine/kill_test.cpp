// Kill campaigns: an engine is dropped at a random moment, with requests under way, and a new one goes on
// from the last durable checkpoint. Each seed is a whole run; a failure names its seed.

#include "support/run_rig.h"

using namespace wearout;
using namespace wearout::test;

namespace {

enum class Death { process, power };

/// Works for a random time, down to a single step.
RunState work_a_little(Rig& rig, std::mt19937_64& random) {
    RunState state = RunState::writing;
    const std::uint64_t slices = random() % 12;
    for (std::uint64_t i = 0; i <= slices; ++i) {
        state = rig.engine->work(std::chrono::milliseconds(random() % 9));
        if (is_over(state)) break;
    }
    return state;
}

void die(Rig& rig, Death death) {
    const Checkpoint before = rig.journal.last;
    if (death == Death::power) {
        // What is under way arrives in part, what is not flushed comes back in part.
        rig.memory->cut_power();
    }
    rig.close();  // Without a power cut the kernel completes what is under way.
    CHECK(rig.journal.last == before);
}

RunSpec random_spec(std::mt19937_64& random) {
    RunSpec spec = make_spec(random() % 50, 60 + random() % 200);
    spec.queue_depth = 1 + static_cast<std::uint32_t>(random() % 6);
    spec.transfer_bytes = unit_bytes * (1 + static_cast<std::uint32_t>(random() % 8));
    spec.limits.passes = 2;
    return spec;
}

/// Bytes that may be written twice around one kill: those between flushed_to and what was issued.
struct Campaign {
    std::uint64_t kills = 0;
    std::uint64_t rewritten = 0;
};

Campaign run_with_kills(std::uint64_t seed, std::optional<Death> only) {
    std::mt19937_64 random(seed);
    const RunSpec spec = random_spec(random);
    const std::uint64_t capacity = spec.range.end() * unit_bytes + random() % 7 * sector_bytes;
    Rig rig({{capacity}, 512}, spec, seed);
    rig.options.checkpoint_interval = std::chrono::milliseconds(5 + random() % 60);
    rig.options.issue_ahead = std::chrono::milliseconds(random() % 40);
    Campaign campaign;
    rig.open(false);
    while (!is_over(work_a_little(rig, random))) {
        if (random() % 20 == 0) rig.engine->suspend();
        const MediaState media = rig.journal.last.media;
        if (rig.journal.last.phase == RunState::writing)
            campaign.rewritten += media.issued_to - media.flushed_to;
        die(rig, only.value_or(random() % 2 == 0 ? Death::process : Death::power));
        ++campaign.kills;
        REQUIRE(campaign.kills < 100'000);
        rig.open(true);
    }
    const RunCounters& counters = rig.counters();
    CHECK(counters.findings.total() == 0);
    CHECK(rig.journal.findings.empty());
    CHECK(counters.write_passes == 2);
    CHECK(counters.verify_passes == 2);
    CHECK(counters.verified.value == 2 * rig.range_bytes());
    CHECK(counters.unverified.value == 0);
    // Every byte was acknowledged in each pass; more only by what lay between two checkpoints at a kill.
    CHECK(counters.written.value >= 2 * rig.range_bytes());
    CHECK(counters.written.value <= 2 * rig.range_bytes() + campaign.rewritten * unit_bytes);
    CHECK(rig.journal.passes.size() == 4);
    CHECK(holds(rig, 2));
    return campaign;
}

}  // namespace

TEST_CASE("killed at any moment, with and without power, a run ends with nothing found and all counted") {
    std::uint64_t kills = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        kills += run_with_kills(seed, std::nullopt).kills;
    }
    MESSAGE("kills: " << kills);
    CHECK(kills > 500);
}

TEST_CASE("killed without losing power, the same") {
    for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
        CAPTURE(seed);
        (void)run_with_kills(seed, Death::process);
    }
}

TEST_CASE("a scan of a run that was killed and never went on finds nothing") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        RunSpec spec = random_spec(random);
        spec.limits.passes = {};
        Rig rig({{spec.range.end() * unit_bytes}, 512}, spec, seed);
        rig.open(false);
        for (std::uint64_t i = random() % 40; i > 0; --i)
            (void)work_a_little(rig, random);
        die(rig, random() % 2 == 0 ? Death::process : Death::power);
        rig.become_scan();
        REQUIRE(rig.run_to_end() == RunState::finished);
        CHECK(rig.counters().findings.total() == 0);
        CHECK(rig.counters().verified.value + rig.counters().unverified.value == rig.range_bytes());
    }
}

TEST_CASE("a drive that loses an acknowledged and flushed write when the power goes is found out") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        RunSpec spec = make_spec(0, 1200);
        spec.limits.passes = 2;
        Rig rig({{1200 * unit_bytes}, 512}, spec, seed);
        rig.open(false);
        const auto flushed = [&] { return rig.journal.last.media.flushed_to; };
        while (rig.journal.last.media.generation.value < 2 || flushed() < 100)
            REQUIRE_FALSE(is_over(rig.engine->work(1ms)));
        REQUIRE(rig.journal.last.phase == RunState::writing);
        // Of what was flushed in generation 2 a few sectors fall back to generation 1.
        const std::uint64_t units = 1 + random() % 3;
        const std::uint64_t victim = random() % (flushed() - units);
        std::vector<std::byte> old(units * unit_bytes);
        pattern::generate(spec.pattern, UnitIndex{victim}.first_lba(), {1}, old);
        const bool interrupted = seed % 2 == 0;
        if (interrupted) die(rig, Death::power);
        rig.media.corrupt(victim * unit_bytes, old);
        if (interrupted) rig.open(true);
        REQUIRE(rig.work_on() == RunState::finished);
        REQUIRE(rig.journal.findings.size() == 1);
        const Finding& finding = rig.journal.findings.at(1);
        CHECK(finding.cls == (interrupted ? FindingClass::lost_after_restart : FindingClass::stale));
        CHECK(finding.lba == UnitIndex{victim}.first_lba());
        CHECK(finding.sectors == units * sectors_per_unit);
        CHECK(finding.expected.value == 2);
        REQUIRE(finding.found.has_value());
        CHECK(finding.found->value == 1);
        CHECK(finding.reread == Reread::same);
    }
}

TEST_CASE("killed in the middle of a verify pass, findings are neither lost nor doubled") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        RunSpec spec = make_spec(0, 300);
        spec.limits.passes = 1;
        Rig rig({{300 * unit_bytes}, 512}, spec, seed);
        rig.open(false);
        while (rig.journal.last.phase == RunState::writing)
            REQUIRE_FALSE(is_over(rig.engine->work(1ms)));
        std::map<std::uint64_t, std::uint64_t> wrong;
        const std::vector<std::byte> zeroes(sector_bytes);
        for (std::uint64_t lba = random() % 40; lba < 300 * sectors_per_unit; lba += 2 + random() % 200) {
            if (lba < rig.journal.last.verify_position * sectors_per_unit) continue;
            rig.media.corrupt(lba * sector_bytes, zeroes);
            wrong[lba] = 1;
        }
        // What was being read when the media changed may have been right.
        die(rig, Death::process);
        rig.open(true);
        while (!is_over(work_a_little(rig, random))) {
            die(rig, random() % 2 == 0 ? Death::process : Death::power);
            rig.open(true);
        }
        CHECK(rig.counters().findings.total() == wrong.size());
        std::map<std::uint64_t, std::uint64_t> found;
        for (const auto& [sequence, finding] : rig.journal.findings) {
            CHECK(finding.cls == FindingClass::zeroed);
            found[finding.lba.value] += finding.sectors;
        }
        CHECK(found == wrong);
        CHECK(rig.journal.passes.back().finding_ranges == wrong.size());
        CHECK(rig.counters().verified.value == rig.range_bytes());
    }
}
