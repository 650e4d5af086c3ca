#include "health/text_sections.h"

#include "health/json_build.h"
#include "health/text_values.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace wearout::health {
namespace {

/// Where the columns are that differ between the two formats.
struct RowShape {
    std::size_t when_failed = 0;
    std::size_t least = 0;  ///< Words up to there.
};

bool is_flags(std::string_view word) {
    if (word.starts_with("0x")) return word.size() == 6 && any_integer(word);
    return word.size() == 6 && word.find_first_not_of("POSRCK-") == std::string_view::npos;
}

bool is_normalised(std::string_view word) {
    return word == "---" || any_integer(word).value_or(256) <= 255;
}

/// ID NAME FLAGS VALUE WORST THRESH, then FAIL, or TYPE UPDATED WHEN_FAILED.
std::optional<RowShape> shape_of(const std::vector<std::string_view>& row) {
    if (row.size() < 7 || !is_flags(row[2])) return std::nullopt;
    const auto id = any_integer(row[0]).value_or(0);
    if (id < 1 || id > 255 || !is_normalised(row[3]) || !is_normalised(row[4]) || !is_normalised(row[5]))
        return std::nullopt;
    if (row[6] == "Pre-fail" || row[6] == "Old_age")
        return row.size() < 9 ? std::nullopt : std::optional(RowShape{8, 9});
    return RowShape{6, 7};
}

void put_if_number(Json& object, std::string_view key, std::optional<std::int64_t> number) {
    if (number) put(object, key, json_number(std::to_string(*number)));
}

std::string_view when_failed(std::string_view word) {
    if (word == "NOW" || word == "FAILING_NOW") return "now";
    return word == "Past" || word == "In_the_past" ? "past" : "";
}

/// What smartctl also tells in places of their own: ataprint.cpp, set_json_globals_from_smart_attrib, and
/// atacmds.cpp, ata_return_temperature_value.
void note_globals(std::int64_t id, std::string_view name, std::string_view printed, Json& answer) {
    constexpr std::int64_t most = 0xffffff;  // Above, smartctl takes it for bogus.
    const auto number = leading_integer(printed);
    if (!number || *number < 0) return;
    const auto raw = raw_of_printed(printed);
    if (id == 9 && name.starts_with("Power_On_")) {
        const bool in_low_bytes = !raw || (*raw & 0xffffffff) <= most;
        if (*number <= most && in_low_bytes)
            put(member(answer, "power_on_time"), "hours", json_number(std::to_string(*number)));
    } else if (id == 12 && name == "Power_Cycle_Count") {
        if (raw && *raw <= most) put(answer, "power_cycle_count", json_number(std::to_string(*raw)));
    } else if ((id == 194 || id == 190) && *number > 0 && *number < 128) {
        put(member(answer, "text_temperature"), std::to_string(id), json_number(std::to_string(*number)));
    }
}

bool is_statistic_flags(std::string_view word) {
    return word.size() >= 3 && word.find_first_not_of("NDCV-") == std::string_view::npos;
}

struct NvmeField {
    std::string_view label;
    std::string_view key;
};

/// nvmeprint.cpp, print_smart_log.
constexpr std::array nvme_fields = {
    NvmeField{"Critical Warning", "critical_warning"},
    NvmeField{"Temperature", "temperature"},
    NvmeField{"Available Spare", "available_spare"},
    NvmeField{"Available Spare Threshold", "available_spare_threshold"},
    NvmeField{"Percentage Used", "percentage_used"},
    NvmeField{"Data Units Read", "data_units_read"},
    NvmeField{"Data Units Written", "data_units_written"},
    NvmeField{"Host Read Commands", "host_reads"},
    NvmeField{"Host Write Commands", "host_writes"},
    NvmeField{"Controller Busy Time", "controller_busy_time"},
    NvmeField{"Power Cycles", "power_cycles"},
    NvmeField{"Power On Hours", "power_on_hours"},
    NvmeField{"Unsafe Shutdowns", "unsafe_shutdowns"},
    NvmeField{"Media and Data Integrity Errors", "media_errors"},
    NvmeField{"Error Information Log Entries", "num_err_log_entries"},
    NvmeField{"Warning Comp. Temperature Time", "warning_temp_time"},
    NvmeField{"Critical Comp. Temperature Time", "critical_comp_time"},
};

/// Without "[172 TB]", "%" and the unit of a temperature.
std::string_view bare(std::string_view value) {
    value = trimmed(value.substr(0, value.find('[')));
    for (const std::string_view unit : {"%", "Celsius", "C"})
        if (value.ends_with(unit)) return trimmed(value.substr(0, value.size() - unit.size()));
    return value;
}

/// "10311,154": digits, either mark, three digits.
std::optional<std::string> gigabytes(std::string_view word) {
    const auto mark = word.find_first_of(",.");
    if (mark == std::string_view::npos || word.size() - mark != 4) return std::nullopt;
    const auto whole = word.substr(0, mark);
    const auto fraction = word.substr(mark + 1);
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!digits(whole) || !digits(fraction)) return std::nullopt;
    return std::string(whole) + "." + std::string(fraction);
}

}  // namespace

