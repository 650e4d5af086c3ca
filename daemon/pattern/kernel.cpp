#include "pattern/kernel.h"

#include "pattern/stamp.h"

#include <vector>

// Chosen through a table, not by the dynamic linker (target_clones): resolvers run before the sanitizers are
// set up, and tests must reach each variant.
#if defined(__x86_64__)
#define WEAROUT_X86 1
#endif

namespace wearout::pattern {
namespace {

/// A word anywhere in a buffer of bytes. Never deduce it: `auto` forgets the attributes.
using LooseWord [[gnu::may_alias, gnu::aligned(1)]] = std::uint32_t;

constexpr std::uint32_t first_payload_word = stamp_bytes / sizeof(std::uint32_t);
/// The first words are compared one by one, so that the rest is whole vectors of any width.
constexpr std::uint32_t head_words = 16;

[[gnu::always_inline]] inline void fill_body(std::span<const SectorKey> keys, std::byte* out) {
    for (const SectorKey key : keys) {
        LooseWord* words = reinterpret_cast<LooseWord*>(out);
        for (std::uint32_t i = 0; i < words_per_sector; ++i)
            words[i] = word(key, i);
        out += sector_bytes;
    }
}

[[gnu::always_inline]] inline bool same_body(std::span<const SectorKey> keys, const std::byte* data) {
    std::uint32_t difference = 0;
    for (const SectorKey key : keys) {
        const LooseWord* words = reinterpret_cast<const LooseWord*>(data);
        for (std::uint32_t i = first_payload_word; i < head_words; ++i)
            difference |= words[i] ^ word(key, i);
        for (std::uint32_t i = head_words; i < words_per_sector; ++i)
            difference |= words[i] ^ word(key, i);
        data += sector_bytes;
    }
    return difference == 0;
}

void fill_portable(std::span<const SectorKey> keys, std::byte* out) {
    fill_body(keys, out);
}
bool same_portable(std::span<const SectorKey> keys, const std::byte* data) {
    return same_body(keys, data);
}

#ifdef WEAROUT_X86
#define WEAROUT_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
[[gnu::target("sse4.2")]] void fill_sse4(std::span<const SectorKey> keys, std::byte* out) {
    fill_body(keys, out);
}
[[gnu::target("sse4.2")]] bool same_sse4(std::span<const SectorKey> keys, const std::byte* data) {
    return same_body(keys, data);
}
[[gnu::target("avx2")]] void fill_avx2(std::span<const SectorKey> keys, std::byte* out) {
    fill_body(keys, out);
}
[[gnu::target("avx2")]] bool same_avx2(std::span<const SectorKey> keys, const std::byte* data) {
    return same_body(keys, data);
}
[[WEAROUT_AVX512]] void fill_avx512(std::span<const SectorKey> keys, std::byte* out) {
    fill_body(keys, out);
}
[[WEAROUT_AVX512]] bool same_avx512(std::span<const SectorKey> keys, const std::byte* data) {
    return same_body(keys, data);
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
