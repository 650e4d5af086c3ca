#include "pattern/stamp.h"

#include "pattern/crc.h"

#include <algorithm>
#include <array>

namespace wearout::pattern {
namespace {

bool crc_holds(SectorBytes sector) {
    std::array<std::byte, sector_bytes> without;
    std::ranges::copy(sector, without.begin());
    store_le<std::uint32_t>(without, crc_offset, 0);
    std::uint32_t crc = 0;
    crc_sectors(without, {&crc, 1});
    return crc == load_le<std::uint32_t>(sector, crc_offset);
}

}  // namespace

std::optional<Stamp> peek_stamp(SectorBytes sector) {
    const StampMask mask(sector);
    const auto word = [&](std::size_t offset) {
        return load_le<std::uint64_t>(sector, offset) ^ mask.at(offset);
    };
    if (word(0) != stamp_magic) return std::nullopt;
    return Stamp{.run = word(run_offset),
                 .drive = word(drive_offset),
                 .lba = {word(lba_offset)},
                 .generation = {static_cast<std::uint32_t>(word(generation_offset))}};
}

std::optional<Stamp> read_stamp(SectorBytes sector) {
    const auto stamp = peek_stamp(sector);
    if (!stamp || !crc_holds(sector)) return std::nullopt;
    return stamp;
}

}  // namespace wearout::pattern
