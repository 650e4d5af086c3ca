#include "tools/wearctl/explain_text.h"

#include "tools/wearctl/table.h"
#include "tools/wearctl/wear_history.h"

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string_view unit_beside(Metric metric) {
    const std::string_view unit = unit_of(metric);
    return unit == "bytes" || unit == "%" ? std::string_view() : unit;
}

/// "#173 MaxAvgErase_Ct", since a line has little room.
std::string short_place(const std::string& source) {
    constexpr std::string_view attribute = "attribute ";
    return source.starts_with(attribute) ? "#" + source.substr(attribute.size()) : source;
}

std::string exact(Metric metric, std::int64_t value) {
    const std::string text = value_text(metric, value);
    const std::string number = grouped(value);
    if (unit_of(metric) == "bytes") return fmt::format("{} ({} bytes)", text, number);
    return unit_beside(metric).empty() ? text : fmt::format("{} {}", number, unit_beside(metric));
}

/// 1073741824 -> "1 GiB".
std::string step_text(std::int64_t scale) {
    constexpr std::int64_t gib = std::int64_t{1} << 30U;
    constexpr std::int64_t mib = std::int64_t{1} << 20U;
    constexpr std::int64_t gb = 1'000'000'000;
    if (scale > 0 && scale % gib == 0) return fmt::format("{} GiB", grouped(scale / gib));
    if (scale > 0 && scale % mib == 0) return fmt::format("{} MiB", grouped(scale / mib));
    if (scale > 0 && scale % gb == 0) return fmt::format("{} GB", grouped(scale / gb));
    return fmt::format("{} bytes", grouped(scale));
}

/// How the number becomes the value; empty: as it is.
std::string formula(Metric metric, const health::ExplainedField& field) {
    if (!field.number) return {};
    const std::string number = grouped(*field.number);
    if (unit_of(metric) == "bytes") return fmt::format("{} x {}", number, step_text(field.scale));
    std::string text;
    if (field.scale == -1 && field.add != 0) return fmt::format("{} - {}", field.add, number);
    if (field.scale != 1) text = fmt::format("{} x {}", number, grouped(field.scale));
    if (field.steps != 1) text = fmt::format("{} / {}", number, grouped(field.steps));
    if (field.add != 0) text = fmt::format("{} + {}", text.empty() ? number : text, field.add);
    return text;
}

std::string told_text(const health::ExplainedField& field) {
    std::string text = field.told;
    if (field.raw_value && field.told != std::to_string(*field.raw_value))
        text += fmt::format("{}raw value {} (0x{:012x})", text.empty() ? "" : ", ", *field.raw_value,
                            static_cast<std::uint64_t>(*field.raw_value));
    if (!field.bytes.empty()) text += fmt::format(", of which bytes {}, most significant first", field.bytes);
    return text;
}

void add_chosen(Listing& listing, Metric metric, const health::ExplainedField& field) {
    listing.add("    from", fmt::format("{} ({})", field.source, confidence_names[field.confidence]));
    listing.add("    told", told_text(field));
    if (const std::string how = formula(metric, field); !how.empty()) listing.add("    decoded", how);
    listing.add("    known from", fmt::format("{} [{}]", field.known_from, field.family));
}

std::string metric_text(const health::ExplainedMetric& metric, const Screen& screen) {
    const auto* chosen = metric.chosen();
    const std::string value = chosen == nullptr ? "not told" : exact(metric.metric, *chosen->value);
    std::string text = "  " + paint(screen, Tone::strong, metric_names[metric.metric]) + "  " + value + "\n";
    Listing listing;
    if (chosen != nullptr) add_chosen(listing, metric.metric, *chosen);
    for (const auto& field : metric.fields) {
        if (field.passed_over.empty()) continue;
        const std::string told = field.value ? exact(metric.metric, *field.value) : told_text(field);
        listing.add("    passed over", fmt::format("{}{}: {}", field.source, told.empty() ? "" : " = " + told,
                                                   field.passed_over));
    }
    return text + listing.text(screen);
}

std::string families_text(const health::Explanation& explanation, const Screen& screen) {
    std::string text = heading("Families of the catalogue", screen);
    if (explanation.families.empty()) text += "  none fits this drive\n";
    Listing listing;
    for (const auto& family : explanation.families)
        listing.add(family.used ? "  used" : "  not used",
                    fmt::format("{}, version {}: {}", family.name, family.version, family.why));
    listing.add("  decoder", explanation.sample.decoder.empty() ? "none" : explanation.sample.decoder);
    return text + listing.text(screen);
}

