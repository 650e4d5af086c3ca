#include "store/impl.h"

namespace wearout::store {

namespace {

/// A drive's samples (?1), or of those the ones of a run (?2).
#define SAMPLES_OF " FROM sample WHERE drive = ?1 AND (?2 IS NULL OR run = ?2)"

std::optional<std::chrono::milliseconds> middle_duration(Database& database, std::int64_t drive,
                                                         std::optional<RunId> run, std::uint64_t count) {
    auto row = database.query("SELECT took_ms" SAMPLES_OF " ORDER BY took_ms LIMIT 1 OFFSET ?3");
    std::optional<std::chrono::milliseconds> middle;
    if (row.bind(drive, run, (count - 1) / 2).next()) row >> middle;
    return middle;
}

std::optional<IoStall> worst_stall(Database& database, std::int64_t drive, std::optional<RunId> run) {
    auto row = database.query("SELECT stall_us, usual_gap_us" SAMPLES_OF
                              " AND stall_us IS NOT NULL AND usual_gap_us IS NOT NULL"
                              " ORDER BY max(0, stall_us - usual_gap_us) DESC, stall_us DESC LIMIT 1");
    if (!row.bind(drive, run).next()) return std::nullopt;
    std::int64_t longest = 0;
    std::int64_t usual = 0;
    row >> longest >> usual;
    return IoStall{std::chrono::microseconds(longest), std::chrono::microseconds(usual)};
}

}  // namespace

SamplingCost Store::sampling_cost(std::string_view drive_key, std::optional<RunId> run) const {
    return impl_->read([&](Database& database) {
        SamplingCost cost;
        const auto drive = find_drive(database, drive_key);
        if (!drive) return cost;
        {
            // Where there was nothing to decode no decoder is named.
            auto row = database.query(
                "SELECT count(*), coalesce(sum(decoder IN (SELECT id FROM note WHERE text = '')), 0),"
                " coalesce(max(took_ms), 0)" SAMPLES_OF);
            if (!row.bind(*drive, run).next()) throw_unreadable("no answer");
            row >> cost.questions >> cost.unanswered >> cost.longest;
        }
        if (cost.questions == 0) return cost;
        cost.median = middle_duration(database, *drive, run, cost.questions).value_or(cost.longest);
        cost.worst = worst_stall(database, *drive, run);
        return cost;
    });
}

#undef SAMPLES_OF

std::string Store::device_type(std::string_view drive_key) const {
    return impl_->read([&](Database& database) {
        std::string type;
        auto row = database.query("SELECT smart_type FROM drive WHERE key = ?");
        if (row.bind(drive_key).next()) row >> type;
        return type;
    });
}

void Store::remember_device_type(std::string_view drive_key, std::string_view type) {
    impl_->write([&](Database& database) {
        const std::int64_t drive = drive_row(database, drive_key);
        database.query("UPDATE drive SET smart_type = ? WHERE id = ?").bind(type, drive).run();
    });
}

}  // namespace wearout::store
