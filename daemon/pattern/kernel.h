#pragma once

#include "pattern/mix.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace wearout::pattern {

/// The two inner loops, compiled for one instruction set. Every kernel makes the same bytes.
struct Kernel {
    std::string_view name;
    /// Writes all words of keys.size() sectors; the stamps go over the first ones later.
    void (*fill)(std::span<const SectorKey> keys, std::byte* out);
    /// True when everything behind the stamps is what fill() writes.
    bool (*same)(std::span<const SectorKey> keys, const std::byte* data);
};

/// Those that this CPU (and its operating system) can run, the fastest first. The last runs everywhere.
[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace wearout::pattern
