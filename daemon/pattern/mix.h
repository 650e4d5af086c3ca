#pragma once

// Where the bytes come from. Part of the format of stamp.h: do not change. No state is carried from word to
// word or from sector to sector, so that any sector can be made alone, and a sector in parallel.

#include "base/types.h"
#include "facts/run_spec.h"

#include <cstddef>
#include <cstdint>

namespace wearout::pattern {

inline constexpr std::uint32_t words_per_sector = sector_bytes / sizeof(std::uint32_t);
inline constexpr std::uint64_t golden_64 = 0x9e37'79b9'7f4a'7c15U;
inline constexpr std::uint32_t golden_32 = 0x9e37'79b9U;

/// A bijection of 64 bits in which each bit of the input moves each bit of the output with a chance of one
/// half. The output function of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), with the constants of Stafford's variant 13. Like all that the kernels' loops
/// call, inlined by force: it must be compiled for the instruction set of its caller.
[[nodiscard, gnu::always_inline]] constexpr inline std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31U);
}

/// All that the words of one sector depend on beside their index. 96 bits: with 64, two sectors of a 20 TB
/// drive would be likely to be equal.
struct SectorKey {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
};

/// One generation of one run.
class Stream {
  public:
    constexpr Stream(const PatternId& id, Generation generation) {
        for (const std::uint64_t part :
             {id.seed, id.run, id.drive, static_cast<std::uint64_t>(generation.value)})
            first_ = mix64((first_ + golden_64) ^ part);
        second_ = mix64(first_ + golden_64);
    }
    /// The parts `a` (the low half) and `b` of a sector's key,
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t ab(Lba lba) const {
        return mix64(first_ + lba.value * golden_64);
    }
    /// and its part `c`, as the low half.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t c(Lba lba) const {
        return mix64(second_ + lba.value * golden_64);
    }

  private:
    std::uint64_t first_ = 0;
    std::uint64_t second_ = 0;
};

/// Word `index` of a sector. The steps are those of lowbias32 (Wellons, "Prospecting for hash functions",
/// 2018, public domain), the best known for two 32-bit multiplications, with a fresh part of the key added
/// before each. 32 bits wide because vector units multiply these fast, and 64-bit ones slowly or not at all.
/// Or the words of a vector of indices.
template <typename Index>
[[nodiscard, gnu::always_inline]] constexpr inline Index word(const SectorKey& key, Index index) {
    Index x = index * golden_32 + key.a;
    x = (x ^ (x >> 16U)) * 0x7feb'352dU + key.b;
    x = (x ^ (x >> 15U)) * 0x846c'a68bU + key.c;
    return x ^ (x >> 16U);
}

}  // namespace wearout::pattern
