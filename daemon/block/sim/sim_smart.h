#pragma once

#include "base/clock.h"
#include "base/types.h"

#include <cstdint>
#include <string>

namespace wearout::block::sim {

/// What a simulated drive knows of itself, all of it from its model. Blocks and cycles are over all blocks
/// but those bad from the factory.
struct SmartFacts {
    std::string name;  ///< "sim:NAME"
    std::string model;
    std::string serial;
    std::string firmware;
    Bytes capacity;
    std::uint32_t logical_block = sector_bytes;
    std::uint32_t endurance = 1;  ///< Rated P/E cycles.
    std::uint32_t blocks_in_use = 1;
    Bytes host_written;
    Bytes host_read;
    Bytes flash_written;
    std::uint64_t total_erases = 0;
    std::uint32_t max_erases = 0;
    std::uint32_t retired = 0;
    std::uint32_t factory_bad = 0;
    std::uint32_t spare_total = 1;
    std::uint32_t spare_left = 0;
    std::uint32_t program_fails = 0;
    std::uint32_t erase_fails = 0;
    bool read_only = false;
    std::uint64_t power_on_hours = 0;
    std::uint64_t power_cycles = 0;
    std::uint64_t unsafe_shutdowns = 0;
    std::int32_t temperature = 0;
    std::int32_t temperature_min = 0;
    std::int32_t temperature_max = 0;
    WallTime time;

    [[nodiscard]] std::uint64_t average_erases() const { return total_erases / blocks_in_use; }
    /// Of the rated cycles, in percent; 0 to 255, as the standards have it.
    [[nodiscard]] std::uint32_t percentage_used() const;
    [[nodiscard]] std::uint32_t life_left_percent() const;
    [[nodiscard]] std::uint32_t spare_left_percent() const { return spare_left * 100 / spare_total; }
};

/// The drive's answer in the form of `smartctl --json -x` 7.4 for a SATA drive with a Phison controller:
/// names and encodings as in smartmontools' drive database for "Phison Driven SSDs" (241, 242, 233 in GiB;
/// 170 raw24/raw24 grown then factory; 173 raw16(avg16)), device statistics as in ACS-4, 9.5. It fails by its
/// own threshold when a tenth of the spare is left, and when it takes no more writes.
[[nodiscard]] std::string smart_document(const SmartFacts& facts);

}  // namespace wearout::block::sim
