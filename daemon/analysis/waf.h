#pragma once

#include "analysis/curve.h"

#include <cstddef>
#include <optional>
#include <span>

namespace wearout::analysis {

/// Write amplification: bytes written to flash per byte written by the host. Below 1 is possible (controllers
/// that compress) and is never hidden.
struct Waf {
    std::optional<double> since_start;  ///< Over all stretches in which both counters are comparable.
    std::optional<double> lifetime;     ///< From the counters' totals; absent when one of them ever fell.
    /// A figure is absent only because the counters count in steps (GiB, 32 MiB) too large for what was
    /// written: it would be wrong by more than a tenth.
    bool too_coarse = false;
    /// In windows, each as long as the counters' steps ask for and at least a `waf_windows`th of the whole: a
    /// point where a window ends. Empty with fewer than two windows.
    Curve windows;
};

inline constexpr std::size_t waf_windows = 40;

/// From the drive's own counters, both in bytes and read at the same moments. What can't be known is absent:
/// a counter that is not told, or no growth of the host's, or a flash counter that stands still under writes.
[[nodiscard]] Waf write_amplification(std::span<const Observation> nand_bytes,
                                      std::span<const Observation> host_bytes);

/// The same for a drive that does not tell its host bytes, from the bytes that we wrote; `lifetime` is
/// absent.
[[nodiscard]] Waf write_amplification(std::span<const Observation> nand_bytes);

}  // namespace wearout::analysis
