#include "health/answer.h"

#include "health/log_field.h"
#include "health/text_answer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// A drive has 30 attributes and some dozens of statistics; more are not a drive's.
constexpr std::size_t most_attributes = 256;
constexpr std::size_t most_statistics = 1024;

bool may_be_json(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return true;
    line.remove_prefix(first);
    return std::string_view("{}[]\",:-0123456789").find(line.front()) != std::string_view::npos ||
           line.starts_with("true") || line.starts_with("false") || line.starts_with("null");
}

/// The text without the lines that can't be JSON, and how many those were.
std::pair<std::string, std::size_t> without_stray_lines(std::string_view text) {
    std::string kept;
    std::size_t stray = 0;
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size() - 1) + 1;
        if (may_be_json(text.substr(0, length)))
            kept += text.substr(0, length);
        else
            ++stray;
        text.remove_prefix(length);
    }
    return {std::move(kept), stray};
}

bool looks_like_json(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || text[first] == '{' || text[first] == '[';
}

std::string first_text(const Json& json, std::initializer_list<std::string_view> keys) {
    for (const auto key : keys)
        if (const auto text = json[key].string(); !text.empty()) return printable(text, 128);
    return {};
}

std::string joined_words(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + " " + second;
}

std::string read_wwn(const Json& json) {
    const auto naa = json.at_path("wwn.naa").integer();
    const auto oui = json.at_path("wwn.oui").integer();
    const auto id = json.at_path("wwn.id").integer();
    if (naa && oui && id) return fmt::format("{:x} {:06x} {:09x}", *naa, *oui, *id);
    return first_text(json, {"logical_unit_id"});
}

std::vector<Attribute> read_attributes(const Json& table) {
    std::vector<Attribute> attributes;
    for (const auto& item : table.items) {
        const auto id = item["id"].integer();
        if (!id || *id < 1 || *id > 255) continue;
        if (attributes.size() == most_attributes) break;
        attributes.push_back({.id = static_cast<int>(*id),
                              .name = printable(item["name"].string()),
                              .value = item["value"].integer(),
                              .thresh = item["thresh"].integer(),
                              .raw = item.at_path("raw.value").integer(),
                              .printed = printable(item.at_path("raw.string").string()),
                              .failing_now = item["when_failed"].string() == "now"});
    }
    return attributes;
}

std::vector<Statistic> read_statistics(const Json& pages) {
    std::vector<Statistic> statistics;
    for (const auto& page : pages.items) {
        const auto number = page["number"].integer();
        for (const auto& item : page["table"].items) {
            const auto offset = item["offset"].integer();
            const auto value = item["value"].integer();
            const auto& valid = item.at_path("flags.valid");
            if (!number || !offset || !value || !valid.is(Json::Kind::boolean) || !valid.truth) continue;
            if (statistics.size() == most_statistics) return statistics;
            statistics.push_back({*number, *offset, printable(item["name"].string()), *value});
        }
    }
    return statistics;
}

std::string read_version(const Json& version) {
    const auto& parts = version.items;
    if (parts.size() < 2 || !parts[0].integer() || !parts[1].integer()) return {};
    return fmt::format("{}.{}", *parts[0].integer(), *parts[1].integer());
}

bool is_whole(std::string_view text) {
    return is_decimal(text) && text.find('.') == std::string_view::npos;
}

/// Decimal text of a little-endian byte array that fits 64 bits.
std::optional<std::string> bytes_text(const Json& bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.items.size(); i-- > 0;) {
        const auto byte = bytes.items[i].integer();
        if (!byte || *byte < 0 || *byte > 255 || value >> 56U != 0) return std::nullopt;
        value = value << 8U | static_cast<std::uint64_t>(*byte);
    }
    if (bytes.items.empty()) return std::nullopt;
    return std::to_string(value);
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
    std::string result(text.substr(0, longest));
    for (auto& c : result)
        if (c < ' ' || c > '~') c = '?';
    return result;
}

