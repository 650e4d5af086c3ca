#include "tools/wearctl/report.h"

#include "analysis/rate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::size_t curve_points = 400;

struct Axis {
    Metric metric;
    analysis::ForecastOptions options;
};

/// A drive may die of any of these first.
const std::array<Axis, 3>& axes() {
    using enum analysis::Direction;
    static const std::array<Axis, 3> all = {
        Axis{Metric::percentage_used, {.end = 100, .direction = rising}},
        Axis{Metric::life_left_percent, {.end = 0, .direction = falling}},
        Axis{Metric::spare_percent, {.end = 0, .direction = falling}},
    };
    return all;
}

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
        WearLine line{one, {}, 0, 0, {}};
        for (const store::SeriesPoint& point : one.points)
            line.history.push_back({point.time, point.written + before, point.value, point.epoch});
        const auto growth = analysis::growth(line.history);
        if (!growth) continue;
        line.first = growth->first;
        line.last = growth->last;
        line.per_tb = growth->per_tb;
        lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end(),
              [](const WearLine& a, const WearLine& b) { return a.series.metric < b.series.metric; });
    return lines;
}

/// A temperature or a bit mask does not grow with what is written.
bool has_rate(Metric metric) {
    return metric != Metric::temperature_c && metric != Metric::critical_warning;
}

Tbw tbw_of(const Subject& subject, const WearLine* host_bytes) {
    Tbw tbw;
    tbw.written = subject.run.checkpoint.counters.written;
    tbw.verified = subject.run.checkpoint.counters.verified;
    tbw.lifetime = subject.drive.written;
    if (host_bytes != nullptr && host_bytes->last >= 0) {
        tbw.host_bytes_by_drive = Bytes{static_cast<std::uint64_t>(host_bytes->last)};
        tbw.lifetime = std::max(tbw.lifetime, *tbw.host_bytes_by_drive);
    }
    tbw.rated = subject.run.spec.rating;
    tbw.rating_source = subject.run.spec.rating_source;
    if (tbw.rated && tbw.rated->value > 0)
        tbw.rated_used_percent =
            100 * static_cast<double>(tbw.lifetime.value) / static_cast<double>(tbw.rated->value);
    return tbw;
}

/// Our own writes have shown that this counter stands still, or counts something else.
bool is_refuted(const WearLine& line, const std::vector<CounterUnit>& units) {
    return std::ranges::any_of(units, [&](const CounterUnit& unit) {
        return unit.field == line.series.source &&
               (unit.verdict == CounterVerdict::still || unit.verdict == CounterVerdict::contradicts);
    });
}

std::optional<WafLine> waf_of(const WearLine* nand, const WearLine* host) {
    if (nand == nullptr) return std::nullopt;
    WafLine line;
    if (host != nullptr) {
        line.waf = analysis::write_amplification(nand->history, host->history);
        line.source = fmt::format("{} / {}", nand->series.source, host->series.source);
    } else {
        line.waf = analysis::write_amplification(nand->history);
        line.source = fmt::format("{} / bytes that wearoutd wrote", nand->series.source);
    }
    if (!line.waf.since_start && !line.waf.lifetime && !line.waf.too_coarse) return std::nullopt;
    return line;
}

std::vector<ForecastLine> forecasts_of(const Report& report) {
    std::vector<ForecastLine> lines;
    for (const Axis& axis : axes()) {
        const WearLine* const line = report.find(axis.metric);
        if (line == nullptr)
            lines.push_back({axis.metric, analysis::NoForecast{"the drive does not tell it"}});
        else
            lines.push_back({axis.metric, analysis::forecast(line->history, axis.options)});
    }
    return lines;
}

analysis::Curve curve_of(const WearLine& line) {
    if (!is_cumulative(line.series.metric)) return analysis::to_curve(line.history);
    return analysis::to_curve(analysis::continued(line.history));
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

const WearLine* Report::find(Metric metric) const {
    const auto found = std::find_if(wear.begin(), wear.end(),
                                    [metric](const WearLine& line) { return line.series.metric == metric; });
    return found == wear.end() ? nullptr : &*found;
}

const NamedCurve* Report::curve(std::string_view name) const {
    const auto found = std::find_if(curves.begin(), curves.end(),
                                    [name](const NamedCurve& one) { return one.name == name; });
    return found == curves.end() ? nullptr : &*found;
}

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
    report.wear = wear_lines(
        store.series(key, subject.whole_drive ? std::nullopt : std::optional(subject.run.id)), before);
    for (WearLine& line : report.wear)
        if (!has_rate(line.series.metric)) line.per_tb.reset();
    const WearLine* const host_bytes = report.find(Metric::host_bytes_written);
    report.tbw = tbw_of(subject, host_bytes);
    report.verdict = judge(verdict_facts(subject.run, report.tbw.lifetime));
    report.counter_units = store.counter_units(key);
    const auto believed = [&](const WearLine* line) {
        return line == nullptr || is_refuted(*line, report.counter_units) ? nullptr : line;
    };
    report.waf = waf_of(believed(report.find(Metric::nand_bytes_written)), believed(host_bytes));
    report.forecasts = forecasts_of(report);
    report.passes = store.passes(subject.run.id);
    for (const WearLine& line : report.wear)
        report.curves.push_back({std::string(metric_names[line.series.metric]),
                                 std::string(unit_of(line.series.metric)),
                                 analysis::thinned(curve_of(line), curve_points)});
    if (report.waf && !report.waf->waf.windows.empty())
        report.curves.push_back({"waf", "ratio", report.waf->waf.windows});
    add_rates(report, before + written_by_earlier_runs(store, subject));
    for (const Alert& alert : store.alerts())
        if (alert.drive_key == key && !alert.acknowledged) report.alerts.push_back(alert);
    if (const auto sample = store.last_sample(key)) report.counters_problem = sample->problem;
    return report;
}

}  // namespace wearout::tools
