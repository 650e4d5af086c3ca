#include "base/error.h"
#include "store/database.h"
#include "support.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

const std::string key = some_drive().key;

/// A store with one drive and one run in it.
struct World {
    Folder folder;
    Store store{folder.file(), OpenMode::read_write};
    RunId run;
    World() {
        store.remember_drive(some_drive(), false);
        run = store.add_run(key, some_spec(), checkpoint(0), at(0));
    }
};

template <typename T>
rc::Gen<std::optional<T>> maybe(rc::Gen<T> gen) {
    return rc::gen::oneOf(rc::gen::just(std::optional<T>()),
                          rc::gen::map(std::move(gen), [](T value) { return std::optional<T>(value); }));
}

std::uint64_t any_u64() {
    return *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                           rc::gen::element<std::uint64_t>(0, UINT64_MAX, 1ULL << 63U, (1ULL << 63U) - 1));
}

std::uint32_t any_u32() {
    return *rc::gen::oneOf(rc::gen::arbitrary<std::uint32_t>(), rc::gen::just(UINT32_MAX));
}

std::chrono::milliseconds any_duration() {
    return std::chrono::milliseconds(*rc::gen::inRange<std::int64_t>(0, INT64_C(1) << 50U));
}

template <typename Enum, std::size_t N>
Enum any_of(const EnumNames<Enum, N>& names) {
    return static_cast<Enum>(*rc::gen::inRange<std::size_t>(0, names.size()));
}

RunSpec any_spec() {
    RunSpec spec;
    spec.profile = *rc::gen::arbitrary<std::string>();
    spec.target = *rc::gen::arbitrary<std::string>();
    spec.pattern = {any_u64(), any_u64(), any_u64()};
    spec.range = {UnitIndex{any_u64()}, any_u64()};
    spec.limits.passes = *maybe(rc::gen::arbitrary<std::uint32_t>());
    if (*rc::gen::arbitrary<bool>()) spec.limits.active_time = any_duration();
    if (*rc::gen::arbitrary<bool>()) spec.limits.written = Bytes{any_u64()};
    spec.limits.wear_percent = *maybe(rc::gen::arbitrary<std::uint32_t>());
    spec.reads_only = *rc::gen::arbitrary<bool>();
    spec.verify = *rc::gen::arbitrary<bool>();
    spec.on_finding = any_of(on_finding_names);
    spec.transfer_bytes = any_u32();
    spec.queue_depth = any_u32();
    spec.bytes_per_second = *maybe(rc::gen::arbitrary<std::uint64_t>());
    if (*rc::gen::arbitrary<bool>()) spec.rating = Bytes{any_u64()};
    spec.rating_source = *rc::gen::arbitrary<std::string>();
    spec.consent = *rc::gen::arbitrary<std::string>();
    return spec;
}

Checkpoint any_checkpoint() {
    Checkpoint state;
    state.state = any_of(run_state_names);
    state.phase = any_of(run_state_names);
    state.reason = *rc::gen::arbitrary<std::string>();
    state.media = {Generation{any_u32()}, any_u64(), any_u64(), any_u64(), {}};
    for (int ranges = *rc::gen::inRange(0, 20); ranges > 0; --ranges)
        state.media.unknown.push_back({UnitIndex{any_u64()}, any_u64()});
    state.verify_position = any_u64();
    auto& counters = state.counters;
    // The sum over a drive's runs has to fit: a run can't write 2^50 bytes more than exist.
    counters.written = {*rc::gen::inRange<std::uint64_t>(0, UINT64_C(1) << 50U)};
    counters.verified = {any_u64()};
    counters.unverified = {any_u64()};
    counters.write_passes = any_u32();
    counters.verify_passes = any_u32();
    counters.active = any_duration();
    counters.last_finding_sequence = any_u32();
    for (std::size_t i = 0; i < finding_class_count; ++i) {
        counters.findings.ranges.at(i) = *rc::gen::element<std::uint64_t>(0, 1, UINT64_MAX);
        counters.findings.sectors.at(i) = *rc::gen::element<std::uint64_t>(0, 8, UINT64_MAX);
    }
    state.pass = {any_of(run_state_names),
                  Generation{any_u32()},
                  at(*rc::gen::inRange(0, 1'000'000)),
                  {},
                  any_duration(),
                  Bytes{any_u64()},
                  any_u64()};
    return state;
}

Finding any_finding(std::uint32_t sequence) {
    Finding found;
    found.sequence = sequence;
    found.cls = any_of(finding_class_names);
    found.lba = {any_u64()};
    found.sectors = any_u64();
    found.pass = any_u32();
    found.time = at(*rc::gen::inRange(0, 1'000'000));
    found.expected = {any_u32()};
    if (*rc::gen::arbitrary<bool>()) found.found = Generation{any_u32()};
    if (*rc::gen::arbitrary<bool>()) found.source_lba = Lba{any_u64()};
    found.foreign_run = *maybe(rc::gen::arbitrary<std::uint64_t>());
    found.foreign_drive = *maybe(rc::gen::arbitrary<std::uint64_t>());
    found.flips_to_one = any_u64();
    found.flips_to_zero = any_u64();
    found.first_wrong_byte = any_u32();
    found.first_wrong_bits = *rc::gen::arbitrary<std::uint8_t>();
    found.torn_sectors = *rc::gen::arbitrary<std::uint8_t>();
    found.error = *rc::gen::inRange(0, 200);
    found.reread = any_of(reread_names);
    found.expected_bytes.resize(*rc::gen::inRange<std::size_t>(0, 513), std::byte{1});
    found.actual_bytes.resize(*rc::gen::inRange<std::size_t>(0, 513), std::byte{2});
    return found;
}

}  // namespace

