#pragma once

#include "analysis/curve.h"
#include "analysis/forecast.h"
#include "analysis/waf.h"
#include "facts/alert.h"
#include "facts/metric.h"
#include "store/store.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/stored.h"
#include "tools/wearctl/verdict.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Everything that a report says, worked out from the database; how it looks is another file's business.
namespace wearout::tools {

/// Bytes written and what they are held against.
struct Tbw {
    Bytes written;   ///< By the run.
    Bytes verified;  ///< By the run.
    std::optional<Bytes> host_bytes_by_drive;
    /// In the drive's life: its own count where it has one and that is more, else what our runs wrote.
    Bytes lifetime;
    std::optional<Bytes> rated;
    std::string rating_source;
    std::optional<double> rated_used_percent;  ///< lifetime / rated.
};

/// One wear metric over the history that the report is about.
struct WearLine {
    store::Series series;
    std::vector<analysis::Observation>
        history;  ///< The series, with `written` counted as `Tbw::lifetime` is.
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::optional<double> per_tb;
};

struct WafLine {
    analysis::Waf waf;
    std::string source;
};

/// A way to be worn out.
struct ForecastLine {
    Metric axis{};
    std::variant<analysis::Forecast, analysis::NoForecast> forecast;
};

struct NamedCurve {
    std::string name;
    std::string unit;
    analysis::Curve points;
};

struct Report {
    Subject subject;
    Verdict verdict;
    Tbw tbw;
    std::vector<WearLine> wear;  ///< Only what the drive tells, in the order of Metric.
    std::optional<WafLine> waf;
    std::vector<CounterUnit> counter_units;  ///< Of the drive's counters of written bytes.
    std::vector<ForecastLine> forecasts;     ///< Every axis, also those that the drive does not tell.
    std::vector<PassRecord> passes;          ///< Of the run.
    std::vector<NamedCurve> curves;  ///< The wear metrics (those that only grow go on over a reset), "waf" in
                                     ///< windows, and the speed of passes as "write_rate" and
                                     ///< "verify_rate" in bytes/s at the bytes written by their end.
    std::vector<Alert> alerts;       ///< Of the drive, not acknowledged.
    std::string counters_problem;    ///< Why there are no wear counters, if the newest sample says so.

    [[nodiscard]] const WearLine* find(Metric metric) const;
    [[nodiscard]] const NamedCurve* curve(std::string_view name) const;
};

[[nodiscard]] Report make_report(const store::Store& store, const Subject& subject);

[[nodiscard]] VerdictFacts verdict_facts(const store::StoredRun& run, Bytes drive_written);

/// The forms it comes in. The text is as wide as the screen.
[[nodiscard]] std::string report_text(const Report& report, const Screen& screen);
[[nodiscard]] std::string report_json(const Report& report);
/// Writes wear.csv, passes.csv and findings.csv (RFC 4180) into a folder, which is made when it is not there.
/// Throws a Failure (unreachable) that names the file.
void write_csv(const Report& report, const store::Store& store, const std::string& folder);

}  // namespace wearout::tools
