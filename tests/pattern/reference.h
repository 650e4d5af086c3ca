#pragma once

#include "base/types.h"
#include "facts/run_spec.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

// The format a second time, as slow and plain as its description in daemon/pattern/stamp.h, and sharing no
// code with what it checks.
namespace wearout::test {

inline std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xffff'ffffU;
    for (const std::byte byte : bytes) {
        crc ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82f6'3b78U : 0U);
    }
    return ~crc;
}

inline std::uint64_t slow_mix(std::uint64_t x) {
    x ^= x >> 30U;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27U;
    x *= 0x94d049bb133111ebULL;
    x ^= x >> 31U;
    return x;
}

inline std::uint32_t slow_word(const PatternId& id, std::uint64_t lba, std::uint32_t generation,
                               std::uint32_t index) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
    std::uint64_t state = slow_mix(golden ^ id.seed);
    state = slow_mix((state + golden) ^ id.run);
    state = slow_mix((state + golden) ^ id.drive);
    state = slow_mix((state + golden) ^ generation);
    const std::uint64_t ab = slow_mix(state + lba * golden);
    const std::uint64_t c = slow_mix(slow_mix(state + golden) + lba * golden);
    std::uint32_t x = index * 0x9e3779b9U + static_cast<std::uint32_t>(ab);
    x ^= x >> 16U;
    x = x * 0x7feb352dU + static_cast<std::uint32_t>(ab >> 32U);
    x ^= x >> 15U;
    x = x * 0x846ca68bU + static_cast<std::uint32_t>(c);
    return x ^ (x >> 16U);
}

inline void put(std::vector<std::byte>& bytes, std::size_t offset, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        bytes.at(offset + i) = static_cast<std::byte>(value >> (8 * i));
}

inline std::vector<std::byte> slow_sector(const PatternId& id, Lba lba, Generation generation) {
    std::vector<std::byte> bytes(512);
    for (std::uint32_t i = 0; i < 128; ++i)
        put(bytes, std::size_t{4} * i, slow_word(id, lba.value, generation.value, i), 4);
    std::memcpy(bytes.data(), "WEAROUT\x01", 8);
    put(bytes, 8, id.run, 8);
    put(bytes, 16, id.drive, 8);
    put(bytes, 24, lba.value, 8);
    put(bytes, 32, generation.value, 4);
    put(bytes, 36, 0, 4);
    std::uint64_t seed = 0;
    std::memcpy(&seed, bytes.data() + 40, 8);
    for (std::size_t i = 0; i < 36; ++i)
        bytes[i] ^= static_cast<std::byte>(slow_mix(seed + i / 8 * 0x9e3779b97f4a7c15ULL) >> (i % 8 * 8));
    put(bytes, 36, slow_crc32c(bytes), 4);
    return bytes;
}

inline std::vector<std::byte> slow_sectors(const PatternId& id, Lba first, Generation generation,
                                           std::size_t sectors) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < sectors; ++i) {
        const auto sector = slow_sector(id, first + i, generation);
        bytes.insert(bytes.end(), sector.begin(), sector.end());
    }
    return bytes;
}

inline std::uint64_t hamming(std::span<const std::byte> a, std::span<const std::byte> b) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        bits += static_cast<unsigned>(std::popcount(std::to_integer<std::uint8_t>(a[i] ^ b[i])));
    return bits;
}

}  // namespace wearout::test
