#include "block/sim/sim_smart.h"

#include "base/quantity.h"

#include <algorithm>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::block::sim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t spare_threshold = 10;  // Percent, as attribute 170 of the family has it.

/// Bits of an attribute's flags, ATA-3 and later practice.
enum Flag : unsigned { prefail = 1, online = 2, performance = 4, error_rate = 8, count = 16, keep = 32 };

struct Attribute {
    std::uint32_t id = 0;
    std::string_view name;
    unsigned flags = 0;
    std::uint64_t raw = 0;
    std::string raw_text = std::to_string(raw);
    std::uint32_t value = 100;
    std::uint32_t worst = value;
    std::uint32_t threshold = 0;

    [[nodiscard]] bool failing() const { return threshold > 0 && value <= threshold; }
};

Json flags_json(unsigned flags) {
    constexpr std::string_view letters = "POSRCK";
    std::string text;
    for (std::size_t bit = 0; bit < letters.size(); ++bit)
        text += (flags >> bit & 1U) != 0 ? letters[bit] : '-';
    return {{"value", flags},
            {"string", text + ' '},
            {"prefailure", (flags & prefail) != 0},
            {"updated_online", (flags & online) != 0},
            {"performance", (flags & performance) != 0},
            {"error_rate", (flags & error_rate) != 0},
            {"event_count", (flags & count) != 0},
            {"auto_keep", (flags & keep) != 0}};
}

Json attribute_json(const Attribute& attribute) {
    return {{"id", attribute.id},
            {"name", attribute.name},
            {"value", attribute.value},
            {"worst", attribute.worst},
            {"thresh", attribute.threshold},
            {"when_failed", attribute.failing() ? "now" : ""},
            {"flags", flags_json(attribute.flags)},
            {"raw", {{"value", attribute.raw}, {"string", attribute.raw_text}}}};
}

Attribute plain(std::uint32_t id, std::string_view name, std::uint64_t raw) {
    return {.id = id, .name = name, .flags = online | count, .raw = raw};
}

std::uint64_t gibibytes(Bytes bytes) {
    return bytes.value >> 30U;
}

Attribute bad_blocks(const SmartFacts& facts) {
    const std::uint64_t grown = std::min(facts.retired, 0xffffffU);
    const std::uint64_t factory = std::min(facts.factory_bad, 0xffffffU);
    return {.id = 170,
            .name = "Bad_Blk_Ct_Lat/Erl",
            .flags = prefail | online,
            .raw = grown << 24U | factory,
            .raw_text = fmt::format("{}/{}", grown, factory),
            .value = facts.spare_left_percent(),
            .threshold = spare_threshold};
}

Attribute erase_counts(const SmartFacts& facts) {
    const std::uint64_t max = std::min(facts.max_erases, 0xffffU);
    const std::uint64_t average = std::min<std::uint64_t>(facts.average_erases(), 0xffffU);
    return {.id = 173,
            .name = "MaxAvgErase_Ct",
            .flags = online | count,
            .raw = average << 16U | max,
            .raw_text = fmt::format("{} (Average {})", max, average)};
}

Attribute temperature(const SmartFacts& facts) {
    const auto packed = [](std::int32_t degrees) { return static_cast<std::uint64_t>(degrees) & 0xffffU; };
    return {.id = 194,
            .name = "Temperature_Celsius",
            .flags = online | keep,
            .raw = packed(facts.temperature) | packed(facts.temperature_min) << 16U |
                   packed(facts.temperature_max) << 32U,
            .raw_text = fmt::format("{} (Min/Max {}/{})", facts.temperature, facts.temperature_min,
                                    facts.temperature_max),
            .value = static_cast<std::uint32_t>(100 - facts.temperature),
            .worst = static_cast<std::uint32_t>(100 - facts.temperature_max)};
}

Attribute life_left(const SmartFacts& facts) {
    return {.id = 231,
            .name = "SSD_Life_Left",
            .flags = prefail | online | count,
            .raw = facts.life_left_percent(),
            .value = facts.life_left_percent()};
}

std::vector<Attribute> attributes_of(const SmartFacts& facts) {
    return {
        plain(5, "Retired_Block_Count", facts.retired),
        plain(9, "Power_On_Hours", facts.power_on_hours),
        plain(12, "Power_Cycle_Count", facts.power_cycles),
        plain(167, "Write_Protect_Mode", facts.read_only ? 1 : 0),
        plain(169, "Bad_Block_Rate", 100 - facts.spare_left_percent()),
        bad_blocks(facts),
        plain(171, "Program_Fail_Count", facts.program_fails),
        plain(172, "Erase_Fail_Count", facts.erase_fails),
        erase_counts(facts),
        plain(192, "Unsafe_Shutdown_Count", facts.unsafe_shutdowns),
        temperature(facts),
        life_left(facts),
        plain(233, "Flash_Writes_GiB", gibibytes(facts.flash_written)),
        plain(241, "Lifetime_Writes_GiB", gibibytes(facts.host_written)),
        plain(242, "Lifetime_Reads_GiB", gibibytes(facts.host_read)),
        plain(244, "Average_Erase_Count", facts.average_erases()),
        plain(245, "Max_Erase_Count", facts.max_erases),
        plain(246, "Total_Erase_Count", facts.total_erases),
    };
}

