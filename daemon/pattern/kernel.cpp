#include "pattern/kernel.h"

#include <array>
#include <vector>

// Chosen through a table, not by the dynamic linker (target_clones): resolvers run before the sanitizers are
// set up, and tests must reach each variant.
#if defined(__x86_64__)
#define WEAROUT_X86 1
#endif

namespace wearout::pattern {
namespace {

/// Words anywhere in a buffer of bytes. Never deduce them: `auto` forgets the attributes.
using LooseWord [[gnu::may_alias, gnu::aligned(1)]] = std::uint32_t;
using LooseLong [[gnu::may_alias, gnu::aligned(1)]] = const std::uint64_t;

/// The stamps' scalar arithmetic runs on ports of the CPU that the words' vectors leave free: as vectors of
/// its own, it was slower.
[[gnu::always_inline]] inline void fill_body(const Stream& stream, Stamp stamp, std::span<std::byte> out) {
    std::array<std::uint64_t, batch_sectors> ab;
    std::array<std::uint64_t, batch_sectors> c;
    for (std::size_t i = 0; i < batch_sectors; ++i) {
        ab[i] = stream.ab(stamp.lba + i);
        c[i] = stream.c(stamp.lba + i);
    }
    for (std::size_t i = 0; i < out.size() / sector_bytes; ++i, ++stamp.lba.value) {
        const auto sector = out.subspan(i * sector_bytes).first<sector_bytes>();
        const SectorKey key{.a = static_cast<std::uint32_t>(ab[i]),
                            .b = static_cast<std::uint32_t>(ab[i] >> 32U),
                            .c = static_cast<std::uint32_t>(c[i])};
        LooseWord* words = reinterpret_cast<LooseWord*>(sector.data());
        for (std::uint32_t w = 0; w < words_per_sector; ++w)
            words[w] = word(key, w);
        write_stamp(sector, stamp);
    }
}

/// Sector by sector, for loops of a fixed length become whole vectors without a remainder.
[[gnu::always_inline]] inline bool same_body(std::span<const std::byte> a, const std::byte* b) {
    std::uint64_t difference = 0;
    for (std::size_t at = 0; at < a.size(); at += sector_bytes) {
        LooseLong* x = reinterpret_cast<LooseLong*>(a.data() + at);
        LooseLong* y = reinterpret_cast<LooseLong*>(b + at);
        for (std::size_t i = 0; i < sector_bytes / sizeof(std::uint64_t); ++i)
            difference |= x[i] ^ y[i];
    }
    return difference == 0;
}

void fill_portable(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
bool same_portable(std::span<const std::byte> a, const std::byte* b) {
    return same_body(a, b);
}

#ifdef WEAROUT_X86
#define WEAROUT_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
[[gnu::target("sse4.2")]] void fill_sse4(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[gnu::target("sse4.2")]] bool same_sse4(std::span<const std::byte> a, const std::byte* b) {
    return same_body(a, b);
}
[[gnu::target("avx2")]] void fill_avx2(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[gnu::target("avx2")]] bool same_avx2(std::span<const std::byte> a, const std::byte* b) {
    return same_body(a, b);
}
[[WEAROUT_AVX512]] void fill_avx512(const Stream& stream, const Stamp& first, std::span<std::byte> out) {
    fill_body(stream, first, out);
}
[[WEAROUT_AVX512]] bool same_avx512(std::span<const std::byte> a, const std::byte* b) {
    return same_body(a, b);
}
#endif

std::vector<Kernel> find_kernels() {
    std::vector<Kernel> found;
#ifdef WEAROUT_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found.push_back({"avx512", fill_avx512, same_avx512});
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
