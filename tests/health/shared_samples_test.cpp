// Real drives' answers, which are not a part of the project: skipped where they are not at hand.
#include "fixtures.h"
#include "health/answer.h"
#include "health/text_answer.h"

#include <cstdlib>

#include <doctest/doctest.h>
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
        const auto result = read_answer(text);
        if (!result.answer) continue;
        // No attribute gets lost: each is read or listed as unknown.
        for (const auto& attribute : result.answer->attributes) {
            const auto start = "attribute " + std::to_string(attribute.id) + " ";
            const auto listed = unknown_names(sample);
            const bool known = std::none_of(listed.begin(), listed.end(),
                                            [&](const auto& field) { return field.starts_with(start); });
            if (sample.decoder.find("family none") != std::string::npos &&
                sample.decoder.find("SEDC600M") == std::string::npos)
                CHECK_FALSE(known);
        }
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

struct Expected {
    const char* file;
    std::map<Metric, std::int64_t> values;
};

void check_by_hand(const std::vector<Expected>& table) {
    auto files = samples();
    if (files.empty()) return;
    for (const auto& row : table) {
        const std::string file = row.file;
        const auto& expected = row.values;
        CAPTURE(file);
        REQUIRE(files.contains(file));
        auto found = values(decode_text(files[file]));
        if (!expected.contains(temperature_c)) found.erase(temperature_c);
        CHECK(found == expected);
    }
}

TEST_CASE("each Phison sample, read by hand") {
    constexpr std::int64_t gib = std::int64_t{1} << 30;
    const std::vector<Expected> table{
        {"exporter-sat-Phison_Driven_SSDs-KINGSTON_SKC400S371T-sda.json",
         {{erase_count_max, 888},
          {erase_count_avg, 808},
          {erase_count_total, 217844032},
          {nand_bytes_written, 840007 * gib},
          {host_bytes_written, 391741 * gib},
          {host_bytes_read, 1837742 * gib},
          {retired_blocks, 1},
          {factory_bad_blocks, 1162},
          {uncorrectable, 0},
          {unsafe_shutdowns, 15},
          {crc_errors, 0},
          {power_on_hours, 54450},
          {power_cycles, 23},
          {temperature_c, 31}}},
        {"linuxhw-KINGSTON_SHSS37A240G-CC3140.txt",
         {{erase_count_max, 6214},
          {erase_count_avg, 5941},
          {erase_count_total, 408368640},
          {nand_bytes_written, 1584395 * gib},
          {host_bytes_written, 402992 * gib},
          {host_bytes_read, 30950 * gib},
          {retired_blocks, 0},
          {factory_bad_blocks, 420},
          {uncorrectable, 0},
          {unsafe_shutdowns, 22},
          {crc_errors, 0},
          {power_on_hours, 22804},
          {power_cycles, 26},
          {temperature_c, 22}}},
        {"linuxhw-KINGSTON_SEDC500M480G-989FA1.txt",
         {{erase_count_max, 2321},
          {erase_count_avg, 2242},
          {erase_count_total, 43604400},
          {nand_bytes_written, 1512138 * gib},
          {host_bytes_written, 2664308069624 * 512},
          {host_bytes_read, 295194605362 * 512},
          {retired_blocks, 2},
          {factory_bad_blocks, 227},
          {percentage_used, 45},
          {life_left_percent, 55},
          {program_fails, 1},
          {erase_fails, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 52},
          {crc_errors, 6505},
          {power_on_hours, 16773},
          {power_cycles, 55},
          {temperature_c, 24}}},
        {"linuxhw-KINGSTON_SEDC500M480G-CEB36D.txt",
         {{erase_count_max, 51},
          {erase_count_avg, 37},
          {erase_count_total, 732880},
          {nand_bytes_written, 24930 * gib},
          {host_bytes_written, 31452481255 * 512},
          {host_bytes_read, 127456149411 * 512},
          {retired_blocks, 0},
          {factory_bad_blocks, 255},
          {percentage_used, 1},
          {life_left_percent, 99},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 3},
          {crc_errors, 0},
          {power_on_hours, 14470},
          {power_cycles, 5},
          {temperature_c, 23}}},
        {"linuxhw-KINGSTON_SEDC500R1920G-12C4BA.txt",
         {{erase_count_max, 994},
          {erase_count_avg, 921},
          {erase_count_total, 57525760},
          {nand_bytes_written, 2006496 * gib},
          {host_bytes_written, 2999502579187 * 512},
          {host_bytes_read, 96325020816 * 512},
          {retired_blocks, 0},
          {factory_bad_blocks, 912},
          {percentage_used, 19},
          {life_left_percent, 81},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 7},
          {crc_errors, 0},
          {power_on_hours, 12926},
          {power_cycles, 11},
          {temperature_c, 27}}},
        {"linuxhw-KINGSTON_SA400S37240G-075ED3.txt",
         {{erase_count_max, 10},
          {erase_count_avg, 7},
          {erase_count_total, 63872},
          {nand_bytes_written, 751 * gib},
          {host_bytes_written, 1270766729LL * 512},
          {host_bytes_read, 324825669LL * 512},
          {retired_blocks, 0},
          {factory_bad_blocks, 16},
          {percentage_used, 1},
          {life_left_percent, 99},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 26},
          {crc_errors, 0},
          {power_on_hours, 2128},
          {power_cycles, 27},
          {temperature_c, 23}}},
        {"linuxhw-KINGSTON_SA400S37240G-74C507.txt",
         {{erase_count_max, 1},
          {erase_count_avg, 0},
          {erase_count_total, 2912},
          {nand_bytes_written, 30 * gib},
          {host_bytes_written, 68724066LL * 512},
          {host_bytes_read, 6184034LL * 512},
          {retired_blocks, 0},
          {factory_bad_blocks, 21},
          {percentage_used, 0},
          {life_left_percent, 100},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 5},
          {crc_errors, 0},
          {power_on_hours, 377},
          {power_cycles, 6},
          {temperature_c, 23}}},
        {"linuxhw-PNY_CS900_480GB_SSD-3E9FE0.txt",
         {{erase_count_max, 109},
          {erase_count_avg, 107},
          {host_bytes_written, 37166363755 * 512},
          {host_bytes_read, 6785705407 * 512},
          {retired_blocks, 3},
          {factory_bad_blocks, 136},
          {percentage_used, 10},
          {uncorrectable, 0},
          {unsafe_shutdowns, 15},
          {crc_errors, 0},
          {power_on_hours, 12599},
          {power_cycles, 18},
          {temperature_c, 33}}},
        {"linuxhw-SATA_SSD-8E3E80.txt",
         {{erase_count_max, 39},
          {erase_count_avg, 15},
          {host_bytes_written, 21104699312 * 512},
          {host_bytes_read, 8510504856 * 512},
          {retired_blocks, 1},
          {factory_bad_blocks, 397},
          {percentage_used, 0},
          {uncorrectable, 0},
          {unsafe_shutdowns, 3},
          {crc_errors, 0},
          {power_on_hours, 2332},
          {power_cycles, 4},
          {temperature_c, 33}}},
        // Another generation, whose average exceeds its maximum and whose unit is none of the known ones.
        {"linuxhw-SATA_SSD-CFDDA4.txt", {{percentage_used, 79}, {power_on_hours, 4618}, {power_cycles, 15}}}};
    check_by_hand(table);
}

