#pragma once

#include "base/enum_names.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wearout {

/// A counter with one meaning and one unit, whatever the vendor calls it. Kept in the database by name.
enum class Metric {
    erase_count_avg,
    erase_count_max,
    erase_count_min,
    erase_count_total,
    nand_bytes_written,
    host_bytes_written,
    host_bytes_read,
    retired_blocks,  ///< Grown since it left the factory.
    factory_bad_blocks,
    spare_percent,
    percentage_used,
    life_left_percent,
    program_fails,
    erase_fails,
    uncorrectable,
    media_errors,
    crc_errors,
    pending_sectors,
    unsafe_shutdowns,
    power_on_hours,
    power_cycles,
    temperature_c,
    throttle_seconds,
    critical_warning,
};
inline constexpr std::size_t metric_count = 24;
inline constexpr EnumNames<Metric, metric_count> metric_names{
    {"erase_count_avg",    "erase_count_max",    "erase_count_min",  "erase_count_total",
     "nand_bytes_written", "host_bytes_written", "host_bytes_read",  "retired_blocks",
     "factory_bad_blocks", "spare_percent",      "percentage_used",  "life_left_percent",
     "program_fails",      "erase_fails",        "uncorrectable",    "media_errors",
     "crc_errors",         "pending_sectors",    "unsafe_shutdowns", "power_on_hours",
     "power_cycles",       "temperature_c",      "throttle_seconds", "critical_warning"}};

/// What one step of it is.
inline constexpr std::array<std::string_view, metric_count> metric_units = {
    "P/E cycles", "P/E cycles", "P/E cycles", "block erases", "bytes",
    "bytes",      "bytes",      "blocks",     "blocks",       "%",
    "%",          "%",          "events",     "events",       "sectors",
    "events",     "events",     "sectors",    "events",       "hours",
    "events",     "degrees C",  "seconds",    "bit mask"};
[[nodiscard]] constexpr std::string_view unit_of(Metric metric) {
    return metric_units.at(static_cast<std::size_t>(metric));
}

/// Only ever grows on a healthy drive, so that a fall means a reset, a wrap or another decoder.
[[nodiscard]] constexpr bool is_cumulative(Metric metric) {
    using enum Metric;
    return metric != spare_percent && metric != life_left_percent && metric != pending_sectors &&
           metric != temperature_c && metric != critical_warning;
}

}  // namespace wearout
