#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

namespace wearout {

static_assert(std::endian::native == std::endian::little, "big-endian hosts are not supported");

/// Reads a little-endian integer at a byte offset. The caller has checked that it lies inside.
template <std::integral T>
[[nodiscard]] T load_le(std::span<const std::byte> bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
    return value;
}

/// Writes a little-endian integer at a byte offset. The caller has checked that it fits.
template <std::integral T>
void store_le(std::span<std::byte> bytes, std::size_t offset, T value) {
    std::memcpy(bytes.subspan(offset, sizeof value).data(), &value, sizeof value);
}

}  // namespace wearout
