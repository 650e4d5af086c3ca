#include "base/quantity.h"
#include "tools/wearctl/plot.h"
#include "tools/wearctl/table.h"
#include "tools/wearctl/wear_history.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr double bytes_per_mb = 1e6;

std::string tb_text(double tb) {
    return tb < 0 ? "0 B" : format_bytes({static_cast<std::uint64_t>(tb * 1e12)});
}

struct PlotLine {
    std::string_view curve;
    std::string_view label;
};

struct PlotPlan {
    std::string_view title;
    std::vector<PlotLine> lines;
    std::optional<double> at_least;
    std::optional<double> at_most;
    bool steps = true;
    double scale = 1;
};

std::string draw(const WearHistory& history, std::string_view x_label, const PlotPlan& plan,
                 const Screen& screen) {
    std::vector<PlotSeries> series;
    for (const PlotLine& line : plan.lines)
        if (const NamedCurve* const curve = history.curve(line.curve)) {
            PlotSeries one{std::string(line.label), curve->points};
            for (analysis::Point& point : one.points)
                point.value /= plan.scale;
            series.push_back(std::move(one));
        }
    if (std::all_of(series.begin(), series.end(), [](const auto& one) { return one.points.size() < 2; }))
        return {};
    PlotOptions options;
    options.title = plan.title;
    options.x_label = x_label;
    options.at_least = plan.at_least;
    options.at_most = plan.at_most;
    options.steps = plan.steps;
    return "\n" + plot(series, options, screen);
}

}  // namespace

std::string heading(std::string_view text, const Screen& screen) {
    return "\n" + paint(screen, Tone::strong, text) + "\n";
}

std::string value_text(Metric metric, std::int64_t value) {
    const std::string_view unit = unit_of(metric);
    if (unit == "bytes" && value >= 0) return format_bytes({static_cast<std::uint64_t>(value)});
    if (unit == "%") return fmt::format("{} %", value);
    return grouped(value);
}

std::string per_tb_text(Metric metric, const std::optional<double>& per_tb) {
    if (!per_tb) return "-";
    if (unit_of(metric) == "bytes")
        return *per_tb < 0 ? fmt::format("{:.3g} B", *per_tb)
                           : format_bytes({static_cast<std::uint64_t>(*per_tb)});
    const double size = std::fabs(*per_tb);
    return size >= 1000 ? grouped(std::llround(*per_tb)) : fmt::format("{:.3g}", *per_tb);
}

std::string wear_text(const WearHistory& history, const std::string& problem, const Screen& screen) {
    std::string text = heading("Wear", screen);
    if (history.wear.empty())
        return text + fmt::format("  No wear counters{}\n",
                                  problem.empty() ? std::string(": the drive was not asked, or tells none.")
                                                  : ": " + printable(problem));
    Table table({{"  METRIC"},
                 {"FIRST", Align::right},
                 {"LAST", Align::right},
                 {"PER TB", Align::right, 0, 2},
                 {"UNIT", Align::left, 0, 3},
                 {"SOURCE", Align::left, 12, 4}});
    for (const WearLine& line : history.wear) {
        const Metric metric = line.metric;
        table.add({{"  " + std::string(metric_names[metric])},
                   {value_text(metric, line.first)},
                   {value_text(metric, line.last)},
                   {per_tb_text(metric, line.per_tb)},
                   {std::string(unit_of(metric) == "bytes" || unit_of(metric) == "%" ? "" : unit_of(metric))},
                   {line.source}});
    }
    text += table.text(screen);
    if (history.waf) {
        const auto number = [&](const std::optional<double>& value) -> std::string {
            if (value) return fmt::format("{:.2f}", *value);
            return history.waf->waf.too_coarse ? "unknown (too little written for the counters' steps)"
                                               : "unknown";
        };
        Listing listing;
        listing.add("  write amplification",
                    fmt::format("{} in this history, {} over the drive's life ({})",
                                number(history.waf->waf.since_start), number(history.waf->waf.lifetime),
                                history.waf->source));
        text += listing.text(screen);
    }
    return text;
}

std::string forecast_text(const WearHistory& history, const Screen& screen) {
    std::string text = heading("Forecast: TBW when the drive says that it is worn out", screen);
    Listing listing;
    for (const ForecastLine& line : history.forecasts) {
        if (history.find(line.axis) == nullptr) continue;
        const std::string name = "  " + std::string(metric_names[line.axis]);
        if (const auto* none = std::get_if<analysis::NoForecast>(&line.forecast)) {
            listing.add(name, "none: " + none->reason);
            continue;
        }
        const auto& forecast = std::get<analysis::Forecast>(line.forecast);
        listing.add(
            name, fmt::format("{}, with {:.0f} % confidence from {} to {} ({}, {} samples)",
                              tb_text(forecast.tbw_at_end), 100 * forecast.confidence, tb_text(forecast.low),
                              tb_text(forecast.high), forecast.method, forecast.samples));
    }
    const std::string lines = listing.text(screen);
    return text +
           (lines.empty() ? "  none: the drive tells no percentage used, life left or spare\n" : lines);
}

std::string plots_text(const WearHistory& history, std::string_view x_label, const Screen& screen) {
    const std::array plans = {
        PlotPlan{"Erase counts, P/E cycles", {{"erase_count_max", "max"}, {"erase_count_avg", "avg"}}, 0, {}},
        PlotPlan{"Life, %", {{"percentage_used", "used"}, {"life_left_percent", "left"}}, 0, 100},
        PlotPlan{"Retired blocks (grown)", {{"retired_blocks", ""}}, 0, {}},
        PlotPlan{"Spare, %", {{"spare_percent", ""}}, 0, 100},
        PlotPlan{"Write amplification", {{"waf", ""}}, 0, {}},
        PlotPlan{"Speed of passes, MB/s",
                 {{"write_rate", "write"}, {"verify_rate", "verify"}},
                 0,
                 {},
                 false,
                 bytes_per_mb},
    };
    std::string text;
    for (const PlotPlan& plan : plans)
        text += draw(history, x_label, plan, screen);
    return text;
}

}  // namespace wearout::tools