TEST_CASE("drives come back as they were remembered, and newer facts replace older ones") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    Drive drive = some_drive();
    drive.capacity = {UINT64_MAX};
    drive.simulated = true;
    store.remember_drive(drive, true);
    store.remember_drive(some_drive("file:/tmp/b"), true);
    CHECK(store.drive(key)->drive == drive);
    CHECK(store.drive(key)->ours);
    drive.firmware = "102";
    store.remember_drive(drive, false);
    CHECK(store.drives().size() == 2);
    CHECK(store.drives().front().drive == drive);
    CHECK_FALSE(store.drive(key)->ours);
    CHECK_FALSE(store.drive("nothing"));
}

TEST_CASE("whatever a run is, it comes back the same") {
    World world;
    CHECK(rc::check([&world] {
        const auto spec = any_spec();
        const auto begin = any_checkpoint();
        const auto run = world.store.add_run(key, spec, begin, at(5));
        RC_ASSERT(world.store.run(run)->spec == spec);
        RC_ASSERT(world.store.run(run)->checkpoint == begin);
        auto later = any_checkpoint();
        // Counts only ever grow, so that a class that was found is found for good.
        later.counters.findings = begin.counters.findings;
        world.store.commit(run, {later, {}, {}}, at(6));
        const auto stored = world.store.run(run);
        RC_ASSERT(stored->checkpoint == later);
        RC_ASSERT(stored->spec == spec);
        RC_ASSERT(stored->drive_key == key);
        RC_ASSERT(stored->started == at(5));
        RC_ASSERT(stored->ended.has_value() == is_over(later.state));
    }));
}

TEST_CASE("whatever a finding is, it comes back the same, and grows in its place") {
    World world;
    CHECK(rc::check([&world] {
        const auto run = world.store.add_run(key, some_spec(), checkpoint(0), at(0));
        std::vector<Finding> model;
        for (int commits = *rc::gen::inRange(1, 4); commits > 0; --commits) {
            RunBatch batch{checkpoint(1), {}, {}};
            for (auto& grown : model)
                if (*rc::gen::arbitrary<bool>()) {
                    grown = any_finding(grown.sequence);
                    batch.findings.push_back(grown);
                }
            for (int fresh = *rc::gen::inRange(0, 5); fresh > 0; --fresh) {
                model.push_back(any_finding(static_cast<std::uint32_t>(model.size() + 1)));
                batch.findings.push_back(model.back());
            }
            world.store.commit(run, batch, at(1));
        }
        RC_ASSERT(world.store.findings(run) == model);
        const auto after = *rc::gen::inRange<std::uint32_t>(0, 5);
        const auto some = world.store.findings(run, after, 2);
        RC_ASSERT(some.size() ==
                  std::min<std::size_t>(2, model.size() - std::min<std::size_t>(after, model.size())));
        RC_ASSERT((some.empty() || some.front().sequence == after + 1));
    }));
}

TEST_CASE("passes keep their order, the same one told again is the same") {
    World world;
    const PassRecord first{RunState::writing, {1}, at(0), at(10), std::chrono::seconds(9), {1U << 30U}, 0};
    const PassRecord second{RunState::verifying,     {1},         at(10), at(20),
                            std::chrono::seconds(8), {1U << 30U}, 2};
    world.store.commit(world.run, {checkpoint(1), {}, {first}}, at(10));
    world.store.commit(world.run, {checkpoint(2), {}, {second}}, at(20));
    CHECK(world.store.passes(world.run) == std::vector{first, second});
    world.store.commit(world.run, {checkpoint(2), {}, {second}}, at(21));
    CHECK(world.store.passes(world.run) == std::vector{first, second});
}

TEST_CASE("a run is over at its first end, and open again when it goes on") {
    World world;
    auto over = checkpoint(1);
    over.state = RunState::finished;
    CHECK(world.store.unfinished_runs().size() == 1);
    world.store.commit(world.run, {over, {}, {}}, at(10));
    world.store.commit(world.run, {over, {}, {}}, at(20));
    CHECK(world.store.run(world.run)->ended == at(10));
    CHECK(world.store.unfinished_runs().empty());
    world.store.commit(world.run, {checkpoint(2), {}, {}}, at(30));
    CHECK_FALSE(world.store.run(world.run)->ended);
    CHECK(world.store.unfinished_runs().size() == 1);
}

