#include "block/sim/wear_model.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>

namespace wearout::block::sim {

namespace {

/// What a number is drawn for; keeps the streams of the same seed apart.
enum class Purpose : std::uint64_t { endurance = 1, factory_bad = 2, fate = 3 };

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

std::uint64_t draw(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b) {
    return mixed(mixed(mixed(seed ^ mixed(static_cast<std::uint64_t>(purpose))) ^ a) ^ b);
}

/// In (0, 1), never either end.
double uniform(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

}  // namespace

void draw_blocks(const SimGeometry& geometry, std::span<BlockRecord> blocks) {
    const double mean = endurance_margin * geometry.endurance;
    const boost::math::normal distribution(mean, endurance_spread * mean);
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        const double life =
            boost::math::quantile(distribution, uniform(draw(geometry.seed, Purpose::endurance, i, 0)));
        blocks[i].endurance = static_cast<std::uint32_t>(std::max(1.0, std::round(life)));
    }
    std::uint32_t bad = 0;
    for (std::uint64_t attempt = 0; bad < geometry.factory_bad; ++attempt) {
        BlockRecord& block = blocks[draw(geometry.seed, Purpose::factory_bad, attempt, 0) % blocks.size()];
        if (block.state == BlockState::factory_bad) continue;
        block.state = BlockState::factory_bad;
        ++bad;
    }
}

CycleFate cycle_fate(const SimGeometry& geometry, std::uint32_t index, std::uint32_t endurance,
                     std::uint32_t cycle) {
    if (cycle == 0) return {};
    const double before = std::pow((cycle - 1.0) / endurance, failure_shape);
    const double after = std::pow(static_cast<double>(cycle) / endurance, failure_shape);
    const double fails = -std::expm1(before - after);
    const double chance = uniform(draw(geometry.seed, Purpose::fate, index, cycle));
    if (chance >= fails) return {};
    // Given that it fails, chance / fails is uniform again: it says how.
    const double how = chance / fails;
    if (how < 0.5) return {.erase_fails = true};
    const auto page = static_cast<std::uint32_t>((2 * how - 1) * geometry.pages_per_block());
    return {.failing_page = std::min(page, geometry.pages_per_block() - 1)};
}

}  // namespace wearout::block::sim
