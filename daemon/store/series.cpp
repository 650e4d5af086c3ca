#include "store/impl.h"

namespace wearout::store {

namespace {

/// Which samples a series is made of: a drive's, or of those the ones taken in a run.
class Filter {
  public:
    Filter(Database& database, std::int64_t drive, std::optional<RunId> run)
        : database_(database), drive_(drive), run_(run) {}

    struct Point {
        std::int64_t sample = 0;
        SeriesPoint at;
    };
    /// The first of them at or after a sample, and the last one at or before it.
    [[nodiscard]] std::optional<Point> first_from(std::int64_t sample) const {
        if (run_)
            return point(
                "SELECT id, time, run, drive_written FROM sample WHERE run = ? AND id >= ?"
                " ORDER BY id LIMIT 1",
                run_->value, sample);
        return point(
            "SELECT id, time, run, drive_written FROM sample WHERE drive = ? AND id >= ?"
            " ORDER BY id LIMIT 1",
            drive_, sample);
    }
    [[nodiscard]] std::optional<Point> last_to(std::int64_t sample) const {
        if (run_)
            return point(
                "SELECT id, time, run, drive_written FROM sample WHERE run = ? AND id <= ?"
                " ORDER BY id DESC LIMIT 1",
                run_->value, sample);
        return point(
            "SELECT id, time, run, drive_written FROM sample WHERE drive = ? AND id <= ?"
            " ORDER BY id DESC LIMIT 1",
            drive_, sample);
    }

  private:
    [[nodiscard]] std::optional<Point> point(std::string_view sql, std::int64_t owner,
                                             std::int64_t sample) const {
        auto row = database_.query(sql);
        if (!row.bind(owner, sample).next()) return std::nullopt;
        Point point;
        row >> point.sample >> point.at.time >> point.at.run >> point.at.written;
        return point;
    }

    Database& database_;
    std::int64_t drive_;
    std::optional<RunId> run_;
};

/// A value that stands from one sample (inclusive) to another (exclusive).
struct Stretch {
    std::int64_t from = 0;
    std::int64_t to = INT64_MAX;
    std::uint32_t epoch = 0;
    std::optional<std::int64_t> value;
};

std::vector<Stretch> load_stretches(Database& database, std::int64_t drive, Metric metric) {
    std::vector<Stretch> all;
    auto row = database.query(
        "SELECT sample, number, value FROM epoch JOIN reading ON epoch = id"
        " WHERE drive = ? AND metric = ? ORDER BY sample");
    row.bind(drive, metric_names[metric]);
    while (row.next()) {
        Stretch stretch;
        row >> stretch.from >> stretch.epoch >> stretch.value;
        if (!all.empty()) all.back().to = stretch.from;
        all.push_back(stretch);
    }
    return all;
}

/// The points of a series as its stretches are walked.
class Points {
  public:
    explicit Points(const Filter& filter) : filter_(filter) {}

    /// The value of a stretch, which outlives this, is first seen here.
    void add(const Filter::Point& seen, const Stretch& stretch) {
        const bool new_epoch = last_ != nullptr && last_->epoch != stretch.epoch;
        if (new_epoch) close();
        if (last_ == nullptr || new_epoch || last_->value != stretch.value) append(seen, stretch);
        last_ = &stretch;
    }
    /// Adds the last sample at which the newest value stood.
    void close() {
        if (last_ == nullptr) return;
        const auto seen = filter_.last_to(last_->to - 1);
        if (seen && seen->sample > at_) append(*seen, *last_);
    }
    [[nodiscard]] std::vector<SeriesPoint> take() { return std::move(points_); }

  private:
    void append(const Filter::Point& seen, const Stretch& stretch) {
        auto& point = points_.emplace_back(seen.at);
        point.value = stretch.value.value_or(0);
        point.epoch = stretch.epoch;
        at_ = seen.sample;
    }

    const Filter& filter_;
    std::vector<SeriesPoint> points_;
    std::int64_t at_ = 0;  ///< The sample of the newest point.
    const Stretch* last_ = nullptr;
};

std::vector<SeriesPoint> points_of(const std::vector<Stretch>& stretches, const Filter& filter) {
    Points points(filter);
    for (const auto& stretch : stretches) {
        if (!stretch.value) continue;
        const auto seen = filter.first_from(stretch.from);
        if (!seen) break;
        if (seen->sample < stretch.to) points.add(*seen, stretch);
    }
    points.close();
    return points.take();
}

/// The metrics that a drive ever told, in the order in which they were first seen.
std::vector<Metric> told_metrics(Database& database, std::int64_t drive) {
    std::vector<Metric> all;
    auto row = database.query("SELECT metric FROM epoch WHERE drive = ? GROUP BY metric ORDER BY min(id)");
    row.bind(drive);
    while (row.next())
        row.read_name(metric_names, all.emplace_back());
    return all;
}

/// Where the newest values were read.
void load_source(Database& database, std::int64_t drive, Series& series) {
    auto row =
        database.query("SELECT source, confidence FROM epoch WHERE drive = ? AND metric = ? AND number = ?");
    row.bind(drive, metric_names[series.metric], series.points.back().epoch);
    if (!row.next()) throw_unreadable("an epoch is missing");
    row >> series.source;
    row.read_name(confidence_names, series.confidence);
}

}  // namespace

std::vector<Series> Store::series(std::string_view drive_key, std::optional<RunId> run,
                                  std::optional<Metric> metric) const {
    return impl_->read([&](Database& database) {
        std::vector<Series> all;
        const auto drive = find_drive(database, drive_key);
        if (!drive) return all;
        const Filter filter(database, *drive, run);
        for (const Metric told : metric ? std::vector{*metric} : told_metrics(database, *drive)) {
            Series series;
            series.metric = told;
            series.points = points_of(load_stretches(database, *drive, told), filter);
            if (series.points.empty()) continue;
            load_source(database, *drive, series);
            all.push_back(std::move(series));
        }
        return all;
    });
}

}  // namespace wearout::store
