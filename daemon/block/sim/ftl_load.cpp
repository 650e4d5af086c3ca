#include "base/error.h"
#include "block/sim/ftl.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::block::sim {

namespace {

/// How far levelling lets blocks drift apart: a share of the rated life small enough to use all blocks up
/// together, large enough that the moves cost little.
std::uint32_t gap_for(std::uint32_t endurance) {
    return std::max(4U, endurance / 32);
}

bool is_bad(BlockState state) {
    return state == BlockState::erase_failed || state == BlockState::factory_bad;
}

}  // namespace

Ftl::Ftl(Image& image)
    : image_(image),
      flash_(image),
      map_(image.map()),
      pages_per_block_(image.geometry().pages_per_block()),
      levelling_gap_(gap_for(image.geometry().endurance)),
      reverse_(std::size_t{image.geometry().blocks()} * pages_per_block_),
      valid_(image.geometry().blocks()),
      victims_(image.geometry().blocks()),
      least_worn_(image.geometry().blocks()),
      most_worn_(image.geometry().blocks()),
      oldest_full_(image.geometry().blocks()) {
    load_map();
    load_blocks();
    // A kill between a failure and its consequences leaves them to be drawn now.
    unsettled_ = flash_.retired() > 0;
    if (!read_only() && settle_failures() == Written::read_only) publish(image_.counters().read_only, 1U);
}

void Ftl::refuse(const char* why) const {
    throw Failure(ExitCode::unreachable,
                  fmt::format("{}: is damaged ({}); move the file away to make a new simulated drive",
                              image_.path(), why));
}

void Ftl::load_map() {
    for (std::uint32_t logical = 0; logical < map_.size(); ++logical) {
        if (map_[logical] == 0) continue;
        const std::uint32_t physical = map_[logical] - 1;
        if (physical >= reverse_.size()) refuse("its map names a page that does not exist");
        const std::uint32_t block = block_of(physical);
        if (physical % pages_per_block_ >= flash_.block(block).programmed)
            refuse("its map names a page that was not programmed");
        if (reverse_[physical] != 0) refuse("its map names a page twice");
        reverse_[physical] = logical + 1;
        ++valid_[block];
    }
}

void Ftl::load_blocks() {
    for (std::uint32_t i = 0; i < valid_.size(); ++i) {
        const BlockRecord& block = flash_.block(i);
        if (block.state > BlockState::factory_bad || block.programmed > pages_per_block_ ||
            block.endurance == 0)
            refuse("a block's record is out of bounds");
        if (valid_[i] > 0 && (is_bad(block.state) || block.state == BlockState::erased))
            refuse("its map names a page of a block that holds none");
        if (block.state < BlockState::host || block.state > BlockState::cold) continue;
        auto& open =
            open_[static_cast<std::size_t>(block.state) - static_cast<std::size_t>(BlockState::host)];
        if (open) refuse("two blocks are open for the same");
        open = i;
    }
    for (std::uint32_t i = 0; i < valid_.size(); ++i) {
        const BlockState state = flash_.block(i).state;
        if (state == BlockState::erased)
            list_erased(i);
        else if (state == BlockState::full)
            close_block(i);
        else
            list_victim(i);
    }
    // A kill between the last page of a block and its closing.
    for (auto& open : open_) {
        if (!open || !flash_.is_programmed_full(*open)) continue;
        close_block(*open);
        open.reset();
    }
}

}  // namespace wearout::block::sim
