#include "health/write_counters.h"

#include "health/answer.h"
#include "health/row_reader.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace wearout::health {
namespace {

bool counts_writes(const Row& row) {
    return row.metric == Metric::host_bytes_written || row.metric == Metric::nand_bytes_written;
}

/// "Total_LBAs_Written", "Host_Writes_32MiB", but not "Write_Error_Rate" nor "Flash_Writes", which depend on
/// more than the host.
bool is_named_as_host_writes(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
    return (has("written") || has("writes")) && !has("nand") && !has("flash") && !has("error");
}

/// The catalogue's own, each field once.
void add_known(const Answer& answer, const Catalogue& catalogue, std::vector<WriteCounter>& counters) {
    std::set<std::string> seen;
    for (const auto& family : catalogue.families) {
        if (!answer.is_of(family)) continue;
        for (const auto& row : family.rows) {
            if (!counts_writes(row)) continue;
            const auto reading = read_row(row, answer);
            if (reading && seen.insert(reading->source).second)
                counters.push_back({reading->source, *row.metric, reading->raw, reading->scale});
        }
    }
}

std::set<int> known_attributes(const Answer& answer, const Catalogue& catalogue) {
    std::set<int> ids;
    for (const auto& family : catalogue.families)
        if (answer.is_of(family))
            for (const auto& row : family.rows)
                if (row.attribute && has_field(row, answer)) ids.insert(row.attribute->id);
    return ids;
}

}  // namespace

std::vector<WriteCounter> write_counters(std::string_view text, const Catalogue& catalogue) {
    const auto result = read_answer(text);
    std::vector<WriteCounter> counters;
    if (!result.answer || !result.answer->has_data()) return counters;
    const auto& answer = *result.answer;
    add_known(answer, catalogue, counters);
    const auto known = known_attributes(answer, catalogue);
    for (const auto& attribute : answer.attributes) {
        if (known.contains(attribute.id) || answer.attribute(attribute.id) == nullptr) continue;
        if (!attribute.raw || *attribute.raw < 0 || !is_named_as_host_writes(attribute.name)) continue;
        counters.push_back({fmt::format("attribute {} {}", attribute.id, attribute.name),
                            Metric::host_bytes_written, *attribute.raw, std::nullopt});
    }
    return counters;
}

std::vector<WriteCounter> write_counters(std::string_view answer) {
    return write_counters(answer, builtin_catalogue());
}

}  // namespace wearout::health