TEST_CASE("bytes written add up over a drive's runs, runs are listed by id") {
    World world;
    world.store.remember_drive(some_drive("file:/tmp/b"), true);
    const auto other = world.store.add_run("file:/tmp/b", some_spec(), checkpoint(100), at(1));
    const auto second = world.store.add_run(key, some_spec(), checkpoint(0), at(2));
    world.store.commit(world.run, {checkpoint(5), {}, {}}, at(3));
    world.store.commit(second, {checkpoint(7), {}, {}}, at(4));
    CHECK(world.store.drive(key)->written == Bytes{12U << 20U});
    CHECK(world.store.drive("file:/tmp/b")->written == Bytes{100U << 20U});
    const auto ids = [](const std::vector<StoredRun>& runs) {
        std::vector<std::int64_t> all;
        for (const auto& run : runs)
            all.push_back(run.id.value);
        return all;
    };
    CHECK(ids(world.store.runs()) == std::vector{world.run.value, other.value, second.value});
    CHECK(ids(world.store.runs(key)) == std::vector{world.run.value, second.value});
}

TEST_CASE("a scan compares with the last run that issued a write") {
    World world;
    Checkpoint fresh;
    CHECK(fresh.media.issued_to == 0);
    const auto never_wrote = world.store.add_run(key, some_spec(), fresh, at(1));
    auto scan = some_spec();
    scan.reads_only = true;
    scan.subject = world.run;
    const auto scanner = world.store.add_run(key, scan, checkpoint(9), at(2));
    CHECK(world.store.run(scanner)->spec == scan);
    CHECK(world.store.last_writer(key)->id == world.run);
    world.store.commit(never_wrote, {checkpoint(1), {}, {}}, at(3));
    CHECK(world.store.last_writer(key)->id == never_wrote);
    CHECK_FALSE(world.store.last_writer("file:other"));
}

TEST_CASE("what is not known is a wrong argument, and nothing is stored") {
    World world;
    CHECK_THROWS_AS((void)world.store.add_run("nothing", some_spec(), checkpoint(0), at(0)), Failure);
    CHECK_THROWS_AS(world.store.commit(RunId{99}, {checkpoint(0), {finding(1)}, {}}, at(0)), Failure);
    CHECK_THROWS_AS(world.store.add_sample("nothing", world.run, sample(0)), Failure);
    CHECK_THROWS_AS(world.store.add_sample(key, RunId{99}, sample(0)), Failure);
    CHECK_FALSE(world.store.run(RunId{99}));
    CHECK(world.store.findings(RunId{99}).empty());
    CHECK(world.store.runs().size() == 1);
    CHECK_FALSE(world.store.last_sample(key));
}

TEST_CASE("a name that is not known is told, not guessed") {
    World world;
    {
        Database behind(world.folder.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
        behind.execute("UPDATE checkpoint SET state = 'dreaming'");
    }
    try {
        (void)world.store.run(world.run);
        FAIL("accepted");
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::unreachable);
        CHECK(std::string(failure.what()).find("'dreaming' is not known to this version") !=
              std::string::npos);
    }
    world.store.commit(world.run, {checkpoint(1), {}, {}}, at(1));
    CHECK(world.store.run(world.run)->checkpoint == checkpoint(1));
}

TEST_CASE("alerts are kept, updated by id, and acknowledged once") {
    World world;
    Alert alert;
    alert.drive_key = key;
    alert.run = world.run;
    alert.rule = "retired-block-growth";
    alert.text = "3 more";
    alert.baseline = 12;
    alert.value = 15;
    alert.per_tb = 0.25;
    alert.since = at(1);
    alert.updated = at(2);
    alert.id = world.store.save_alert(alert);
    CHECK(alert.id > 0);
    alert.value = 16;
    alert.per_tb.reset();
    CHECK(world.store.save_alert(alert) == alert.id);
    Alert other = alert;
    other.id = 0;
    other.run.reset();
    CHECK(world.store.save_alert(other) != alert.id);

    const auto stored = world.store.alerts();
    REQUIRE(stored.size() == 2);
    CHECK(stored[0].id == alert.id);
    CHECK(stored[0].drive_key == key);
    CHECK(stored[0].run == world.run);
    CHECK(stored[0].rule == alert.rule);
    CHECK(stored[0].text == alert.text);
    CHECK(stored[0].baseline == 12);
    CHECK(stored[0].value == 16);
    CHECK_FALSE(stored[0].per_tb);
    CHECK(stored[0].since == at(1));
    CHECK(stored[0].updated == at(2));
    CHECK_FALSE(stored[0].acknowledged);
    CHECK_FALSE(stored[1].run);

    CHECK(world.store.acknowledge_alert(alert.id, at(9)));
    CHECK(world.store.acknowledge_alert(alert.id, at(10)));
    CHECK(world.store.alerts()[0].acknowledged == at(9));
    CHECK_FALSE(world.store.acknowledge_alert(77, at(9)));
    alert.id = 77;
    CHECK_THROWS_AS((void)world.store.save_alert(alert), Failure);
}
