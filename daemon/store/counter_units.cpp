#include "store/impl.h"

#include <cmath>

namespace wearout::store {

namespace {

std::optional<double> if_measured(const CounterUnit& unit, double number) {
    return unit.bytes_per_step > 0 && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

void save(Database& database, std::int64_t drive, RunId run, const CounterUnit& unit) {
    database
        .query(
            "INSERT OR REPLACE INTO counter_unit (drive, field, run, metric, verdict, catalogue_step, step,"
            " bytes_per_step, low, high, written, grown, samples, longest_still, longest_still_ms, updated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(drive, unit.field, run, metric_names[unit.metric], counter_verdict_names[unit.verdict],
              unit.catalogue_step, unit.step, if_measured(unit, unit.bytes_per_step),
              if_measured(unit, unit.low), if_measured(unit, unit.high), unit.written, unit.grown,
              unit.samples, unit.longest_still, unit.longest_still_time, unit.updated)
        .run();
}

}  // namespace

void Store::save_counter_units(std::string_view drive_key, RunId run, const std::vector<CounterUnit>& units) {
    impl_->write([&](Database& database) {
        const auto drive = drive_row(database, drive_key);
        for (const auto& unit : units)
            save(database, drive, run, unit);
    });
}

std::vector<CounterUnit> Store::counter_units(std::string_view drive_key) const {
    return impl_->read([&](Database& database) {
        std::vector<CounterUnit> all;
        const auto drive = find_drive(database, drive_key);
        if (!drive) return all;
        auto row = database.query(
            "SELECT field, metric, verdict, catalogue_step, step, coalesce(bytes_per_step, 0.0),"
            " coalesce(low, 0.0), coalesce(high, 0.0), written, grown, samples, longest_still,"
            " longest_still_ms, updated FROM counter_unit WHERE drive = ? ORDER BY field");
        row.bind(*drive);
        while (row.next()) {
            auto& unit = all.emplace_back();
            row >> unit.field;
            row.read_name(metric_names, unit.metric);
            row.read_name(counter_verdict_names, unit.verdict);
            row >> unit.catalogue_step >> unit.step >> unit.bytes_per_step >> unit.low >> unit.high >>
                unit.written >> unit.grown >> unit.samples >> unit.longest_still >> unit.longest_still_time >>
                unit.updated;
        }
        return all;
    });
}

}  // namespace wearout::store
