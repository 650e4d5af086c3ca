// Real drives' answers, which are not a part of the project: skipped where they are not at hand.
#include "fixtures.h"
#include "health/answer.h"
#include "health/text_answer.h"

#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::health {
namespace {

using nlohmann::json;
using enum Metric;

/// Each sample file's name and content: smartctl's JSON and its text.
std::map<std::string, std::string> samples() {
    std::map<std::string, std::string> result;
    const auto folder = shared_samples();
    if (!folder) {
        MESSAGE("skipped: no sample files (WEAROUT_SHARED)");
        return result;
    }
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        const auto name = entry.path().filename().string();
        auto text = read_file(entry.path());
        if (entry.path().extension() == ".json" || is_text_answer(text)) result[name] = std::move(text);
    }
    return result;
}

TEST_CASE("every sample is decoded or has its problem told") {
    for (const auto& entry : samples()) {
        const auto& name = entry.first;
        const auto& text = entry.second;
        CAPTURE(name);
        const auto sample = decode_text(text);
        CHECK((!sample.readings.empty() || !sample.problem.empty()));
    }
}

TEST_CASE("every NVMe sample's log 02h, computed anew") {
    std::size_t logs = 0;
    for (const auto& entry : samples()) {
        const auto& name = entry.first;
        const auto& text = entry.second;
        const auto answer = json::parse(text, nullptr, false);
        if (!answer.is_object() || !answer.contains("nvme_smart_health_information_log")) continue;
        CAPTURE(name);
        const auto& log = answer["nvme_smart_health_information_log"];
        const auto sample = decode_text(text);
        std::map<Metric, std::int64_t> expected;
        const auto number = [&](const char* key) { return log.at(key).get<std::int64_t>(); };
        const auto units = [&](Metric metric, const char* key) {
            if (number(key) != 0) expected[metric] = number(key) * 1000 * 512;
        };
        units(host_bytes_written, "data_units_written");
        units(host_bytes_read, "data_units_read");
        expected[percentage_used] = number("percentage_used");
        expected[spare_percent] = number("available_spare");
        expected[critical_warning] = number("critical_warning");
        expected[media_errors] = number("media_errors");
        expected[unsafe_shutdowns] = number("unsafe_shutdowns");
        expected[power_on_hours] = number("power_on_hours");
        expected[power_cycles] = number("power_cycles");
        expected[temperature_c] = number("temperature");
        CHECK(values(sample) == expected);
        ++logs;
    }
    if (shared_samples()) CHECK(logs > 40);
}

/// What a file's readings should be, from expected_samples.tsv; without any: an empty map.
std::map<std::string, std::map<std::string, std::int64_t>> expected_samples() {
    std::map<std::string, std::map<std::string, std::int64_t>> table;
    std::istringstream lines(
        read_file(std::filesystem::path(WEAROUT_FIXTURES).parent_path() / "expected_samples.tsv"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream columns(line);
        std::string file;
        std::string metric;
        std::int64_t number = 0;
        std::int64_t step = 0;
        std::getline(columns, file, '\t');
        std::getline(columns, metric, '\t');
        columns >> number >> step;
        REQUIRE_MESSAGE(columns, line);
        auto& values = table[file];
        if (metric == "none") continue;
        REQUIRE_MESSAGE(metric_names.find(metric), line);
        CHECK_MESSAGE(values.emplace(metric, number * step).second, line);
    }
    return table;
}

std::string listed(const std::map<std::string, std::int64_t>& values) {
    std::string text;
    for (const auto& [metric, value] : values)
        text += fmt::format("{} {}\n", metric, value);
    return text;
}

TEST_CASE("every ATA and SCSI sample tells exactly what was read from it by hand") {
    const auto files = samples();
    if (files.empty()) return;
    const auto table = expected_samples();
    for (const auto& row : table) {
        const auto& file = row.first;
        const auto& expected = row.second;
        CAPTURE(file);
        REQUIRE(files.contains(file));
        std::map<std::string, std::int64_t> found;
        for (const auto& [metric, value] : values(decode_text(files.at(file))))
            found[std::string(metric_names[metric])] = value;
        CHECK(listed(found) == listed(expected));
    }
    for (const auto& file : files)
        if (file.second.find("\"nvme_smart_health_information_log\"") == std::string::npos)
            CHECK_MESSAGE(table.contains(file.first), file.first);
    MESSAGE(table.size(), " samples checked");
}

TEST_CASE("bytes written by attribute and by device statistics agree within 1 %, or the latter has wrapped") {
    std::size_t compared = 0;
    std::size_t wrapped = 0;
    for (const auto& entry : samples()) {
        const auto& name = entry.first;
        const auto& text = entry.second;
        const auto both = decode_text(text);
        const auto result = read_answer(text);
        const auto* statistic = result.answer ? result.answer->statistic(1, 24) : nullptr;
        if (statistic == nullptr) continue;
        const auto json_key = text.find("\"ata_device_statistics\"");
        const auto position = json_key == std::string::npos ? text.find("Device Statistics (") : json_key;
        auto cut = text;
        const auto by_attribute =
            value_of(decode_text(cut.replace(position + 1, 3, "xxx")), host_bytes_written);
        const auto chosen = value_of(both, host_bytes_written);
        if (!by_attribute || !chosen) continue;
        const auto by_statistics = statistic->value * 512;
        CAPTURE(name);
        CAPTURE(by_statistics);
        // An attribute in GiB can't be nearer than one of them.
        const auto tolerance = std::max(*by_attribute / 100, std::int64_t{1'100'000'000});
        if (source_of(both, host_bytes_written).starts_with("device statistics")) {
            CHECK(*chosen == by_statistics);
            CHECK(std::abs(by_statistics - *by_attribute) <= tolerance);
            ++compared;
        } else {
            constexpr std::int64_t modulus = (std::int64_t{1} << 32) * 512;
            CHECK(by_statistics < modulus);
            const auto missing = (*by_attribute - by_statistics + tolerance) % modulus;
            CHECK(missing <= 2 * tolerance);
            ++wrapped;
        }
    }
    if (shared_samples()) {
        MESSAGE(compared, " samples compared, ", wrapped, " wrapped");
        CHECK(compared >= 8);
    }
}

}  // namespace
}  // namespace wearout::health
