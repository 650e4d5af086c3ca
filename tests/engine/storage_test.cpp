// The journal fails at every commit there is, in turn: nothing goes beyond what is durable (the guarded
// device throws if it does), nothing is lost, and the run goes on by itself.

#include "support/faulty_rig.h"

using namespace wearout;
using namespace wearout::test;

namespace {

constexpr std::uint64_t units = 1000;

std::unique_ptr<FaultyRig> make_rig() {
    auto faulty = std::make_unique<FaultyRig>(units, 2, 1);
    faulty->rig.open(false);
    faulty->break_sectors(block::FaultKind::read_error, 700, 5);
    faulty->break_sectors(block::FaultKind::write_error, 1201, 2);
    for (const std::uint64_t unit : {20U, 21U, 60U})
        faulty->faults->add({.kind = block::FaultKind::zeroed_write,
                             .offset = unit * unit_bytes,
                             .length = unit_bytes,
                             .times = block::Fault::always});
    return faulty;
}

/// As a user keeps working on a run that waits.
RunState work_through(Rig& rig, std::uint64_t& waited) {
    for (int i = 0; i < 100'000; ++i) {
        const RunState state = rig.engine->work(5ms);
        if (is_over(state)) return state;
        if (state == RunState::waiting_storage) {
            ++waited;
            CHECK(rig.device->under_way == 0);
            CHECK(rig.engine->progress().checkpoint.reason == "can't save: the disk is full");
            rig.clock.advance(10ms);
        }
    }
    return RunState::writing;
}

void check_same_result(const Rig& rig, const Rig& reference) {
    const RunCounters& counters = rig.counters();
    CHECK(counters.findings == reference.counters().findings);
    CHECK(counters.written == reference.counters().written);
    CHECK(counters.verified == reference.counters().verified);
    CHECK(counters.unverified == reference.counters().unverified);
    CHECK(rig.journal.last.media == reference.journal.last.media);
    CHECK(kinds_and_bytes(rig.journal.passes) == kinds_and_bytes(reference.journal.passes));
    REQUIRE(rig.journal.findings.size() == reference.journal.findings.size());
    for (const auto& [sequence, expected] : reference.journal.findings) {
        Finding finding = rig.journal.findings.at(sequence);
        finding.time = expected.time;
        CHECK(finding == expected);
    }
}

}  // namespace

TEST_CASE("storage that fails at one commit, or from one on for a while, changes nothing in the end") {
    auto reference = make_rig();
    REQUIRE(reference->rig.work_on() == RunState::finished);
    CHECK(reference->rig.counters().findings.total() == 8);
    const std::uint64_t commits = reference->rig.journal.commits;
    REQUIRE(commits > 10);
    for (const std::uint64_t outage : {1U, 4U}) {
        for (std::uint64_t k = 1; k <= commits; ++k) {
            CAPTURE(outage);
            CAPTURE(k);
            auto faulty = make_rig();
            faulty->rig.journal.fails = [&](std::uint64_t attempt) {
                return attempt >= k && attempt < k + outage;
            };
            std::uint64_t waited = 0;
            REQUIRE(work_through(faulty->rig, waited) == RunState::finished);
            CHECK(waited > 0);
            check_same_result(faulty->rig, reference->rig);
        }
    }
}

TEST_CASE("killed while storage is out, a run goes on from the last durable checkpoint") {
    auto reference = make_rig();
    REQUIRE(reference->rig.work_on() == RunState::finished);
    for (std::uint64_t k = 1; k <= reference->rig.journal.commits; ++k) {
        CAPTURE(k);
        Rig rig({{units * unit_bytes}, 512}, FaultyRig::spec_for(units, 2), k);
        rig.open(false);
        rig.journal.fails = [&](std::uint64_t attempt) { return attempt >= k; };
        const RunState state = rig.work_on();
        if (is_over(state)) break;
        CHECK(state == RunState::waiting_storage);
        rig.memory->cut_power();
        rig.journal.fails = nullptr;
        rig.open(true);
        REQUIRE(rig.work_on() == RunState::finished);
        CHECK(rig.counters().findings.total() == 0);
        CHECK(holds(rig, 2));
    }
}

TEST_CASE("storage is tried again no more often than asked") {
    Rig rig({{units * unit_bytes}, 512}, make_spec(0, units));
    rig.open(false);
    rig.journal.fails = [](std::uint64_t) { return true; };
    CHECK(rig.work_on() == RunState::waiting_storage);
    CHECK(rig.journal.attempts == 1);
    CHECK(rig.device->submitted == 0);
    rig.clock.advance(29ms);
    CHECK(rig.engine->work(1ms) == RunState::waiting_storage);
    CHECK(rig.journal.attempts == 1);
    rig.clock.advance(1ms);
    CHECK(rig.engine->work(1ms) == RunState::waiting_storage);
    CHECK(rig.journal.attempts == 2);
}

TEST_CASE("an order that can't be saved is carried out, and is saved when storage is back") {
    Rig rig({{units * unit_bytes}, 512}, make_spec(0, units));
    rig.open(false);
    (void)rig.engine->work(20ms);
    bool out = true;
    rig.journal.fails = [&](std::uint64_t) { return out; };
    SUBCASE("pause") {
        rig.engine->pause();
        CHECK(rig.engine->work(1ms) == RunState::paused);
        CHECK(rig.journal.last.state == RunState::writing);
        out = false;
        rig.clock.advance(30ms);
        CHECK(rig.engine->work(1ms) == RunState::paused);
        CHECK(rig.journal.last.state == RunState::paused);
        rig.engine->resume();
        CHECK(rig.journal.last.state == RunState::writing);
    }
    SUBCASE("stop: a run is over only when that is durable") {
        rig.engine->stop("by the user");
        CHECK(rig.engine->work(1ms) == RunState::waiting_storage);
        CHECK_THROWS_AS(rig.engine->pause(), Failure);
        out = false;
        rig.clock.advance(30ms);
        CHECK(rig.engine->work(1ms) == RunState::stopped);
        CHECK(rig.journal.last.state == RunState::stopped);
        CHECK(rig.journal.last.reason == "by the user");
    }
    SUBCASE("pause while it waits") {
        (void)rig.work_on();
        rig.engine->pause();
        CHECK(rig.engine->work(1ms) == RunState::paused);
        CHECK(rig.journal.last.state == RunState::writing);
        out = false;
        rig.engine->resume();
        CHECK(rig.journal.last.state == RunState::writing);
        CHECK(rig.engine->work(1ms) == RunState::writing);
    }
}
