#include "tools/wearctl/wear_json.h"

namespace wearout::tools {

Json wear_json(const std::vector<WearLine>& lines) {
    Json wear = Json::object();
    for (const WearLine& line : lines)
        wear[std::string(metric_names[line.metric])] = {{"first", line.first},
                                                        {"last", line.last},
                                                        {"unit", unit_of(line.metric)},
                                                        {"source", line.source},
                                                        {"per_tb", or_null(line.per_tb)},
                                                        {"confidence", confidence_names[line.confidence]}};
    return wear;
}

Json waf_json(const std::optional<WafLine>& line) {
    if (!line || (!line->waf.since_start && !line->waf.lifetime)) return nullptr;
    return {{"since_start", or_null(line->waf.since_start)},
            {"lifetime", or_null(line->waf.lifetime)},
            {"source", line->source},
            {"windows", line->waf.windows.size()}};
}

Json forecast_json(const std::vector<ForecastLine>& lines) {
    Json all = Json::object();
    for (const ForecastLine& line : lines) {
        Json& json = all[std::string(metric_names[line.axis])];
        if (const auto* none = std::get_if<analysis::NoForecast>(&line.forecast)) {
            json = {{"reason", none->reason}};
            continue;
        }
        const auto& forecast = std::get<analysis::Forecast>(line.forecast);
        json = {{"tbw_at_end", forecast.tbw_at_end},
                {"low", forecast.low},
                {"high", forecast.high},
                {"confidence", forecast.confidence},
                {"method", std::string(forecast.method)},
                {"samples", forecast.samples}};
    }
    return all;
}

Json curves_json(const std::vector<NamedCurve>& curves) {
    Json all = Json::object();
    for (const NamedCurve& curve : curves) {
        Json points = Json::array();
        for (const analysis::Point& point : curve.points)
            points.push_back(Json::array({point.tb, point.value}));
        all[curve.name] = {{"x", "tbw"}, {"unit", curve.unit}, {"points", std::move(points)}};
    }
    return all;
}

}  // namespace wearout::tools
