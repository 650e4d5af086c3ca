#include "store/impl.h"

namespace wearout::store {

namespace {

void insert_alert(Database& database, const Alert& alert) {
    database
        .query(
            "INSERT INTO alert (drive, run, rule, text, baseline, value, per_tb, since, updated, "
            "acknowledged)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(drive_row(database, alert.drive_key), alert.run, alert.rule, alert.text, alert.baseline,
              alert.value, alert.per_tb, alert.since, alert.updated, alert.acknowledged)
        .run();
}

void update_alert(Database& database, const Alert& alert) {
    database
        .query(
            "UPDATE alert SET drive = ?, run = ?, rule = ?, text = ?, baseline = ?, value = ?, per_tb = ?,"
            " since = ?, updated = ?, acknowledged = ? WHERE id = ?")
        .bind(drive_row(database, alert.drive_key), alert.run, alert.rule, alert.text, alert.baseline,
              alert.value, alert.per_tb, alert.since, alert.updated, alert.acknowledged, alert.id)
        .run();
    if (!database.changed()) throw usage_error("the database knows no alert " + std::to_string(alert.id));
}

}  // namespace

std::int64_t Store::save_alert(const Alert& alert) {
    return impl_->write([&](Database& database) {
        if (alert.id != 0) {
            update_alert(database, alert);
            return alert.id;
        }
        insert_alert(database, alert);
        return database.last_insert_id();
    });
}

std::vector<Alert> Store::alerts() const {
    return impl_->read([&](Database& database) {
        std::vector<Alert> all;
        auto row = database.query(
            "SELECT alert.id, key, run, rule, text, baseline, value, per_tb, since, updated,"
            " acknowledged FROM alert JOIN drive ON drive.id = drive ORDER BY alert.id");
        while (row.next()) {
            auto& alert = all.emplace_back();
            row >> alert.id >> alert.drive_key >> alert.run >> alert.rule >> alert.text >> alert.baseline >>
                alert.value >> alert.per_tb >> alert.since >> alert.updated >> alert.acknowledged;
        }
        return all;
    });
}

bool Store::acknowledge_alert(std::int64_t id, WallTime now) {
    return impl_->write([&](Database& database) {
        // The first acknowledgement stands; doing it again is no error.
        database.query("UPDATE alert SET acknowledged = coalesce(acknowledged, ?) WHERE id = ?")
            .bind(now, id)
            .run();
        return database.changed();
    });
}

}  // namespace wearout::store
