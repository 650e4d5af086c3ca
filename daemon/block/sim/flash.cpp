#include "block/sim/flash.h"

#include "block/sim/wear_model.h"

#include <algorithm>
#include <cstring>

namespace wearout::block::sim {

Flash::Flash(Image& image)
    : image_(image),
      blocks_(image.blocks()),
      pages_per_block_(image.geometry().pages_per_block()),
      failing_page_(blocks_.size()) {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const BlockRecord& block = blocks_[i];
        failing_page_[i] = cycle_fate(image.geometry(), i, block.endurance, block.erase_count).failing_page;
        total_erases_ += block.erase_count;
        max_erases_ = std::max(max_erases_, block.erase_count);
        if (block.state == BlockState::program_failed) ++program_fails_;
        if (block.state == BlockState::erase_failed) ++erase_fails_;
    }
}

bool Flash::erase(std::uint32_t index) {
    BlockRecord& block = blocks_[index];
    publish(block.erase_count, block.erase_count + 1);
    ++total_erases_;
    max_erases_ = std::max(max_erases_, block.erase_count);
    const CycleFate fate = cycle_fate(image_.geometry(), index, block.endurance, block.erase_count);
    failing_page_[index] = fate.failing_page;
    if (fate.erase_fails) {
        ++erase_fails_;
        set_state(index, BlockState::erase_failed);
        return false;
    }
    // An erased block is one whose state says so; the count of programmed pages is 0 before that.
    publish(block.programmed, 0U);
    set_state(index, BlockState::erased);
    return true;
}

std::optional<std::uint32_t> Flash::program(std::uint32_t index, const std::byte* data) {
    BlockRecord& block = blocks_[index];
    const std::uint32_t page = block.programmed;
    // Counted before it is tried: a page that a kill cuts off half written is never programmed a second time.
    publish(block.programmed, page + 1);
    ++image_.counters().flash_pages;
    if (page == failing_page_[index]) {
        ++program_fails_;
        set_state(index, BlockState::program_failed);
        return std::nullopt;
    }
    const std::uint32_t physical = index * pages_per_block_ + page;
    std::memcpy(image_.page(physical), data, page_bytes);
    return physical;
}

void Flash::set_state(std::uint32_t block, BlockState state) {
    publish(blocks_[block].state, state);
}

}  // namespace wearout::block::sim
