#pragma once

#include <cstdint>
#include <string_view>

namespace wearout {

/// 64-bit FNV-1a (RFC-draft-eastlake-fnv parameters): a stable short name for a text. Not for security.
[[nodiscard]] constexpr std::uint64_t fnv1a64(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash;
}

}  // namespace wearout
