#pragma once

#include "block/sim/sim_image.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wearout::block::sim {

/// The medium: erase blocks that are programmed page after page, wear by each erase, and fail for ever (see
/// wear_model.h). Knows nothing of what its pages hold. The counts are over all blocks but those bad from the
/// factory, retired ones included, so that none of them ever falls.
class Flash {
  public:
    explicit Flash(Image& image);

    /// Wears the block by one cycle. False: it failed, and is retired now. The caller has moved what it held.
    bool erase(std::uint32_t block);
    /// Programs the block's next page. Nothing: that failed, and the block is retired now, its earlier pages
    /// still readable. The caller has reserved the block and knows that it is not full.
    std::optional<std::uint32_t> program(std::uint32_t block, const std::byte* data);
    void set_state(std::uint32_t block, BlockState state);

    [[nodiscard]] const std::byte* page(std::uint32_t physical) const { return image_.page(physical); }
    [[nodiscard]] const BlockRecord& block(std::uint32_t index) const { return blocks_[index]; }
    [[nodiscard]] bool is_programmed_full(std::uint32_t block) const {
        return blocks_[block].programmed == pages_per_block_;
    }

    [[nodiscard]] std::uint64_t total_erases() const noexcept { return total_erases_; }
    [[nodiscard]] std::uint32_t max_erases() const noexcept { return max_erases_; }
    [[nodiscard]] std::uint32_t program_fails() const noexcept { return program_fails_; }
    [[nodiscard]] std::uint32_t erase_fails() const noexcept { return erase_fails_; }
    /// Blocks retired since the drive left the factory.
    [[nodiscard]] std::uint32_t retired() const noexcept { return program_fails_ + erase_fails_; }

  private:
    Image& image_;
    std::span<BlockRecord> blocks_;
    std::uint32_t pages_per_block_;
    std::vector<std::uint32_t> failing_page_;  ///< Of each block's present cycle.
    std::uint64_t total_erases_ = 0;
    std::uint32_t max_erases_ = 0;
    std::uint32_t program_fails_ = 0;
    std::uint32_t erase_fails_ = 0;
};

}  // namespace wearout::block::sim
