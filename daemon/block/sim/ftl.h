#pragma once

#include "block/sim/flash.h"
#include "block/sim/selector.h"
#include "block/sim/sim_image.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wearout::block::sim {

/// The page-mapped translation layer: where each logical page is, and the making of room for the next one.
///
/// - Collection is greedy: the full block with the fewest valid pages, of equal ones the less worn, is moved
///   away and erased whenever no more than `low_water` erased blocks are left.
/// - Wear levelling, dynamic: what the host writes, and what collection moves, goes to the least worn erased
///   block. Static: when the least worn full block is `levelling_gap` cycles behind the most worn erased one,
///   its (cold) data goes to that worn block, and it comes into use.
/// - A block that fails is retired: its valid pages are moved, a spare block takes its place. When the spare
///   is used up, the drive takes no more writes and can still be read.
///
/// Every decision depends only on what is in the image, so that closing and opening a drive changes nothing
/// in its life. A page is mapped after its data is in place, and a block erased after its last page was
/// mapped elsewhere; so at any instruction the map leads to the old or the new content of a page, whole.
///
/// For one thread.
class Ftl {
  public:
    enum class Written { done, read_only, no_space };

    /// Erased blocks that are kept: for collection, for levelling, and one for a failure in between.
    static constexpr std::uint32_t low_water = 3;

    /// Computes what is not in the image. Throws a Failure (unreachable) where the image contradicts itself;
    /// nothing is stored before that. `image` outlives this.
    explicit Ftl(Image& image);

    /// Any offset and length inside the capacity; what is no whole page is read, merged and written as one.
    /// Not done: the pages before the failing one are written. no_space: the file system of the image is
    /// full.
    [[nodiscard]] Written write(std::uint64_t offset, std::span<const std::byte> bytes);
    /// What was never written reads as zeroes.
    void read(std::uint64_t offset, std::span<std::byte> out);

    [[nodiscard]] bool read_only() const { return image_.counters().read_only != 0; }
    [[nodiscard]] std::uint32_t spare_left() const;
    [[nodiscard]] std::uint32_t levelling_gap() const { return levelling_gap_; }
    [[nodiscard]] const Flash& flash() const { return flash_; }

  private:
    /// Each fills a block of its own.
    enum class Stream : std::uint8_t { host, moved, cold };
    static constexpr std::size_t streams = 3;

    void load_blocks();
    void load_map();
    [[noreturn]] void refuse(const char* why) const;

    Written write_page(std::uint32_t logical, const std::byte* data);
    Written append(Stream stream, std::uint32_t logical, const std::byte* data);
    Written open_block(Stream stream);
    Written make_room();
    Written collect(std::uint32_t victim);
    Written level_wear();
    Written move_valid(std::uint32_t block, Stream stream);
    Written settle_failures();
    void erase(std::uint32_t block);
    void fail_block(std::uint32_t block);
    void map_page(std::uint32_t logical, std::uint32_t physical);
    void close_block(std::uint32_t block);
    void list_erased(std::uint32_t block);
    void list_victim(std::uint32_t block);
    const std::byte* merged(std::uint32_t logical, std::size_t within, std::span<const std::byte> bytes);
    [[nodiscard]] const std::byte* content(std::uint32_t logical) const;
    [[nodiscard]] std::uint32_t block_of(std::uint32_t physical) const { return physical / pages_per_block_; }

    Image& image_;
    Flash flash_;
    std::span<std::uint32_t> map_;
    std::uint32_t pages_per_block_;
    std::uint32_t levelling_gap_;
    std::vector<std::uint32_t> reverse_;  ///< Of each physical page: the logical one plus 1; 0: not valid.
    std::vector<std::uint32_t> valid_;    ///< Of each block.
    std::array<std::optional<std::uint32_t>, streams> open_{};
    Selector victims_;      ///< Full blocks and those with failed programs, the best to collect first.
    Selector least_worn_;   ///< Erased blocks.
    Selector most_worn_;    ///< Erased blocks.
    Selector oldest_full_;  ///< Full blocks, the least worn first.
    std::uint32_t erased_ = 0;
    bool unsettled_ = false;  ///< A block failed, and the consequences are not drawn yet.
    alignas(page_bytes) std::array<std::byte, page_bytes> merge_buffer_{};
};

}  // namespace wearout::block::sim
