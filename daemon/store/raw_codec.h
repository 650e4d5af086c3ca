#pragma once

#include "base/clock.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::store {

/// A raw answer against which those that follow are compressed.
struct RawKeyframe {
    std::int64_t id = 0;
    WallTime time;
    std::size_t frame_bytes = 0;
    std::string text;
};

/// No answer that is stored or read is longer.
inline constexpr std::size_t max_raw_bytes = std::size_t{64} << 20U;

/// A zstd frame (RFC 8878) with a checksum. What the text has in common with `prefix` costs next to nothing.
[[nodiscard]] std::vector<std::byte> compress(std::string_view text, std::string_view prefix);

/// The text of `size` bytes again. Throws SqlError when the frame does not give exactly that.
[[nodiscard]] std::string decompress(std::span<const std::byte> frame, std::string_view prefix,
                                     std::uint64_t size);

}  // namespace wearout::store
