#include "store/samples.h"

#include "store/impl.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::store {

namespace {

/// By all runs on the drive until the sample. After a crash a run counts from its last checkpoint: what was
/// written beyond it stays counted here.
Bytes written_until(Database& database, std::int64_t drive, std::optional<RunId> run, const Sample& sample,
                    const SampleMemory& memory) {
    auto row = database.query(
        "SELECT coalesce(sum(written), 0) FROM run JOIN checkpoint ON run = run.id"
        " WHERE drive = ?1 AND run.id IS NOT ?2");
    Bytes others;
    if (!row.bind(drive, run).next()) throw_unreadable("no answer");
    row >> others;
    const Bytes own = run ? sample.run_written : Bytes{0};
    return std::max(memory.drive_written, others + own);
}

void store_unknown(Database& database, std::int64_t drive, const std::vector<UnknownField>& fields,
                   SampleMemory& memory) {
    if (fields == memory.unknown) return;
    database.query("DELETE FROM unknown_field WHERE drive = ?").bind(drive).run();
    std::int64_t place = 0;
    for (const auto& field : fields)
        database.query("INSERT INTO unknown_field (drive, place, name, value) VALUES (?, ?, ?, ?)")
            .bind(drive, place++, field.name, field.value)
            .run();
    memory.unknown = fields;
}

std::vector<UnknownField> load_unknown(Database& database, std::int64_t drive) {
    std::vector<UnknownField> fields;
    auto row = database.query("SELECT name, value FROM unknown_field WHERE drive = ? ORDER BY place");
    row.bind(drive);
    while (row.next()) {
        auto& field = fields.emplace_back();
        row >> field.name >> field.value;
    }
    return fields;
}

void check_run(Database& database, std::int64_t drive, RunId run) {
    auto row = database.query("SELECT 1 FROM run WHERE id = ? AND drive = ?");
    if (!row.bind(run, drive).next())
        throw usage_error(fmt::format("the database knows no run {} on this drive", run.value));
}

struct SampleRow {
    std::int64_t id = 0;
    std::int64_t drive = 0;
};

std::optional<SampleRow> find_row(Query& query) {
    if (!query.next()) return std::nullopt;
    SampleRow row;
    query >> row.id >> row.drive;
    return row;
}

Sample load_sample(Database& database, SampleRow at) {
    Sample sample;
    std::optional<std::int64_t> raw;
    {
        auto row = database.query(
            "SELECT time, reason, run_written, took_ms, raw, decoder.text, problem.text, stall_us,"
            " usual_gap_us FROM sample"
            " JOIN note AS decoder ON decoder.id = decoder JOIN note AS problem ON problem.id = problem"
            " WHERE sample.id = ?");
        if (!row.bind(at.id).next()) throw_unreadable("a note is missing");
        row >> sample.time;
        row.read_name(sample_reason_names, sample.reason);
        row >> sample.run_written >> sample.took >> raw >> sample.decoder >> sample.problem;
        std::optional<std::int64_t> longest;
        std::optional<std::int64_t> usual;
        row >> longest >> usual;
        if (longest && usual)
            sample.stall = {std::chrono::microseconds(*longest), std::chrono::microseconds(*usual)};
    }
    if (raw) sample.raw = load_answer(database, *raw);
    sample.readings = load_readings(database, at.drive, at.id);
    return sample;
}

}  // namespace

std::int64_t note_row(Database& database, const std::string& text) {
    database.query("INSERT INTO note (text) VALUES (?) ON CONFLICT DO NOTHING").bind(text).run();
    auto row = database.query("SELECT id FROM note WHERE text = ?");
    std::int64_t id = 0;
    if (!row.bind(text).next()) throw_unreadable("a note is missing");
    row >> id;
    return id;
}

SampleMemory load_sample_memory(Database& database, std::int64_t drive) {
    SampleMemory memory;
    load_tracks(database, drive, memory);
    load_answer_memory(database, drive, memory);
    memory.unknown = load_unknown(database, drive);
    auto row = database.query("SELECT drive_written FROM sample WHERE drive = ? ORDER BY id DESC LIMIT 1");
    if (row.bind(drive).next()) row >> memory.drive_written;
    return memory;
}

void Store::add_sample(std::string_view drive_key, std::optional<RunId> run, const Sample& sample) {
    impl_->write([&](Database& database) {
        const std::int64_t drive = drive_row(database, drive_key);
        if (run) check_run(database, drive, *run);
        auto& memory = impl_->memory_of(database, drive);
        std::optional<std::int64_t> raw;
        if (!sample.raw.empty()) raw = store_answer(database, drive, sample.raw, sample.time, memory);
        memory.drive_written = written_until(database, drive, run, sample, memory);
        const auto& stall = sample.stall;
        database
            .query(
                "INSERT INTO sample (drive, run, time, reason, run_written, drive_written, took_ms, raw, "
                "decoder, problem, stall_us, usual_gap_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(drive, run, sample.time, sample_reason_names[sample.reason], sample.run_written,
                  memory.drive_written, sample.took, raw, note_row(database, sample.decoder),
                  note_row(database, sample.problem),
                  stall ? std::optional(stall->longest.count()) : std::nullopt,
                  stall ? std::optional(stall->usual.count()) : std::nullopt)
            .run();
        const std::int64_t row = database.last_insert_id();
        store_readings(database, drive, row, sample, memory);
        store_unknown(database, drive, sample.unknown, memory);
    });
}

std::optional<Sample> Store::last_sample(std::string_view drive_key) const {
    return impl_->read([&](Database& database) -> std::optional<Sample> {
        auto query = database.query(
            "SELECT sample.id, drive FROM sample JOIN drive ON drive.id = drive"
            " WHERE key = ? ORDER BY sample.id DESC LIMIT 1");
        const auto row = find_row(query.bind(drive_key));
        if (!row) return std::nullopt;
        Sample sample = load_sample(database, *row);
        sample.unknown = load_unknown(database, row->drive);
        return sample;
    });
}

std::optional<Sample> Store::first_sample(RunId run) const {
    return impl_->read([&](Database& database) -> std::optional<Sample> {
        auto query = database.query("SELECT id, drive FROM sample WHERE run = ? ORDER BY id LIMIT 1");
        const auto row = find_row(query.bind(run));
        if (!row) return std::nullopt;
        return load_sample(database, *row);
    });
}

std::vector<StoredSample> Store::samples(std::string_view drive_key, std::optional<RunId> run) const {
    return impl_->read([&](Database& database) {
        std::vector<StoredSample> all;
        auto row = database.query(
            "SELECT sample.id, drive, time FROM sample JOIN drive ON drive.id = drive"
            " WHERE key = ?1 AND (?2 IS NULL OR run = ?2) ORDER BY sample.id");
        row.bind(drive_key, run);
        while (row.next()) {
            auto& one = all.emplace_back();
            row >> one.id >> one.drive >> one.time;
        }
        return all;
    });
}

Sample Store::sample(const StoredSample& which) const {
    return impl_->read([&](Database& database) { return load_sample(database, {which.id, which.drive}); });
}

}  // namespace wearout::store