std::string unknown_text(const health::Explanation& explanation, const Screen& screen) {
    if (explanation.sample.unknown.empty()) return {};
    std::string text = heading("Told, and unknown to us", screen);
    Table table({{"FIELD", Align::left, 20}, {"VALUE", Align::left, 10}});
    for (const auto& field : explanation.sample.unknown)
        table.add({{short_place(field.name)}, {field.value}});
    return text + table.text(screen);
}

Json field_json(Metric metric, const health::ExplainedField& field) {
    const auto number = [](const std::optional<std::int64_t>& value) {
        return value ? Json(*value) : Json();
    };
    return {{"value", number(field.value)},
            {"unit", unit_of(metric)},
            {"source", field.source},
            {"confidence", confidence_names[field.confidence]},
            {"raw", number(field.number)},
            {"scale", field.scale},
            {"add", field.add},
            {"told", field.told},
            {"raw_value", number(field.raw_value)},
            {"bytes", field.bytes.empty() ? Json() : Json(field.bytes)},
            {"family", field.family},
            {"known_from", field.known_from}};
}

Json metrics_json(const health::Explanation& explanation, bool whole) {
    Json metrics = Json::object();
    for (const auto& metric : explanation.metrics) {
        const auto* chosen = metric.chosen();
        if (chosen == nullptr && !whole) continue;
        Json json = chosen == nullptr ? Json{{"value", nullptr}, {"unit", unit_of(metric.metric)}}
                                      : field_json(metric.metric, *chosen);
        if (whole) {
            json["passed_over"] = Json::array();
            for (const auto& field : metric.fields) {
                if (field.passed_over.empty()) continue;
                Json other = field_json(metric.metric, field);
                other["why"] = field.passed_over;
                json["passed_over"].push_back(std::move(other));
            }
        }
        metrics[std::string(metric_names[metric.metric])] = std::move(json);
    }
    return metrics;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

std::string readings_text(const health::Explanation& explanation, const Screen& screen) {
    std::string text;
    if (!explanation.sample.readings.empty()) {
        text += heading("Decoded", screen);
        Table table({{"METRIC"},
                     {"VALUE", Align::right},
                     {"UNIT", Align::left, 0, 3},
                     {"FROM", Align::left, 12},
                     {"CONFIDENCE"}});
        for (const auto& reading : explanation.sample.readings)
            table.add({{std::string(metric_names[reading.metric])},
                       {value_text(reading.metric, reading.value)},
                       {std::string(unit_beside(reading.metric))},
                       {short_place(reading.source)},
                       {std::string(confidence_names[reading.confidence])}});
        text += table.text(screen);
    }
    return text + unknown_text(explanation, screen);
}

std::string explanation_text(const health::Explanation& explanation, const Screen& screen) {
    std::string text = families_text(explanation, screen);
    if (!explanation.metrics.empty()) text += heading("Decoded", screen);
    for (const auto& metric : explanation.metrics)
        text += metric_text(metric, screen);
    return text + unknown_text(explanation, screen);
}

Json explanation_json(const health::Explanation& explanation, bool whole) {
    Json json;
    json["decoder"] = text_or_null(explanation.sample.decoder);
    json["family"] = text_or_null(explanation.identity.drivedb_family);
    if (whole) {
        json["families"] = Json::array();
        for (const auto& family : explanation.families)
            json["families"].push_back({{"name", family.name},
                                        {"version", family.version},
                                        {"used", family.used},
                                        {"why", family.why}});
    }
    json["failing"] = explanation.failing;
    json["metrics"] = metrics_json(explanation, whole);
    json["unknown"] = Json::array();
    for (const auto& field : explanation.sample.unknown)
        json["unknown"].push_back({{"name", field.name}, {"value", field.value}});
    json["problems"] = Json::array();
    if (!explanation.sample.problem.empty()) json["problems"].push_back(explanation.sample.problem);
    return json;
}

Json identity_json(const health::Identity& identity) {
    return {{"model", text_or_null(identity.model)},
            {"serial", text_or_null(identity.serial)},
            {"wwn", text_or_null(identity.wwn)},
            {"firmware", text_or_null(identity.firmware)},
            {"capacity_bytes", identity.capacity_bytes ? Json(*identity.capacity_bytes) : Json(nullptr)}};
}

}  // namespace wearout::tools
