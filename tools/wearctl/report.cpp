#include "tools/wearctl/report.h"

#include "health/endurance.h"
#include "health/ratings.h"

#include <algorithm>

namespace wearout::tools {

namespace {

/// How many bytes were written to the drive before our first sample, by its own count: so many more than we
/// know of ourselves.
Bytes written_before(const std::vector<store::Series>& series) {
    for (const store::Series& one : series) {
        if (one.metric != Metric::host_bytes_written || one.points.empty()) continue;
        const store::SeriesPoint& first = one.points.front();
        const auto told = static_cast<std::uint64_t>(std::max<std::int64_t>(0, first.value));
        return {told > first.written.value ? told - first.written.value : 0};
    }
    return {};
}

std::vector<WearLine> wear_lines(const std::vector<store::Series>& series, Bytes before) {
    std::vector<WearLine> lines;
    for (const store::Series& one : series) {
        WearLine& line = lines.emplace_back();
        line.metric = one.metric;
        line.source = one.source;
        line.confidence = one.confidence;
        for (const store::SeriesPoint& point : one.points)
            line.history.push_back({point.time, point.written + before, point.value, point.epoch});
    }
    return lines;
}

/// The run's rating; where it has none, what is known of the model by now.
void add_rating(Tbw& tbw, const store::Store& store, const Subject& subject) {
    const Drive& drive = subject.drive.drive;
    const auto known = health::find_rating(store.ratings(), drive.model, drive.capacity);
    tbw.rated = subject.run.spec.rating;
    tbw.rating_source = subject.run.spec.rating_source;
    if (!known) return;
    if (!tbw.rated) {
        tbw.rated = known->bytes;
        tbw.rating_source = known->source;
    }
    if (*tbw.rated != known->bytes || !known->endurance.years) return;
    tbw.warranty_years = known->endurance.years;
    tbw.rated_dwpd_milli = known->endurance.dwpd_milli;
    if (!tbw.rated_dwpd_milli)
        tbw.rated_dwpd_milli = health::dwpd_milli_of(*tbw.rated, drive.capacity, *tbw.warranty_years);
}

Tbw tbw_of(const store::Store& store, const Subject& subject, const WearLine* host_bytes) {
    Tbw tbw;
    tbw.written = subject.run.checkpoint.counters.written;
    tbw.verified = subject.run.checkpoint.counters.verified;
    tbw.lifetime = subject.drive.written;
    if (host_bytes != nullptr && host_bytes->last >= 0) {
        tbw.host_bytes_by_drive = Bytes{static_cast<std::uint64_t>(host_bytes->last)};
        tbw.lifetime = std::max(tbw.lifetime, *tbw.host_bytes_by_drive);
    }
    add_rating(tbw, store, subject);
    if (tbw.rated && tbw.rated->value > 0)
        tbw.rated_used_percent =
            100 * static_cast<double>(tbw.lifetime.value) / static_cast<double>(tbw.rated->value);
    return tbw;
}

/// The counters of which our own writes have shown that they stand still, or count something else.
std::vector<std::string> refuted(const std::vector<CounterUnit>& units) {
    std::vector<std::string> sources;
    for (const CounterUnit& unit : units)
        if (unit.verdict == CounterVerdict::still || unit.verdict == CounterVerdict::contradicts)
            sources.push_back(unit.field);
    return sources;
}

/// Speed of each pass at the bytes that were written when it ended, the drive's life counted from `before`.
void add_rates(Report& report, Bytes before) {
    NamedCurve writes{"write_rate", "bytes/s", {}};
    NamedCurve reads{"verify_rate", "bytes/s", {}};
    Bytes written = before;
    for (const PassRecord& pass : report.passes) {
        const bool wrote = pass.kind == RunState::writing;
        if (wrote) written += pass.bytes;
        if (pass.active.count() <= 0) continue;
        const double seconds = static_cast<double>(pass.active.count()) / 1000;
        (wrote ? writes : reads)
            .points.push_back(
                {analysis::terabytes(written), static_cast<double>(pass.bytes.value) / seconds});
    }
    for (NamedCurve* curve : {&writes, &reads})
        if (!curve->points.empty()) {
            curve->points = analysis::thinned(curve->points, curve_points);
            report.curves.push_back(std::move(*curve));
        }
}

/// What our earlier runs on this drive wrote.
Bytes written_by_earlier_runs(const store::Store& store, const Subject& subject) {
    Bytes sum;
    for (const store::StoredRun& run : store.runs(subject.drive.drive.key))
        if (run.id < subject.run.id) sum += run.checkpoint.counters.written;
    return sum;
}

}  // namespace

VerdictFacts verdict_facts(const store::StoredRun& run, Bytes drive_written) {
    VerdictFacts facts;
    facts.state = run.checkpoint.state;
    facts.reason = run.checkpoint.reason;
    facts.reads_only = run.spec.reads_only;
    facts.open_ended = run.spec.limits == Limits{};
    facts.findings = run.checkpoint.counters.findings;
    facts.verified = run.checkpoint.counters.verified;
    facts.drive_written = drive_written;
    facts.rating = run.spec.rating;
    return facts;
}

Report make_report(const store::Store& store, const Subject& subject) {
    Report report;
    report.subject = subject;
    const std::string& key = subject.drive.drive.key;
    const Bytes before = written_before(store.series(key, std::nullopt, Metric::host_bytes_written));
    const auto run = subject.whole_drive ? std::nullopt : std::optional(subject.run.id);
    report.counter_units = store.counter_units(key);
    static_cast<WearHistory&>(report) =
        wear_history(wear_lines(store.series(key, run), before), refuted(report.counter_units));
    report.sampling = store.sampling_cost(key, run);
    report.tbw = tbw_of(store, subject, report.find(Metric::host_bytes_written));
    VerdictFacts facts = verdict_facts(subject.run, report.tbw.lifetime);
    facts.rating = report.tbw.rated;
    report.verdict = judge(facts);
    report.passes = store.passes(subject.run.id);
    add_rates(report, before + written_by_earlier_runs(store, subject));
    for (const Alert& alert : store.alerts())
        if (alert.drive_key == key && !alert.acknowledged) report.alerts.push_back(alert);
    if (const auto sample = store.last_sample(key)) report.counters_problem = sample->problem;
    return report;
}

}  // namespace wearout::tools
