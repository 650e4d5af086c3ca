// Each family of the catalogue, by the small answers in the folder families.
#include "fixtures.h"
#include "health/catalogue.h"

#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::health {
namespace {

using nlohmann::json;

struct Drive {
    std::string title;
    json answer;
    std::map<std::string, std::int64_t> expected;
};

std::string trimmed(const std::string& text) {
    const auto start = text.find_first_not_of(' ');
    return start == std::string::npos ? "" : text.substr(start, text.find_last_not_of(' ') - start + 1);
}

Drive new_drive(const std::string& line) {
    std::istringstream columns(line.substr(line.find(' ')));
    std::string family;
    std::string model;
    std::string firmware;
    std::getline(columns, family, '|');
    std::getline(columns, model, '|');
    std::getline(columns, firmware, '|');
    json answer{{"smartctl", {{"version", {7, 4}}, {"exit_status", 0}}},
                {"device", {{"protocol", "ATA"}}},
                {"model_name", trimmed(model)},
                {"firmware_version", trimmed(firmware)},
                {"logical_block_size", 512},
                {"in_smartctl_database", trimmed(family) != "-"},
                {"power_on_time", {{"hours", 20000}}},
                {"ata_smart_attributes", {{"table", json::array()}}},
                {"ata_device_statistics", {{"pages", json::array()}}}};
    if (trimmed(family) != "-") answer["model_family"] = trimmed(family);
    return {trimmed(line), std::move(answer), {{"power_on_hours", 20000}}};
}

void add_statistic(json& answer, std::istringstream& columns) {
    std::int64_t page = 0;
    std::int64_t offset = 0;
    std::int64_t value = 0;
    char plus = 0;
    columns >> page >> plus >> offset >> value;
    answer["ata_device_statistics"]["pages"].push_back(
        {{"number", page},
         {"table",
          {{{"offset", offset}, {"name", "Number"}, {"value", value}, {"flags", {{"valid", true}}}}}}});
}

void add_attribute(json& answer, int id, std::istringstream& columns) {
    std::string name;
    std::int64_t value = 0;
    std::int64_t raw = 0;
    std::string printed;
    columns >> name >> value >> raw;
    const bool complete = !columns.fail();
    std::getline(columns, printed);
    REQUIRE(complete);
    printed = trimmed(printed);
    answer["ata_smart_attributes"]["table"].push_back(
        {{"id", id},
         {"name", name},
         {"value", value},
         {"thresh", 0},
         {"raw", {{"value", raw}, {"string", printed.empty() ? std::to_string(raw) : printed}}}});
}

void set_hours(Drive& drive, const std::string& hours) {
    drive.expected.erase("power_on_hours");
    if (hours == "none")
        drive.answer.erase("power_on_time");
    else
        drive.answer["power_on_time"]["hours"] = std::stoll(hours);
}

void add_expected(Drive& drive, std::istringstream& columns) {
    std::string metric;
    std::int64_t number = 0;
    std::int64_t step = 1;
    columns >> metric >> number;
    REQUIRE(metric_names.find(metric));
    if (!(columns >> step)) step = 1;
    drive.expected[metric] = number * step;
}

void read_drives(const std::filesystem::path& path, std::vector<Drive>& drives) {
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        std::istringstream columns(line);
        std::string first;
        if (!(columns >> first) || first.starts_with('#')) continue;
        if (first == "drive")
            drives.push_back(new_drive(line));
        else if (first == "=")
            add_expected(drives.back(), columns);
        else if (first == "hours")
            set_hours(drives.back(), trimmed(line.substr(first.size())));
        else if (first == "statistic")
            add_statistic(drives.back().answer, columns);
        else
            add_attribute(drives.back().answer, std::stoi(first), columns);
    }
}

std::vector<Drive> drives() {
    std::vector<Drive> result;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(WEAROUT_FIXTURES).parent_path() / "families"))
        read_drives(entry.path(), result);
    REQUIRE(result.size() > 60);
    return result;
}

std::string listed(const std::map<std::string, std::int64_t>& values) {
    std::string text;
    for (const auto& [metric, value] : values)
        text += fmt::format("{} {}\n", metric, value);
    return text;
}

TEST_CASE("each made-up drive tells what its family says, and nothing else") {
    for (const auto& drive : drives()) {
        CAPTURE(drive.title);
        std::map<std::string, std::int64_t> found;
        for (const auto& [metric, value] : values(decode_text(drive.answer.dump())))
            found[std::string(metric_names[metric])] = value;
        CHECK(listed(found) == listed(drive.expected));
    }
}

TEST_CASE("what a made-up drive tells is either read or listed as unknown") {
    for (const auto& drive : drives()) {
        CAPTURE(drive.title);
        const auto sample = decode_text(drive.answer.dump());
        const auto unknown = unknown_names(sample);
        for (const auto& attribute : drive.answer["ata_smart_attributes"]["table"]) {
            const auto name = fmt::format("attribute {} {}", attribute["id"].get<int>(),
                                          attribute["name"].get<std::string>());
            const bool used = std::any_of(
                sample.readings.begin(), sample.readings.end(),
                [&](const Reading& reading) { return reading.source.find(name) != std::string::npos; });
            const bool listed_too = std::find(unknown.begin(), unknown.end(), name) != unknown.end();
            CHECK_MESSAGE(used != listed_too, name);
        }
    }
}

TEST_CASE("every ATA family has a made-up drive") {
    std::set<std::string> covered;
    for (const auto& drive : drives()) {
        const auto decoder = decode_text(drive.answer.dump()).decoder;
        for (const auto& family : builtin_catalogue().families)
            if (decoder.find(family.name + " " + std::to_string(family.version)) != std::string::npos)
                covered.insert(family.name);
    }
    for (const auto& family : builtin_catalogue().families)
        if (family.protocol == Protocol::ata && family.name.find("simulated") == std::string::npos)
            CHECK_MESSAGE(covered.contains(family.name), family.name);
}

}  // namespace
}  // namespace wearout::health