bool is_decimal(std::string_view text) {
    const auto all_digits = [](std::string_view part) {
        return !part.empty() &&
               std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    if (text.starts_with('-')) text.remove_prefix(1);
    const auto point = text.find('.');
    return all_digits(text.substr(0, point)) &&
           (point == std::string_view::npos || all_digits(text.substr(point + 1)));
}

const Attribute* Answer::attribute(int id) const {
    const auto same = [id](const Attribute& attribute) { return attribute.id == id; };
    const auto found = std::find_if(attributes.begin(), attributes.end(), same);
    if (found == attributes.end() || std::any_of(found + 1, attributes.end(), same)) return nullptr;
    return &*found;
}

const Statistic* Answer::statistic(std::int64_t page, std::int64_t offset) const {
    const auto same = [&](const Statistic& item) { return item.page == page && item.offset == offset; };
    const auto found = std::find_if(statistics.begin(), statistics.end(), same);
    if (found == statistics.end() || std::any_of(found + 1, statistics.end(), same)) return nullptr;
    return &*found;
}

std::optional<std::string> Answer::number_text(std::string_view path) const {
    const auto& plain = json.at_path(path);
    const auto& text = json.at_path(std::string(path) + "_s");
    // A fraction is written as a text, so that one in a number is a double's doing.
    const bool plain_is_exact =
        plain.is(Json::Kind::number) ? is_whole(plain.text) : is_decimal(plain.string());
    if (text.is(Json::Kind::string)) {
        if (!is_whole(text.text) || (plain_is_exact && plain.text != text.text)) return std::nullopt;
        return text.text;
    }
    if (plain_is_exact) return plain.text;
    return bytes_text(json.at_path(std::string(path) + "_le"));
}

bool Answer::is_of(const Family& family) const {
    if (protocol != family.protocol) return false;
    if (family.model && !family.model->matches(model)) return false;
    if (family.firmware && !family.firmware->matches(firmware)) return false;
    if (!suits_logs(family, *this)) return false;
    if (!family.drivedb && !family.unlisted) return true;
    const auto& pattern = listed ? family.drivedb : family.unlisted;
    return pattern && pattern->matches(listed ? drivedb_family : model);
}

AnswerResult read_answer(std::string_view text) {
    Answer answer;
    auto parts = split_answer(text);
    answer.nvme = std::move(parts.nvme);
    const bool is_text = is_text_answer(parts.json);
    auto parsed = is_text ? read_text_answer(parts.json) : parse_json(parts.json);
    if (!parsed.value && !is_text) {
        auto [kept, stray] = without_stray_lines(parts.json);
        answer.stray_lines = stray;
        if (stray > 0) parsed = parse_json(kept);
    }
    if (!parsed.value && !is_text && !looks_like_json(text))
        return {std::nullopt, "it is neither JSON nor text output of smartctl"};
    if (!parsed.value) return {std::nullopt, parsed.error};
    answer.json = std::move(*parsed.value);
    const auto& json = answer.json;
    if (!json["smartctl"].is(Json::Kind::object)) return {std::nullopt, "it is not from smartctl"};
    answer.smartctl_version = read_version(json.at_path("smartctl.version"));
    answer.database_version = printable(json["smartctl"]["drive_database_version"]["string"].string(), 40);
    answer.exit_status = json.at_path("smartctl.exit_status").integer();
    answer.protocol = protocol_names.find(json.at_path("device.protocol").string());
    answer.model = first_text(json, {"model_name", "scsi_model_name"});
    if (answer.model.empty())
        answer.model = joined_words(first_text(json, {"vendor", "scsi_vendor"}),
                                    first_text(json, {"product", "scsi_product"}));
    answer.serial = first_text(json, {"serial_number"});
    answer.wwn = read_wwn(json);
    answer.firmware = first_text(json, {"firmware_version", "scsi_revision", "revision"});
    answer.drivedb_family = first_text(json, {"model_family"});
    answer.listed = json["in_smartctl_database"].truth || !answer.drivedb_family.empty();
    answer.attributes = read_attributes(json.at_path("ata_smart_attributes.table"));
    answer.statistics = read_statistics(json.at_path("ata_device_statistics.pages"));
    return {std::move(answer), {}};
}

}  // namespace wearout::health