bool is_attribute_row(std::string_view line) {
    return shape_of(words(line)).has_value();
}

bool read_attribute(std::string_view line, Json& answer) {
    const auto row = words(line);
    const auto shape = shape_of(row);
    if (!shape) return false;
    const auto id = any_integer(row[0]).value_or(0);
    std::string_view printed;
    if (row.size() > shape->least)
        printed = trimmed(line.substr(static_cast<std::size_t>(row[shape->least].data() - line.data())));
    Json attribute;
    put_if_number(attribute, "id", id);
    put(attribute, "name", json_string(row[1]));
    put_if_number(attribute, "value", any_integer(row[3]));
    put_if_number(attribute, "worst", any_integer(row[4]));
    put_if_number(attribute, "thresh", any_integer(row[5]));
    put(attribute, "when_failed", json_string(when_failed(row[shape->when_failed])));
    auto& raw = member(attribute, "raw");
    put_if_number(raw, "value", raw_of_printed(printed));
    put(raw, "string", json_string(printed));
    append(member(member(answer, "ata_smart_attributes"), "table", Json::Kind::array)) = std::move(attribute);
    note_globals(id, row[1], printed, answer);
    return true;
}

bool read_statistic(std::string_view line, Json& answer) {
    const auto row = words(line);
    if (row.size() < 5) return false;
    const auto page = any_integer(row[0]);
    if (!page || *page < 0 || *page > 255) return false;
    if (row[1] == "=====") return true;
    const auto offset = any_integer(row[1]);
    if (!row[1].starts_with("0x") || !offset || *offset > 511) return false;
    auto printed = row[3];
    if (printed.ends_with('~')) printed.remove_suffix(1);
    const auto value = parse_integer(printed);
    const std::size_t name = is_statistic_flags(row[4]) ? 5 : 4;
    if (!value && printed != "-") return false;
    auto& pages = member(member(answer, "ata_device_statistics"), "pages", Json::Kind::array);
    if (pages.items.empty() || pages.items.back()["number"].integer() != page)
        put(append(pages), "number", json_number(std::to_string(*page)));
    auto& item = append(member(pages.items.back(), "table", Json::Kind::array));
    put_if_number(item, "offset", offset);
    if (name < row.size())
        put(item, "name",
            json_string(trimmed(line.substr(static_cast<std::size_t>(row[name].data() - line.data())))));
    put_if_number(item, "value", value);
    put(member(item, "flags"), "valid", json_boolean(value.has_value()));
    return true;
}

bool read_nvme_field(std::string_view label, std::string_view value, Json& answer) {
    std::string plain;
    for (const auto word : words(label))
        plain += (plain.empty() ? "" : " ") + std::string(word);
    const auto* field = std::find_if(nvme_fields.begin(), nvme_fields.end(),
                                     [&](const NvmeField& one) { return one.label == plain; });
    if (field == nvme_fields.end()) return false;
    value = bare(value);
    std::optional<std::string> digits = grouped_digits(value);
    if (!digits)
        if (const auto number = any_integer(value)) digits = std::to_string(*number);
    if (!digits) return true;
    auto& log = member(answer, "nvme_smart_health_information_log");
    put(log, field->key, json_number(*digits));
    if (field->key == "temperature") put(member(answer, "temperature"), "current", json_number(*digits));
    if (field->key == "power_cycles") put(answer, "power_cycle_count", json_number(*digits));
    if (field->key == "power_on_hours") put(member(answer, "power_on_time"), "hours", json_number(*digits));
    return true;
}

bool read_error_counter(std::string_view line, Json& answer) {
    constexpr std::array names = {"errors_corrected_by_eccfast",
                                  "errors_corrected_by_eccdelayed",
                                  "errors_corrected_by_rereads_rewrites",
                                  "total_errors_corrected",
                                  "correction_algorithm_invocations",
                                  "gigabytes_processed",
                                  "total_uncorrected_errors"};
    const auto row = words(line);
    if (row.size() != names.size() + 1) return false;
    if (row[0] != "read:" && row[0] != "write:" && row[0] != "verify:") return false;
    auto& log = member(member(answer, "scsi_error_counter_log"), row[0].substr(0, row[0].size() - 1));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = names[i];
        if (name == "gigabytes_processed") {
            if (const auto text = gigabytes(row[i + 1])) put(log, name, json_string(*text));
        } else {
            put_if_number(log, name, parse_integer(row[i + 1]));
        }
    }
    return true;
}

}  // namespace wearout::health