struct Statistic {
    std::uint32_t offset;
    std::string_view name;
    std::uint32_t size;
    std::int64_t value;
    bool normalized = false;
};

Json statistics_page(std::uint32_t number, std::string_view name, const std::vector<Statistic>& table) {
    Json rows = Json::array();
    for (const Statistic& row : table) {
        const Json flags{{"value", row.normalized ? 0xe0 : 0xc0},
                         {"string", row.normalized ? "VN-- " : "V--- "},
                         {"valid", true},
                         {"normalized", row.normalized},
                         {"supports_dsn", false},
                         {"monitored_condition_met", false}};
        rows.push_back({{"offset", row.offset},
                        {"name", row.name},
                        {"size", row.size},
                        {"value", row.value},
                        {"flags", flags}});
    }
    return {{"number", number}, {"name", name}, {"revision", 1}, {"table", std::move(rows)}};
}

Json statistics_json(const SmartFacts& facts) {
    const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    Json pages = Json::array();
    pages.push_back(statistics_page(
        1, "General Statistics",
        {{8, "Lifetime Power-On Resets", 4, whole(facts.power_cycles)},
         {16, "Power-on Hours", 4, whole(facts.power_on_hours)},
         {24, "Logical Sectors Written", 6, whole(facts.host_written.value / facts.logical_block)},
         {40, "Logical Sectors Read", 6, whole(facts.host_read.value / facts.logical_block)}}));
    pages.push_back(statistics_page(5, "Temperature Statistics",
                                    {{8, "Current Temperature", 1, facts.temperature},
                                     {32, "Highest Temperature", 1, facts.temperature_max},
                                     {40, "Lowest Temperature", 1, facts.temperature_min}}));
    pages.push_back(
        statistics_page(7, "Solid State Device Statistics",
                        {{8, "Percentage Used Endurance Indicator", 1, facts.percentage_used(), true}}));
    return {{"pages", std::move(pages)}};
}

Json smartctl_json(const SmartFacts& facts, bool passed, bool attribute_failing) {
    // Bits of smartctl's exit status: 3 the drive says that it fails, 4 a prefail attribute at its threshold.
    const int status = (passed ? 0 : 1 << 3) | (attribute_failing ? 1 << 4 : 0);
    return {{"version", {7, 4}},
            {"platform_info", "simulated drive"},
            {"build_info", "(Wearout)"},
            {"argv", {"smartctl", "--json", "-x", facts.name}},
            {"drive_database_version", {{"string", "simulated/" + facts.firmware}}},
            {"exit_status", status}};
}

}  // namespace

std::uint32_t SmartFacts::percentage_used() const {
    const std::uint64_t rated = std::uint64_t{blocks_in_use} * endurance;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(total_erases * 100 / rated, 255));
}

std::uint32_t SmartFacts::life_left_percent() const {
    return 100 - std::min(100U, percentage_used());
}

std::string smart_document(const SmartFacts& facts) {
    Json table = Json::array();
    bool attribute_failing = false;
    for (const Attribute& attribute : attributes_of(facts)) {
        attribute_failing = attribute_failing || attribute.failing();
        table.push_back(attribute_json(attribute));
    }
    const bool passed = !attribute_failing && !facts.read_only;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(facts.time).time_since_epoch().count();
    const Json document{
        {"json_format_version", {1, 0}},
        {"smartctl", smartctl_json(facts, passed, attribute_failing)},
        {"local_time", {{"time_t", seconds}, {"asctime", format_time(facts.time) + " UTC"}}},
        {"device",
         {{"name", facts.name}, {"info_name", facts.name}, {"type", "simulated"}, {"protocol", "ATA"}}},
        {"model_family", "Wearout simulated drive"},
        {"model_name", facts.model},
        {"serial_number", facts.serial},
        {"firmware_version", facts.firmware},
        {"user_capacity",
         {{"blocks", facts.capacity.value / facts.logical_block}, {"bytes", facts.capacity.value}}},
        {"logical_block_size", facts.logical_block},
        {"physical_block_size", unit_bytes},
        {"rotation_rate", 0},
        {"in_smartctl_database", true},
        {"smart_support", {{"available", true}, {"enabled", true}}},
        {"smart_status", {{"passed", passed}}},
        {"ata_smart_attributes", {{"revision", 16}, {"table", std::move(table)}}},
        {"power_on_time", {{"hours", facts.power_on_hours}}},
        {"power_cycle_count", facts.power_cycles},
        {"temperature", {{"current", facts.temperature}}},
        {"ata_device_statistics", statistics_json(facts)},
    };
    return document.dump(2);
}

}  // namespace wearout::block::sim
