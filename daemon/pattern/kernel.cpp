#include "pattern/kernel.h"

#include "pattern/crc.h"

#include <array>
#include <cstring>
#include <vector>

// Chosen through a table, not by the dynamic linker (target_clones): resolvers run before the sanitizers are
// set up, and tests must reach each variant.
#if defined(__x86_64__)
#define WEAROUT_X86 1
#include "pattern/crc_sum.h"
#endif

namespace wearout::pattern {
namespace {

/// Words anywhere in a buffer of bytes. Never deduce them: `auto` forgets the attributes.
using LooseWord [[gnu::may_alias, gnu::aligned(1)]] = std::uint32_t;
using LooseLong [[gnu::may_alias, gnu::aligned(1)]] = std::uint64_t;

/// The keys of a batch of sectors, made by vectors.
class BatchKeys {
  public:
    [[gnu::always_inline]] BatchKeys(const Stream& stream, Lba first) {
        for (std::size_t i = 0; i < batch_sectors; ++i) {
            ab_[i] = stream.ab(first + i);
            c_[i] = stream.c(first + i);
        }
    }
    [[nodiscard, gnu::always_inline]] SectorKey at(std::size_t i) const {
        return {.a = static_cast<std::uint32_t>(ab_[i]),
                .b = static_cast<std::uint32_t>(ab_[i] >> 32U),
                .c = static_cast<std::uint32_t>(c_[i])};
    }

