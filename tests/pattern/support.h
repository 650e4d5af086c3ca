#pragma once

#include "base/types.h"
#include "facts/run_spec.h"
#include "pattern/pattern.h"

#include <cstddef>
#include <span>
#include <vector>

namespace wearout::test {

inline constexpr PatternId some_id{
    .run = 0x1122'3344'5566'7788, .drive = 0xa1b2'c3d4'e5f6'0718, .seed = 20'26};

inline std::vector<std::byte> made(const PatternId& id, Lba first, Generation generation,
                                   std::size_t sectors) {
    std::vector<std::byte> bytes(sectors * sector_bytes);
    pattern::generate(id, first, generation, bytes);
    return bytes;
}

inline std::span<std::byte> sector(std::span<std::byte> bytes, std::size_t index) {
    return bytes.subspan(index * sector_bytes, sector_bytes);
}

inline std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

inline void flip(std::span<std::byte> bytes, std::size_t bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
}

}  // namespace wearout::test