TEST_CASE("a sample of each other family, read by hand") {
    constexpr std::int64_t mib32 = std::int64_t{1} << 25;
    check_by_hand({
        // The statistics have wrapped, and the normalised life left as well.
        {"linuxhw-CT1000MX500SSD1-250174.txt",
         {{erase_count_avg, 1858},
          {host_bytes_written, 347349643052 * 512},
          {retired_blocks, 16},
          {percentage_used, 123},
          {program_fails, 0},
          {erase_fails, 16},
          {uncorrectable, 0},
          {crc_errors, 1},
          {unsafe_shutdowns, 1},
          {power_on_hours, 12772},
          {power_cycles, 2},
          {temperature_c, 40}}},
        {"linuxhw-Crucial_CT275MX300SSD1-56DE97.txt",
         {{erase_count_avg, 1754},
          {host_bytes_written, 396087088041 * 512},
          {host_bytes_read, 346483901732 * 512},
          {retired_blocks, 1},
          {percentage_used, 116},
          {life_left_percent, 0},
          {program_fails, 1},
          {erase_fails, 0},
          {uncorrectable, 0},
          {crc_errors, 0},
          {unsafe_shutdowns, 7},
          {power_on_hours, 40164},
          {power_cycles, 9},
          {temperature_c, 24}}},
        {"linuxhw-Micron_5300_MTFDDAK480TDS-72C30F.txt",
         {{erase_count_avg, 410},
          {host_bytes_written, 259012408511 * 512},
          {host_bytes_read, 233627643097 * 512},
          {retired_blocks, 0},
          {percentage_used, 8},
          {life_left_percent, 92},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {crc_errors, 1},
          {unsafe_shutdowns, 96},
          {power_on_hours, 36346},
          {power_cycles, 120},
          {temperature_c, 23}}},
        {"linuxhw-INTEL_SSDSC2KB240G8-786870.txt",
         {{nand_bytes_written, 55386 * mib32},
          {host_bytes_written, 2625962258 * 512},
          {host_bytes_read, 8011258 * 512LL},
          {retired_blocks, 0},
          {spare_percent, 100},
          {percentage_used, 0},
          {life_left_percent, 100},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 0},
          {crc_errors, 0},
          {unsafe_shutdowns, 3},
          {power_on_hours, 2608},
          {power_cycles, 7},
          {temperature_c, 26}}},
        {"linuxhw-SAMSUNG_MZ7LM960HMJP-00005-1B4294.txt",
         {{erase_count_avg, 1619},
          {host_bytes_written, 1357561063479 * 512},
          {host_bytes_read, 402360149393 * 512},
          {retired_blocks, 1776},
          {percentage_used, 21},
          {program_fails, 0},
          {erase_fails, 0},
          {uncorrectable, 1},
          {crc_errors, 0},
          {power_on_hours, 40742},
          {power_cycles, 29},
          {temperature_c, 25}}},
        {"linuxhw-KINGSTON_SV300S37A240G-E23788.txt",
         {{host_bytes_written, 288719466643 * 512},
          {host_bytes_read, 132908046473 * 512},
          {retired_blocks, 368},
          {percentage_used, 13},
          {program_fails, 183},
          {erase_fails, 0},
          {uncorrectable, 0},
          {crc_errors, 0},
          {unsafe_shutdowns, 29},
          {power_on_hours, 48216},
          {power_cycles, 32},
          {temperature_c, 41}}},
    });
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
