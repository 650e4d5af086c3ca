#include "tools/wearctl/wear_history.h"

#include "analysis/rate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

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

/// A temperature or a bit mask does not grow with what is written.
bool has_rate(Metric metric) {
    return metric != Metric::temperature_c && metric != Metric::critical_warning;
}

std::optional<WafLine> waf_of(const WearLine* nand, const WearLine* host) {
    if (nand == nullptr) return std::nullopt;
    WafLine line;
    if (host != nullptr) {
        line.waf = analysis::write_amplification(nand->history, host->history);
        line.source = fmt::format("{} / {}", nand->source, host->source);
    } else {
        line.waf = analysis::write_amplification(nand->history);
        line.source = fmt::format("{} / bytes that wearoutd wrote", nand->source);
    }
    if (!line.waf.since_start && !line.waf.lifetime && !line.waf.too_coarse) return std::nullopt;
    return line;
}

std::vector<ForecastLine> forecasts_of(const WearHistory& history) {
    std::vector<ForecastLine> lines;
    for (const Axis& axis : axes()) {
        const WearLine* const line = history.find(axis.metric);
        if (line == nullptr)
            lines.push_back({axis.metric, analysis::NoForecast{"the drive does not tell it"}});
        else
            lines.push_back({axis.metric, analysis::forecast(line->history, axis.options)});
    }
    return lines;
}

analysis::Curve curve_of(const WearLine& line) {
    if (!is_cumulative(line.metric)) return analysis::to_curve(line.history);
    return analysis::to_curve(analysis::continued(line.history));
}

void add_growth(std::vector<WearLine>& lines) {
    std::erase_if(lines, [](const WearLine& line) { return line.history.empty(); });
    for (WearLine& line : lines) {
        const auto growth = analysis::growth(line.history);
        line.first = growth->first;
        line.last = growth->last;
        if (has_rate(line.metric)) line.per_tb = growth->per_tb;
    }
    std::sort(lines.begin(), lines.end(),
              [](const WearLine& a, const WearLine& b) { return a.metric < b.metric; });
}

}  // namespace

const WearLine* WearHistory::find(Metric metric) const {
    const auto found = std::find_if(wear.begin(), wear.end(),
                                    [metric](const WearLine& line) { return line.metric == metric; });
    return found == wear.end() ? nullptr : &*found;
}

const NamedCurve* WearHistory::curve(std::string_view name) const {
    const auto found = std::find_if(curves.begin(), curves.end(),
                                    [name](const NamedCurve& one) { return one.name == name; });
    return found == curves.end() ? nullptr : &*found;
}

WearHistory wear_history(std::vector<WearLine> lines, const std::vector<std::string>& refuted) {
    WearHistory history;
    const auto believed = [&](const WearLine* line) {
        const bool known =
            line != nullptr && std::find(refuted.begin(), refuted.end(), line->source) == refuted.end();
        return known ? line : nullptr;
    };
    add_growth(lines);
    history.wear = std::move(lines);
    history.waf = waf_of(believed(history.find(Metric::nand_bytes_written)),
                         believed(history.find(Metric::host_bytes_written)));
    history.forecasts = forecasts_of(history);
    for (const WearLine& line : history.wear)
        history.curves.push_back({std::string(metric_names[line.metric]), std::string(unit_of(line.metric)),
                                  analysis::thinned(curve_of(line), curve_points)});
    if (history.waf && !history.waf->waf.windows.empty())
        history.curves.push_back({"waf", "ratio", history.waf->waf.windows});
    return history;
}

}  // namespace wearout::tools
