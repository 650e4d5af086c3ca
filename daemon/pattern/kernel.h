#pragma once

#include "pattern/mix.h"
#include "pattern/stamp.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace wearout::pattern {

/// Sectors that are worked on at a time: they stay in the L1 cache between the payload, the checksums and the
/// comparison, and what one step stores is in memory by the time that the next one loads it.
inline constexpr std::size_t batch_sectors = 16;

/// The inner loops, compiled for one instruction set. Every kernel makes the same bytes.
struct Kernel {
    std::string_view name;
    /// Makes up to a batch of sectors, payload and stamps, from that of `first` on. The CRC fields are left
    /// zero: each takes the CRC of the sector that is then there.
    void (*fill)(const Stream& stream, const Stamp& first, std::span<std::byte> out);
    /// True when two stretches of whole sectors hold the same bytes; `b` is as long as `a`.
    bool (*same)(std::span<const std::byte> a, const std::byte* b);
};

/// Those that this CPU (and its operating system) can run, the fastest first. The last runs everywhere.
[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace wearout::pattern
