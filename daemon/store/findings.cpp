#include "store/impl.h"

namespace wearout::store {

void save_findings(Database& database, RunId run, const std::vector<Finding>& findings) {
    for (const auto& finding : findings)
        database
            .query(
                "REPLACE INTO finding (run, sequence, class, lba, sectors, pass, time, expected, found,"
                " source_lba, foreign_run, foreign_drive, flips_to_one, flips_to_zero, first_wrong_byte,"
                " first_wrong_bits, torn_sectors, error, reread, expected_bytes, actual_bytes)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(run, finding.sequence, finding_class_names[finding.cls], finding.lba, finding.sectors,
                  finding.pass, finding.time, finding.expected, finding.found, finding.source_lba,
                  finding.foreign_run, finding.foreign_drive, finding.flips_to_one, finding.flips_to_zero,
                  finding.first_wrong_byte, finding.first_wrong_bits, finding.torn_sectors, finding.error,
                  reread_names[finding.reread], finding.expected_bytes, finding.actual_bytes)
            .run();
}

void save_finding_counts(Database& database, RunId run, const FindingCounts& counts) {
    for (std::size_t i = 0; i < finding_class_count; ++i) {
        if (counts.ranges.at(i) == 0 && counts.sectors.at(i) == 0) continue;
        // Most checkpoints find nothing new: then the page stays clean.
        database
            .query(
                "INSERT INTO finding_count (run, class, ranges, sectors) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (run, class) DO UPDATE SET ranges = excluded.ranges, sectors = excluded.sectors"
                " WHERE ranges <> excluded.ranges OR sectors <> excluded.sectors")
            .bind(run, finding_class_names.names.at(i), counts.ranges.at(i), counts.sectors.at(i))
            .run();
    }
}

FindingCounts load_finding_counts(Database& database, RunId run) {
    FindingCounts counts;
    auto row = database.query("SELECT class, ranges, sectors FROM finding_count WHERE run = ?");
    row.bind(run);
    while (row.next()) {
        FindingClass cls{};
        row.read_name(finding_class_names, cls);
        const auto i = static_cast<std::size_t>(cls);
        row >> counts.ranges.at(i) >> counts.sectors.at(i);
    }
    return counts;
}

std::vector<Finding> Store::findings(RunId run, std::uint32_t after, std::size_t limit) const {
    return impl_->read([&](Database& database) {
        std::vector<Finding> all;
        auto row = database.query(
            "SELECT sequence, class, lba, sectors, pass, time, expected, found, source_lba, foreign_run,"
            " foreign_drive, flips_to_one, flips_to_zero, first_wrong_byte, first_wrong_bits, torn_sectors, "
            "error,"
            " reread, expected_bytes, actual_bytes"
            " FROM finding WHERE run = ? AND sequence > ? ORDER BY sequence");
        row.bind(run, after);
        while (all.size() < limit && row.next()) {
            auto& finding = all.emplace_back();
            row >> finding.sequence;
            row.read_name(finding_class_names, finding.cls);
            row >> finding.lba >> finding.sectors >> finding.pass >> finding.time >> finding.expected >>
                finding.found >> finding.source_lba >> finding.foreign_run >> finding.foreign_drive >>
                finding.flips_to_one >> finding.flips_to_zero >> finding.first_wrong_byte >>
                finding.first_wrong_bits >> finding.torn_sectors >> finding.error;
            row.read_name(reread_names, finding.reread);
            row >> finding.expected_bytes >> finding.actual_bytes;
        }
        return all;
    });
}

std::vector<PassRecord> Store::passes(RunId run) const {
    return impl_->read([&](Database& database) {
        std::vector<PassRecord> all;
        auto row = database.query(
            "SELECT kind, generation, started, ended, active_ms, bytes, finding_ranges"
            " FROM pass WHERE run = ? ORDER BY rowid");
        row.bind(run);
        while (row.next()) {
            auto& pass = all.emplace_back();
            row.read_name(run_state_names, pass.kind);
            row >> pass.generation >> pass.started >> pass.ended >> pass.active >> pass.bytes >>
                pass.finding_ranges;
        }
        return all;
    });
}

}  // namespace wearout::store