  private:
    std::array<std::uint64_t, batch_sectors> ab_;
    std::array<std::uint64_t, batch_sectors> c_;
};

template <typename Byte>
[[gnu::always_inline]] inline std::span<Byte, sector_bytes> sector_of(std::span<Byte> data, std::size_t i) {
    return data.subspan(i * sector_bytes).template first<sector_bytes>();
}

/// All but the CRC. The stamp's scalar arithmetic runs on ports of the CPU that the words' vectors leave
/// free: as vectors of its own, it is slower.
[[gnu::always_inline]] inline void fill_sector(const SectorKey& key, const Stamp& stamp,
                                               std::span<std::byte, sector_bytes> sector) {
    LooseWord* words = reinterpret_cast<LooseWord*>(sector.data());
    for (std::uint32_t i = 0; i < words_per_sector; ++i)
        words[i] = word(key, i);
    write_stamp(sector, stamp);
}

[[gnu::always_inline]] inline void fill_body(const Stream& stream, Stamp stamp, std::span<std::byte> out) {
    const std::size_t sectors = out.size() / sector_bytes;
    const BatchKeys keys(stream, stamp.lba);
    for (std::size_t i = 0; i < sectors; ++i, ++stamp.lba.value)
        fill_sector(keys.at(i), stamp, sector_of(out, i));
    std::array<std::uint32_t, batch_sectors> crcs;
    crc_sectors(out, std::span(crcs).first(sectors));
    for (std::size_t i = 0; i < sectors; ++i)
        store_le(out, i * sector_bytes + crc_offset, crcs[i]);
}

/// Makes what is expected and compares with that: so the data is read once.
[[gnu::always_inline]] inline bool same_body(const Stream& stream, const Stamp& first,
                                             std::span<const std::byte> data) {
    alignas(64) std::array<std::byte, batch_sectors * sector_bytes> expected;
    fill_body(stream, first, std::span(expected).first(data.size()));
    std::uint64_t difference = 0;
    // Loops of a fixed length become whole vectors.
    for (std::size_t at = 0; at < data.size(); at += sector_bytes) {
        const LooseLong* x = reinterpret_cast<const LooseLong*>(data.data() + at);
        const LooseLong* y = reinterpret_cast<const LooseLong*>(expected.data() + at);
        for (std::size_t i = 0; i < sector_bytes / sizeof(std::uint64_t); ++i)
            difference |= x[i] ^ y[i];
    }
    return difference == 0;
}

void fill_portable(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
bool same_portable(const Stream& stream, const Stamp& first, std::span<const std::byte> data) {
    return same_body(stream, first, data);
}

#ifdef WEAROUT_X86
#define WEAROUT_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
[[gnu::target("sse4.2")]] void fill_sse4(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[gnu::target("sse4.2")]] bool same_sse4(const Stream& stream, const Stamp& first,
                                         std::span<const std::byte> data) {
    return same_body(stream, first, data);
}
[[gnu::target("avx2")]] void fill_avx2(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[gnu::target("avx2")]] bool same_avx2(const Stream& stream, const Stamp& first,
                                       std::span<const std::byte> data) {
    return same_body(stream, first, data);
}
[[WEAROUT_AVX512]] void fill_avx512(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[WEAROUT_AVX512]] bool same_avx512(const Stream& stream, const Stamp& first,
                                    std::span<const std::byte> data) {
    return same_body(stream, first, data);
}

/// Whole vectors of words, and the indices of the first.
using Words [[gnu::vector_size(64)]] = std::uint32_t;
constexpr std::uint32_t lanes = sizeof(Words) / sizeof(std::uint32_t);
constexpr Words indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// A tenth faster than with the CRCs of a batch made at its end.
[[WEAROUT_CRC_SUM]] void fill_summing(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    const BatchKeys keys(stream, first.lba);
    Stamp stamp = first;
    for (std::size_t i = 0; i < out.size() / sector_bytes; ++i, ++stamp.lba.value) {
        const auto sector = sector_of(out, i);
        fill_sector(keys.at(i), stamp, sector);
        CrcSum sum;
        for (std::size_t v = 0; v < CrcSum::vectors; ++v)
            sum.add(v, sector.data() + v * sizeof(CrcSum::Vector));
        store_le(sector, crc_offset, sum.crc());
    }
}

/// Compares while it makes the words, and checks the CRC by a sum of its own, between the instructions of
/// that: a third faster than to make all and compare then.
[[WEAROUT_CRC_SUM]] bool same_summing(const Stream& stream, const Stamp& first,
                                      std::span<const std::byte> data) {
    constexpr Words payload{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};
    const BatchKeys keys(stream, first.lba);
    Stamp stamp = first;
    Words difference{};
    std::uint64_t stamp_difference = 0;
    for (std::size_t i = 0; i < data.size() / sector_bytes; ++i, ++stamp.lba.value) {
        const auto sector = sector_of(data, i);
        const SectorKey key = keys.at(i);
        CrcSum sum;
        for (std::uint32_t v = 0; v < CrcSum::vectors; ++v) {
            Words words;
            std::memcpy(&words, sector.data() + v * sizeof words, sizeof words);
            words ^= word(key, indices + v * lanes);
            difference |= v == 0 ? words & payload : words;
            sum.add(v, sector.data() + v * sizeof words);
        }
        MaskedStamp expected = masked_stamp(sector, stamp);
        expected.back() |= std::uint64_t{sum.crc()} << 32U;
        for (std::size_t j = 0; j < expected.size(); ++j)
            stamp_difference |= load_le<std::uint64_t>(sector, j * sizeof(std::uint64_t)) ^ expected[j];
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        stamp_difference |= difference[lane];
    return stamp_difference == 0;
}
#endif

std::vector<Kernel> find_kernels() {
    std::vector<Kernel> found;
#ifdef WEAROUT_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        if (__builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("pclmul"))
            found.push_back({"avx512+vpclmulqdq", fill_summing, same_summing});
        found.push_back({"avx512", fill_avx512, same_avx512});
    }
    if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", fill_avx2, same_avx2});
    if (__builtin_cpu_supports("sse4.2")) found.push_back({"sse4.2", fill_sse4, same_sse4});
#endif
    found.push_back({"portable", fill_portable, same_portable});
    return found;
}

}  // namespace

std::span<const Kernel> kernels() {
    static const std::vector<Kernel> found = find_kernels();
    return found;
}

}  // namespace wearout::pattern
