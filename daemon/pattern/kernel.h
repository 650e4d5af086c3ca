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
    /// Makes up to a batch of sectors, from that of `first` on.
    void (*fill)(const Stream& stream, const Stamp& first, std::span<std::byte> out);
    /// True when every byte of up to a batch of sectors is what fill() makes.
    bool (*same)(const Stream& stream, const Stamp& first, std::span<const std::byte> data);
};

/// Those that this CPU (and its operating system) can run, the fastest first. The last runs everywhere.
[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace wearout::pattern
