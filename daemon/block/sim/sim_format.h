#pragma once

#include "block/sim/sim_options.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The file of a simulated drive, little-endian, mapped as it is. Existing files are read by these numbers:
/// never renumber or move anything, raise `format_version` instead. In this order, each part starting at a
/// multiple of 4096:
///
///   header page  ImageHeader at 0 (fixed when the drive is made), Counters at 1024
///   blocks       one BlockRecord for each erase block
///   map          for each logical page a u32: the physical page that holds it, plus 1; 0: never written
///   data         physical pages of 4096 bytes, block after block; a hole where a block was never used
///
/// What can be computed from these (valid counts, the reverse map, the erased blocks, all totals over blocks)
/// is not in the file.
namespace wearout::block::sim {

inline constexpr std::array<char, 8> format_magic = {'W', 'R', 'O', 'U', 'T', 'S', 'I', 'M'};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t counters_offset = 1024;

struct ImageHeader {
    std::array<char, 8> magic{};
    std::uint32_t version = 0;
    std::uint32_t logical_block = 0;
    std::uint64_t capacity = 0;
    std::uint64_t seed = 0;
    std::uint32_t erase_block = 0;
    std::uint32_t over_provisioning = 0;
    std::uint32_t endurance = 0;
    std::uint32_t factory_bad = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t check = 0;  ///< fnv1a64 of the bytes before.
};
static_assert(sizeof(ImageHeader) == 64 && offsetof(ImageHeader, check) == 56);
static_assert(std::is_trivially_copyable_v<ImageHeader>);

/// What the drive counts for life. Stored while it runs, so that a killed process leaves them at its last
/// step.
struct Counters {
    std::uint64_t host_bytes_written = 0;
    std::uint64_t host_bytes_read = 0;
    std::uint64_t host_pages = 0;   ///< Pages programmed with what the host wrote.
    std::uint64_t moved_pages = 0;  ///< Pages programmed by collection, levelling and evacuation.
    std::uint64_t flash_pages = 0;  ///< All programs, also those that failed or were cut off.
    std::uint64_t power_on_ns = 0;
    std::uint64_t power_cycles = 0;
    std::uint64_t unsafe_shutdowns = 0;
    std::uint32_t powered = 0;    ///< 1 while open.
    std::uint32_t read_only = 0;  ///< 1 once the drive takes no more writes, for ever.
    std::int32_t temperature_min = 0;
    std::int32_t temperature_max = 0;
};
static_assert(sizeof(Counters) == 80 && std::is_trivially_copyable_v<Counters>);

enum class BlockState : std::uint8_t {
    erased = 0,
    host = 1,            ///< Open, for what the host writes.
    moved = 2,           ///< Open, for what collection moves.
    cold = 3,            ///< Open, for what levelling moves.
    full = 4,            ///< All pages programmed.
    program_failed = 5,  ///< Retired. Keeps valid pages until they are moved.
    erase_failed = 6,    ///< Retired.
    factory_bad = 7,     ///< Never used.
};

struct BlockRecord {
    std::uint32_t erase_count = 0;
    std::uint32_t endurance = 0;   ///< P/E cycles that this block was drawn to live for (see wear_model.h).
    std::uint32_t programmed = 0;  ///< Pages programmed since the last erase, always from the first on.
    BlockState state = BlockState::erased;
    std::array<std::uint8_t, 3> unused{};
};
static_assert(sizeof(BlockRecord) == 16 && std::is_trivially_copyable_v<BlockRecord>);

/// Where the parts of a drive's file are, in bytes.
struct ImageLayout {
    std::uint64_t blocks = 0;
    std::uint64_t map = 0;
    std::uint64_t data = 0;
    std::uint64_t end = 0;
};
[[nodiscard]] inline ImageLayout layout_of(const SimGeometry& geometry) {
    constexpr auto up = [](std::uint64_t bytes) {
        return (bytes + page_bytes - 1) / page_bytes * page_bytes;
    };
    ImageLayout layout;
    layout.blocks = page_bytes;
    layout.map = layout.blocks + up(std::uint64_t{geometry.blocks()} * sizeof(BlockRecord));
    layout.data = layout.map + up(std::uint64_t{geometry.pages()} * sizeof(std::uint32_t));
    layout.end = layout.data + std::uint64_t{geometry.blocks()} * geometry.erase_block;
    return layout;
}

}  // namespace wearout::block::sim
