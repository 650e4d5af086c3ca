#include "smartctl_text.h"

#include <optional>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::health {
namespace {

using nlohmann::json;

std::optional<std::uint64_t> raw_value(const std::string& printed) {
    static const std::regex plain(R"(\d+)");
    static const std::regex pair(R"((\d+)/(\d+))");
    static const std::regex average(R"((\d+) \(Average (\d+)\))");
    std::smatch match;
    if (std::regex_match(printed, plain)) return std::stoull(printed);
    if (std::regex_match(printed, match, pair)) return std::stoull(match[1]) << 24U | std::stoull(match[2]);
    if (std::regex_match(printed, match, average))
        return std::stoull(match[2]) << 16U | std::stoull(match[1]);
    return std::nullopt;
}

void add_attribute(json& answer, const std::smatch& match) {
    const std::string printed = match[7];
    json attribute{{"id", std::stoi(match[1])},
                   {"name", match[2].str()},
                   {"value", std::stoi(match[3])},
                   {"thresh", match[5] == "---" ? 0 : std::stoi(match[5])},
                   {"when_failed", match[6] == "NOW" || match[6] == "FAILING_NOW" ? "now" : ""},
                   {"raw", {{"string", printed}}}};
    if (const auto raw = raw_value(printed)) attribute["raw"]["value"] = *raw;
    const auto leading = std::isdigit(static_cast<unsigned char>(printed[0])) != 0 ? std::stoll(printed) : -1;
    if (match[1] == "9" && leading >= 0) answer["power_on_time"]["hours"] = leading;
    if (match[1] == "12" && leading >= 0) answer["power_cycle_count"] = leading;
    if (match[1] == "194" && leading >= 0) answer["temperature"]["current"] = leading;
    answer["ata_smart_attributes"]["table"].push_back(std::move(attribute));
}

void add_statistic(json& pages, const std::smatch& match) {
    const auto page = std::stoi(match[1], nullptr, 16);
    if (pages.empty() || pages.back()["number"] != page) pages.push_back({{"number", page}});
    pages.back()["table"].push_back({{"offset", std::stoi(match[2], nullptr, 16)},
                                     {"name", match[4].str()},
                                     {"value", std::stoll(match[3])},
                                     {"flags", {{"valid", true}}}});
}

void add_identity(json& answer, const std::string& key, const std::string& value) {
    if (key == "Model Family") answer["model_family"] = value;
    if (key == "Device Model") answer["model_name"] = value;
    if (key == "Firmware Version") answer["firmware_version"] = value;
    if (key == "Device is") answer["in_smartctl_database"] = value.starts_with("In ");
    if (key == "Sector Size" || key == "Sector Sizes") answer["logical_block_size"] = std::stoi(value);
    if (key == "SMART overall-health self-assessment test result")
        answer["smart_status"]["passed"] = value == "PASSED";
}

}  // namespace

std::string json_from_text(const std::string& text) {
    static const std::regex identity(R"(([A-Z][A-Za-z -]+): +(.*))");
    static const std::regex attribute(
        R"( *(\d+) (\S+) +(?:[A-Z-]{6}|0x[0-9a-f]{4}) +(\d{3}) +(\d{3}|---) +(\d{3}|---) +(?:(?:Pre-fail|Old_age) +(?:Always|Offline) +)?(\S+) +(\S.*))");
    static const std::regex statistic(R"(0x([0-9a-f]{2})  0x([0-9a-f]{3})  \d +(-?\d+) +\S{3} +(.*))");
    json answer{{"smartctl", {{"version", {7, 1}}, {"exit_status", 0}}}, {"device", {{"protocol", "ATA"}}}};
    json pages = json::array();
    std::istringstream lines(text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_match(line, match, identity)) add_identity(answer, match[1], match[2]);
        if (std::regex_match(line, match, attribute)) add_attribute(answer, match);
        if (std::regex_match(line, match, statistic)) add_statistic(pages, match);
    }
    answer["ata_device_statistics"]["pages"] = std::move(pages);
    return answer.dump();
}

}  // namespace wearout::health
