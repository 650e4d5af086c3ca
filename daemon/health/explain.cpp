#include "health/explain.h"

#include "health/answer.h"
#include "health/decode.h"
#include "health/problem.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::health {
namespace {

bool fits(const std::optional<Pattern>& pattern, const std::string& text) {
    return pattern && pattern->matches(text);
}

std::string why_family(const Family& family, const Answer& answer) {
    std::string why = fmt::format("every {} drive", protocol_names[family.protocol]);
    if (family.drivedb || family.unlisted)
        why = answer.listed ? fmt::format("smartctl's drive database has it as '{}'", answer.drivedb_family)
                            : fmt::format("smartctl's drive database does not list it, and its model is {}",
                                          answer.model);
    if (family.model) why += fmt::format(", with model {}", answer.model);
    if (family.firmware) why += fmt::format(", with firmware {}", answer.firmware);
    return why;
}

std::vector<ExplainedFamily> explain_families(const Answer& answer, const Catalogue& catalogue) {
    std::vector<ExplainedFamily> result;
    for (const auto& family : catalogue.families) {
        if (answer.is_of(family)) {
            result.push_back({family.name, family.version, true, why_family(family, answer)});
            continue;
        }
        const bool by_name =
            answer.listed ? fits(family.drivedb, answer.drivedb_family) : fits(family.unlisted, answer.model);
        if (family.protocol == answer.protocol && by_name && family.firmware &&
            !family.firmware->matches(answer.firmware))
            result.push_back({family.name, family.version, false,
                              fmt::format("its firmware {} is another than this family's", answer.firmware)});
    }
    return result;
}

/// What the answer has at the row's place.
void add_place(const Row& row, const Answer& answer, ExplainedField& field) {
    if (row.attribute) {
        const auto* attribute = answer.attribute(row.attribute->id);
        if (attribute == nullptr) return;
        field.raw_value = attribute->raw;
        if (row.attribute->take != Take::value) field.told = attribute->printed;
        if (field.told.empty() && attribute->value) field.told = std::to_string(*attribute->value);
        if (row.attribute->bytes != "543210" && row.attribute->take == Take::raw)
            field.bytes = row.attribute->bytes;
    } else if (row.statistic) {
        if (const auto* statistic = answer.statistic(row.statistic->page, row.statistic->offset))
            field.told = std::to_string(statistic->value);
    } else if (row.key) {
        field.told = answer.number_text(row.key->path).value_or("");
    }
    if (field.told.empty() && field.number) field.told = std::to_string(*field.number);
}

ExplainedField explain_row(const RowVerdict& verdict, const Answer& answer) {
    const Row& row = *verdict.row;
    ExplainedField field;
    field.source = verdict.place;
    field.scale = row.scale;
    field.steps = row.steps;
    field.add = row.add;
    if (verdict.reading) {
        field.number = verdict.reading->raw;
        field.scale = verdict.reading->scale;
        field.value = verdict.reading->value;
    }
    field.confidence = row.confidence;
    field.family = verdict.family->name;
    field.known_from = row.source;
    field.passed_over = verdict.passed_over;
    add_place(row, answer, field);
    return field;
}

bool has_failed_attribute(const Answer& answer, const Catalogue& catalogue) {
    const auto believed = [&](const Attribute& attribute) {
        return std::none_of(catalogue.families.begin(), catalogue.families.end(), [&](const Family& family) {
            const auto& none = family.false_alarms;
            return answer.is_of(family) && std::find(none.begin(), none.end(), attribute.id) != none.end();
        });
    };
    return std::any_of(answer.attributes.begin(), answer.attributes.end(), [&](const Attribute& attribute) {
        return attribute.failing_now && believed(attribute);
    });
}

}  // namespace

const ExplainedField* ExplainedMetric::chosen() const {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [](const ExplainedField& field) { return field.passed_over.empty(); });
    return found == fields.end() ? nullptr : &*found;
}

Explanation explain(const RawAnswer& raw, const Catalogue& catalogue) {
    Explanation result;
    result.sample = decode(raw, catalogue);
    const auto read = read_answer(raw.text);
    if (!read.answer) return result;
    const auto& answer = *read.answer;
    result.readable = true;
    result.identity = identify(answer);
    if (!answer.has_data()) return result;
    result.failing = says_failing(answer) || has_failed_attribute(answer, catalogue);
    result.families = explain_families(answer, catalogue);
    for (const auto& verdict : judge_rows(answer, catalogue)) {
        const auto metric = *verdict.row->metric;
        auto place =
            std::lower_bound(result.metrics.begin(), result.metrics.end(), metric,
                             [](const ExplainedMetric& one, Metric wanted) { return one.metric < wanted; });
        if (place == result.metrics.end() || place->metric != metric)
            place = result.metrics.insert(place, {metric, {}});
        place->fields.push_back(explain_row(verdict, answer));
    }
    return result;
}

}  // namespace wearout::health
