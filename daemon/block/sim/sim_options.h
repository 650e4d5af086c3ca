#pragma once

#include "base/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wearout::block::sim {

/// The grain of the mapping, and what one program operation writes.
inline constexpr std::uint32_t page_bytes = 4096;

/// Blocks that garbage collection needs to be sure of its next step: three open ones, the low-water mark of
/// erased ones, and one that gives room (see ftl.h). They are part of the over-provisioning, but no spare.
inline constexpr std::uint32_t reserve_blocks = 6;

using Options = std::vector<std::pair<std::string, std::string>>;

/// What a simulated drive is made of. Fixed for its life when it is made.
struct SimGeometry {
    Bytes capacity{256U << 20U};
    std::uint32_t logical_block = sector_bytes;  ///< 512 or 4096.
    std::uint32_t erase_block = 0;               ///< Bytes, a multiple of page_bytes.
    std::uint32_t over_provisioning = 7;         ///< Percent of the user's blocks.
    std::uint32_t endurance = 300;               ///< Rated P/E cycles: where life left reaches 0 %.
    std::uint32_t factory_bad = 0;               ///< Blocks, beside the user's and the spare ones.
    std::uint64_t seed = 0;
    bool operator==(const SimGeometry&) const = default;

    [[nodiscard]] std::uint32_t pages() const;
    [[nodiscard]] std::uint32_t pages_per_block() const { return erase_block / page_bytes; }
    /// Blocks that the user's pages fill.
    [[nodiscard]] std::uint32_t user_blocks() const;
    /// Over-provisioning in blocks, at least what garbage collection needs and two.
    [[nodiscard]] std::uint32_t extra_blocks() const;
    /// All of them: the user's, the over-provisioning, and those bad from the factory.
    [[nodiscard]] std::uint32_t blocks() const { return user_blocks() + extra_blocks() + factory_bad; }
    /// Blocks that may fail before the drive takes no more writes.
    [[nodiscard]] std::uint32_t spare_blocks() const { return extra_blocks() - reserve_blocks; }
};

/// A name that is safe as a file's: 1 to 64 letters, digits, '.', '_', '-', not starting with a '.'. Throws a
/// Failure (usage) for any other.
void check_name(const std::string& name);

/// The drive that `options` ask for: size, block (512 or 4096), erase-block, op (percent), endurance,
/// factory-bad, seed; what they leave out has defaults that fit the size, and a seed made from the name.
/// Throws a Failure (usage) that names the option.
[[nodiscard]] SimGeometry plan_geometry(const std::string& name, const Options& options);

/// Throws a Failure (usage) where `options` ask for another drive than `stored`.
void check_agrees(const SimGeometry& stored, const std::string& name, const Options& options);

/// Throws a Failure (usage) that names the option whose value is out of bounds.
void check_bounds(const SimGeometry& geometry, const std::string& name);

}  // namespace wearout::block::sim
