#include "base/endian.h"
#include "store/impl.h"

#include <string>

#include <fmt/format.h>

namespace wearout::store {

namespace {

constexpr std::size_t range_bytes = 2 * sizeof(std::uint64_t);

std::vector<std::byte> pack(const std::vector<UnitRange>& ranges) {
    std::vector<std::byte> bytes(ranges.size() * range_bytes);
    std::size_t at = 0;
    for (const auto& range : ranges) {
        store_le(std::span(bytes), at, range.first.value);
        store_le(std::span(bytes), at + sizeof range.count, range.count);
        at += range_bytes;
    }
    return bytes;
}

std::vector<UnitRange> unpack(const std::vector<std::byte>& bytes) {
    if (bytes.size() % range_bytes != 0 || bytes.size() / range_bytes > MediaState::max_unknown)
        throw_unreadable("a checkpoint's list of unknown units has a wrong length");
    std::vector<UnitRange> ranges;
    ranges.reserve(bytes.size() / range_bytes);
    for (std::size_t at = 0; at < bytes.size(); at += range_bytes)
        ranges.push_back({UnitIndex{load_le<std::uint64_t>(bytes, at)},
                          load_le<std::uint64_t>(bytes, at + sizeof(std::uint64_t))});
    return ranges;
}

/// Inserts the run's checkpoint, or puts it in the place of the one before.
void save_checkpoint(Database& database, RunId run, const Checkpoint& checkpoint) {
    const auto& media = checkpoint.media;
    const auto& counters = checkpoint.counters;
    const auto& pass = checkpoint.pass;
    const auto unknown = pack(media.unknown);
    database
        .query(
            "REPLACE INTO checkpoint (run, state, phase, reason, generation, flushed_to, issued_to,"
            " restart_mark, unknown, verify_position, written, verified, unverified, write_passes,"
            " verify_passes, active_ms, last_finding_sequence, pass_kind, pass_generation, pass_started,"
            " pass_active_ms, pass_bytes, pass_finding_ranges)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, run_state_names[checkpoint.state], run_state_names[checkpoint.phase], checkpoint.reason,
              media.generation, media.flushed_to, media.issued_to, media.restart_mark, unknown,
              checkpoint.verify_position, counters.written, counters.verified, counters.unverified,
              counters.write_passes, counters.verify_passes, counters.active, counters.last_finding_sequence,
              run_state_names[pass.kind], pass.generation, pass.started, pass.active, pass.bytes,
              pass.finding_ranges)
        .run();
    save_finding_counts(database, run, counters.findings);
}

void save_passes(Database& database, RunId run, const std::vector<PassRecord>& passes) {
    for (const auto& pass : passes)
        database
            .query(
                "REPLACE INTO pass (run, kind, generation, started, ended, active_ms, bytes, finding_ranges)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(run, run_state_names[pass.kind], pass.generation, pass.started, pass.ended, pass.active,
                  pass.bytes, pass.finding_ranges)
            .run();
}

std::int64_t insert_run(Database& database, std::int64_t drive, const RunSpec& spec, WallTime now) {
    const auto& limits = spec.limits;
    database
        .query(
            "INSERT INTO run (drive, started, profile, target, pattern_run, pattern_drive, pattern_seed,"
            " first_unit, units, limit_passes, limit_active_ms, limit_written, limit_wear_percent,"
            " reads_only, subject, verify, on_finding, transfer_bytes, queue_depth, bytes_per_second, rating,"
            " rating_source, consent)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(drive, now, spec.profile, spec.target, spec.pattern.run, spec.pattern.drive, spec.pattern.seed,
              spec.range.first, spec.range.count, limits.passes, limits.active_time, limits.written,
              limits.wear_percent, spec.reads_only, spec.subject, spec.verify,
              on_finding_names[spec.on_finding], spec.transfer_bytes, spec.queue_depth, spec.bytes_per_second,
              spec.rating, spec.rating_source, spec.consent)
        .run();
    return database.last_insert_id();
}

void read_spec(Query& row, RunSpec& spec) {
    auto& limits = spec.limits;
    row >> spec.profile >> spec.target >> spec.pattern.run >> spec.pattern.drive >> spec.pattern.seed >>
        spec.range.first >> spec.range.count >> limits.passes >> limits.active_time >> limits.written >>
        limits.wear_percent >> spec.reads_only >> spec.subject >> spec.verify;
    row.read_name(on_finding_names, spec.on_finding);
    row >> spec.transfer_bytes >> spec.queue_depth >> spec.bytes_per_second >> spec.rating >>
        spec.rating_source >> spec.consent;
}

void read_checkpoint(Query& row, Checkpoint& checkpoint) {
    auto& media = checkpoint.media;
    auto& counters = checkpoint.counters;
    std::vector<std::byte> unknown;
    row.read_name(run_state_names, checkpoint.state);
    row.read_name(run_state_names, checkpoint.phase);
    row >> checkpoint.reason >> media.generation >> media.flushed_to >> media.issued_to >>
        media.restart_mark >> unknown >> checkpoint.verify_position >> counters.written >>
        counters.verified >> counters.unverified >> counters.write_passes >> counters.verify_passes >>
        counters.active >> counters.last_finding_sequence;
    auto& pass = checkpoint.pass;
    row.read_name(run_state_names, pass.kind);
    row >> pass.generation >> pass.started >> pass.active >> pass.bytes >> pass.finding_ranges;
    media.unknown = unpack(unknown);
}

/// By id; one run, one drive's runs, or all.
std::vector<StoredRun> load_runs(Database& database, std::optional<RunId> id,
                                 std::optional<std::string_view> drive_key) {
    std::vector<StoredRun> runs;
    auto row = database.query(
        "SELECT run.id, key, started, ended, profile, target, pattern_run, pattern_drive, pattern_seed,"
        " first_unit, units, limit_passes, limit_active_ms, limit_written, limit_wear_percent, reads_only,"
        " subject, verify, on_finding, transfer_bytes, queue_depth, bytes_per_second, rating, rating_source,"
        " consent, state, phase, reason, generation, flushed_to, issued_to, restart_mark, unknown,"
        " verify_position, written, verified, unverified, write_passes, verify_passes, active_ms,"
        " last_finding_sequence, pass_kind, pass_generation, pass_started, pass_active_ms, pass_bytes,"
        " pass_finding_ranges"
        " FROM run JOIN drive ON drive.id = run.drive JOIN checkpoint ON checkpoint.run = run.id"
        " WHERE run.id = coalesce(?, run.id) AND key = coalesce(?, key) ORDER BY run.id");
    row.bind(id, drive_key);
    while (row.next()) {
        auto& run = runs.emplace_back();
        row >> run.id >> run.drive_key >> run.started >> run.ended;
        read_spec(row, run.spec);
        read_checkpoint(row, run.checkpoint);
        run.checkpoint.counters.findings = load_finding_counts(database, run.id);
    }
    return runs;
}

/// It has issued a write: one that was only told to begin has left what was there.
bool has_written(const StoredRun& run) {
    const auto& media = run.checkpoint.media;
    return !run.spec.reads_only && (media.generation.value > 1 || media.issued_to > 0);
}

}  // namespace

RunId Store::add_run(std::string_view drive_key, const RunSpec& spec, const Checkpoint& checkpoint,
                     WallTime now) {
    return impl_->write([&](Database& database) {
        const RunId run{insert_run(database, drive_row(database, drive_key), spec, now)};
        save_checkpoint(database, run, checkpoint);
        return run;
    });
}

void Store::commit(RunId run, const RunBatch& batch, WallTime now) {
    impl_->write([&](Database& database) {
        auto known = database.query("SELECT 1 FROM run WHERE id = ?");
        if (!known.bind(run).next())
            throw usage_error(fmt::format("the database knows no run {}", run.value));
        save_checkpoint(database, run, batch.checkpoint);
        save_findings(database, run, batch.findings);
        save_passes(database, run, batch.passes);
        if (is_over(batch.checkpoint.state))
            database.query("UPDATE run SET ended = ? WHERE id = ? AND ended IS NULL").bind(now, run).run();
        else
            database.query("UPDATE run SET ended = NULL WHERE id = ? AND ended IS NOT NULL").bind(run).run();
    });
}

std::optional<StoredRun> Store::run(RunId run) const {
    return impl_->read([&](Database& database) -> std::optional<StoredRun> {
        auto found = load_runs(database, run, std::nullopt);
        if (found.empty()) return std::nullopt;
        return std::move(found.front());
    });
}

std::vector<StoredRun> Store::runs(std::optional<std::string_view> drive_key) const {
    return impl_->read([&](Database& database) { return load_runs(database, std::nullopt, drive_key); });
}

std::vector<StoredRun> Store::unfinished_runs() const {
    auto all = runs();
    std::erase_if(all, [](const StoredRun& run) { return is_over(run.checkpoint.state); });
    return all;
}

std::optional<StoredRun> Store::last_writer(std::string_view drive_key) const {
    auto all = runs(drive_key);
    std::erase_if(all, [](const StoredRun& run) { return !has_written(run); });
    if (all.empty()) return std::nullopt;
    return std::move(all.back());
}

}  // namespace wearout::store
