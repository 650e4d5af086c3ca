#pragma once

// The CRC32C of a sector as a sum: of each 64-bit word, times what its place in the sector is worth. Unlike
// the usual way, which carries a remainder from word to word, no word waits for another, and the work goes
// between the instructions that make and compare the payload.

#include "base/types.h"
#include "pattern/stamp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>

/// The instruction sets of the functions that use this.
#define WEAROUT_CRC_SUM \
    gnu::target("avx512f,avx512bw,avx512dq,avx512vl,pclmul,vpclmulqdq,sse4.2,prefer-vector-width=512")

namespace wearout::pattern {

/// Polynomials over two elements, the coefficient of x^0 in the top bit, as CRC32C has them; modulo this.
inline constexpr std::uint32_t castagnoli = 0x82f6'3b78U;

[[nodiscard]] constexpr std::uint32_t times_x(std::uint32_t a, std::size_t times) {
    for (; times > 0; --times)
        a = (a >> 1U) ^ ((a & 1U) != 0 ? castagnoli : 0U);
    return a;
}

/// What each word is worth: x^(64 n - 1), where n words follow. The carry-less product of two 64-bit words
/// has 127 bits, so that it comes out multiplied by x when it is read as 128.
inline constexpr auto word_weights = [] {
    std::array<std::uint64_t, sector_bytes / sizeof(std::uint64_t)> weights{};
    std::uint32_t weight = (castagnoli << 1U) | 1U;  // x^-1
    for (std::size_t i = weights.size(); i-- > 0; weight = times_x(weight, 64))
        weights[i] = std::uint64_t{weight} << 32U;
    return weights;
}();

/// The CRC32C of a sector of zeroes: what inverting the first and the last remainder adds to the sum.
inline constexpr std::uint32_t crc_of_zeroes = ~times_x(~0U, 8 * sector_bytes);

/// Sums up one sector, a vector of 64 bytes at a time, in any order.
class CrcSum {
  public:
    using Vector [[gnu::vector_size(64)]] = long long;
    static constexpr std::size_t vectors = sector_bytes / sizeof(Vector);

    /// Vector `i` of the sector. The first is added with its CRC field zeroed.
    [[WEAROUT_CRC_SUM, gnu::always_inline]] void add(std::size_t i, const std::byte* vector) {
        constexpr __mmask16 all_but_crc = 0xffffU & ~(1U << crc_offset / sizeof(std::uint32_t));
        const __m512i data =
            i == 0 ? _mm512_maskz_loadu_epi32(all_but_crc, vector) : _mm512_loadu_si512(vector);
        const __m512i weights = _mm512_loadu_si512(word_weights.data() + i * word_weights.size() / vectors);
        sum_ = sum_ ^ _mm512_clmulepi64_epi128(data, weights, 0x00) ^
               _mm512_clmulepi64_epi128(data, weights, 0x11);
    }
    /// What belongs into the CRC field, when all vectors were added.
    [[nodiscard, WEAROUT_CRC_SUM, gnu::always_inline]] std::uint32_t crc() const {
        const auto half =
            __builtin_shufflevector(sum_, sum_, 0, 1, 2, 3) ^ __builtin_shufflevector(sum_, sum_, 4, 5, 6, 7);
        const auto rest =
            __builtin_shufflevector(half, half, 0, 1) ^ __builtin_shufflevector(half, half, 2, 3);
        const std::uint64_t crc = _mm_crc32_u64(0, static_cast<std::uint64_t>(rest[0]));
        return static_cast<std::uint32_t>(_mm_crc32_u64(crc, static_cast<std::uint64_t>(rest[1]))) ^
               crc_of_zeroes;
    }

  private:
    Vector sum_{};
};

}  // namespace wearout::pattern
