#pragma once

#include "analysis/curve.h"
#include "analysis/forecast.h"
#include "analysis/waf.h"
#include "facts/metric.h"
#include "facts/sample.h"
#include "tools/wearctl/console.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What the wear counters of one drive come to over time, wherever they were kept.
namespace wearout::tools {

/// One wear metric over time.
struct WearLine {
    Metric metric{};
    std::string source;  ///< Of the newest value.
    Confidence confidence = Confidence::vendor;
    std::vector<analysis::Observation>
        history;  ///< With `written` as the drive itself counts it, where it does.
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

struct WearHistory {
    std::vector<WearLine> wear;  ///< Only what the drive tells, in the order of Metric.
    std::optional<WafLine> waf;
    std::vector<ForecastLine> forecasts;  ///< Every axis, also those that the drive does not tell.
    std::vector<NamedCurve> curves;  ///< Of the wear metrics, under their names (those that only grow go on
                                     ///< over a reset), and "waf" in windows.

    [[nodiscard]] const WearLine* find(Metric metric) const;
    [[nodiscard]] const NamedCurve* curve(std::string_view name) const;
};

/// A curve has at most so many points.
inline constexpr std::size_t curve_points = 400;

/// Works all of it out from lines with their metric, source, confidence and history; those without a history
/// are left out. Write amplification is not told from counters whose source is in `refuted`.
[[nodiscard]] WearHistory wear_history(std::vector<WearLine> lines,
                                       const std::vector<std::string>& refuted = {});

/// Sections of a report, each with its heading, as wide as the screen. `problem` is why there are no
/// counters.
[[nodiscard]] std::string heading(std::string_view text, const Screen& screen);
[[nodiscard]] std::string wear_text(const WearHistory& history, const std::string& problem,
                                    const Screen& screen);
[[nodiscard]] std::string forecast_text(const WearHistory& history, const Screen& screen);
[[nodiscard]] std::string plots_text(const WearHistory& history, std::string_view x_label,
                                     const Screen& screen);

/// "1.14 TB", "12 %", "1,047"; and how much of it per TB.
[[nodiscard]] std::string value_text(Metric metric, std::int64_t value);
[[nodiscard]] std::string per_tb_text(Metric metric, const std::optional<double>& per_tb);

}  // namespace wearout::tools
