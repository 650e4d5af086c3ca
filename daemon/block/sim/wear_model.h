#pragma once

#include "block/sim/sim_format.h"

#include <cstdint>
#include <span>

/// How the simulated flash wears. All chance is a hash of the seed, the block and its cycle, so that a
/// drive's life depends on the seed and on what is written, not on when it is opened and closed.
///
/// Two levels, as blocks differ by their making and then fail by chance:
/// - a block's endurance is drawn once, normally distributed around `endurance_margin` times the rated cycles
///   with a deviation of `endurance_spread`. The margin is how a maker rates: so that the spare of a usual
///   drive is used up at about 100 % of its rating;
/// - the cycle in which it fails follows a Weibull distribution whose scale is that endurance, with a steep
///   shape: next to no failures early, and nearly none survives 1.2 times its endurance. Half of the failures
///   show in the erase, half in the program of one of the cycle's pages.
namespace wearout::block::sim {

inline constexpr double endurance_margin = 1.3;
inline constexpr double endurance_spread = 0.10;
inline constexpr double failure_shape = 16;

/// What happens to a block in one cycle.
struct CycleFate {
    bool erase_fails = false;
    std::uint32_t failing_page = UINT32_MAX;  ///< The program of this page fails; UINT32_MAX: of none.
};

/// A new drive's blocks: their endurance, and which are bad from the factory.
void draw_blocks(const SimGeometry& geometry, std::span<BlockRecord> blocks);

/// The fate of block `index` in its cycle `cycle` (0: as delivered, never fails).
[[nodiscard]] CycleFate cycle_fate(const SimGeometry& geometry, std::uint32_t index, std::uint32_t endurance,
                                   std::uint32_t cycle);

}  // namespace wearout::block::sim
