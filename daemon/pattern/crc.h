#pragma once

#include "base/types.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace wearout::pattern {

/// The CRC32C of each sector of `data`, which is whole sectors, into `out`, one number a sector.
void crc_sectors(std::span<const std::byte> data, std::span<std::uint32_t> out);

}  // namespace wearout::pattern
