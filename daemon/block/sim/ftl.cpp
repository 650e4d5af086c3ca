#include "block/sim/ftl.h"

#include <algorithm>
#include <cstring>

namespace wearout::block::sim {

const std::byte* Ftl::content(std::uint32_t logical) const {
    return map_[logical] == 0 ? nullptr : flash_.page(map_[logical] - 1);
}

void Ftl::read(std::uint64_t offset, std::span<std::byte> out) {
    image_.counters().host_bytes_read += out.size();
    while (!out.empty()) {
        const std::size_t within = offset % page_bytes;
        const std::size_t length = std::min(page_bytes - within, out.size());
        const std::byte* const from = content(static_cast<std::uint32_t>(offset / page_bytes));
        if (from == nullptr)
            std::memset(out.data(), 0, length);
        else
            std::memcpy(out.data(), from + within, length);
        out = out.subspan(length);
        offset += length;
    }
}

Ftl::Written Ftl::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto logical = static_cast<std::uint32_t>(offset / page_bytes);
        const std::size_t within = offset % page_bytes;
        const std::size_t length = std::min(page_bytes - within, bytes.size());
        const std::byte* const data =
            length == page_bytes ? bytes.data() : merged(logical, within, bytes.first(length));
        if (const Written result = write_page(logical, data); result != Written::done) return result;
        image_.counters().host_bytes_written += length;
        bytes = bytes.subspan(length);
        offset += length;
    }
    return Written::done;
}

const std::byte* Ftl::merged(std::uint32_t logical, std::size_t within, std::span<const std::byte> bytes) {
    const std::byte* const old = content(logical);
    if (old == nullptr)
        merge_buffer_.fill(std::byte{0});
    else
        std::memcpy(merge_buffer_.data(), old, page_bytes);
    std::memcpy(merge_buffer_.data() + within, bytes.data(), bytes.size());
    return merge_buffer_.data();
}

Ftl::Written Ftl::write_page(std::uint32_t logical, const std::byte* data) {
    if (read_only()) return Written::read_only;
    Written result = append(Stream::host, logical, data);
    if (result == Written::done) {
        ++image_.counters().host_pages;
        // The page is written: if a failure on the way to it used up the spare, that stops the next one.
        static_cast<void>(settle_failures());
    }
    if (result == Written::read_only) publish(image_.counters().read_only, 1U);
    return result;
}

/// `read_only` here means that no erased block is left to go on with.
Ftl::Written Ftl::append(Stream stream, std::uint32_t logical, const std::byte* data) {
    std::optional<std::uint32_t>& open = open_[static_cast<std::size_t>(stream)];
    for (;;) {
        if (!open)
            if (const Written result = open_block(stream); result != Written::done) return result;
        const std::uint32_t block = *open;
        const std::optional<std::uint32_t> physical = flash_.program(block, data);
        if (!physical) {
            open.reset();
            fail_block(block);
            continue;
        }
        map_page(logical, *physical);
        if (flash_.is_programmed_full(block)) {
            open.reset();
            close_block(block);
        }
        return Written::done;
    }
}

Ftl::Written Ftl::open_block(Stream stream) {
    if (stream == Stream::host)
        if (const Written result = make_room(); result != Written::done) return result;
    const auto block = stream == Stream::cold ? most_worn_.best() : least_worn_.best();
    if (!block) return Written::read_only;
    if (image_.reserve_block(*block) != 0) return Written::no_space;
    least_worn_.clear(*block);
    most_worn_.clear(*block);
    --erased_;
    flash_.set_state(*block, stream == Stream::host    ? BlockState::host
                             : stream == Stream::moved ? BlockState::moved
                                                       : BlockState::cold);
    open_[static_cast<std::size_t>(stream)] = block;
    return Written::done;
}

Ftl::Written Ftl::make_room() {
    while (erased_ <= low_water) {
        const auto victim = victims_.best();
        if (!victim || valid_[*victim] == pages_per_block_) return Written::read_only;
        if (const Written result = collect(*victim); result != Written::done) return result;
    }
    return level_wear();
}

Ftl::Written Ftl::collect(std::uint32_t victim) {
    if (const Written result = move_valid(victim, Stream::moved); result != Written::done) return result;
    if (flash_.block(victim).state == BlockState::full) erase(victim);
    return Written::done;
}

Ftl::Written Ftl::level_wear() {
    const auto cold = oldest_full_.best();
    const auto worn = most_worn_.best();
    if (!cold || !worn || flash_.block(*worn).erase_count < flash_.block(*cold).erase_count + levelling_gap_)
        return Written::done;
    if (const Written result = move_valid(*cold, Stream::cold); result != Written::done) return result;
    erase(*cold);
    return Written::done;
}

Ftl::Written Ftl::move_valid(std::uint32_t block, Stream stream) {
    const std::uint32_t first = block * pages_per_block_;
    const std::uint32_t end = first + flash_.block(block).programmed;
    for (std::uint32_t physical = first; physical < end && valid_[block] > 0; ++physical) {
        if (reverse_[physical] == 0) continue;
        const Written result = append(stream, reverse_[physical] - 1, flash_.page(physical));
        if (result != Written::done) return result;
        ++image_.counters().moved_pages;
    }
    return Written::done;
}

/// Moves what failed blocks still hold. Where that can't be done now, the data stays readable where it is.
Ftl::Written Ftl::settle_failures() {
    while (unsettled_) {
        unsettled_ = false;
        if (flash_.retired() > image_.geometry().spare_blocks()) publish(image_.counters().read_only, 1U);
        for (auto block = victims_.best(); block && flash_.block(*block).state == BlockState::program_failed;
             block = victims_.best())
            if (const Written result = move_valid(*block, Stream::moved); result != Written::done)
                return result;
    }
    return Written::done;
}

void Ftl::erase(std::uint32_t block) {
    victims_.clear(block);
    oldest_full_.clear(block);
    if (flash_.erase(block))
        list_erased(block);
    else
        unsettled_ = true;
}

void Ftl::fail_block(std::uint32_t block) {
    unsettled_ = true;
    list_victim(block);
}

void Ftl::map_page(std::uint32_t logical, std::uint32_t physical) {
    const std::uint32_t old = map_[logical];
    publish(map_[logical], physical + 1);
    reverse_[physical] = logical + 1;
    ++valid_[block_of(physical)];
    if (old == 0) return;
    reverse_[old - 1] = 0;
    --valid_[block_of(old - 1)];
    list_victim(block_of(old - 1));
}

void Ftl::close_block(std::uint32_t block) {
    flash_.set_state(block, BlockState::full);
    oldest_full_.set(block, flash_.block(block).erase_count);
    list_victim(block);
}

void Ftl::list_erased(std::uint32_t block) {
    const std::uint32_t cycles = flash_.block(block).erase_count;
    least_worn_.set(block, cycles);
    most_worn_.set(block, UINT32_MAX - cycles);
    ++erased_;
}

void Ftl::list_victim(std::uint32_t block) {
    const BlockState state = flash_.block(block).state;
    if (state == BlockState::full)
        victims_.set(block, (std::uint64_t{valid_[block]} + 1) << 32U | flash_.block(block).erase_count);
    else if (state == BlockState::program_failed && valid_[block] > 0)
        victims_.set(block, 0);  // Before any other.
    else
        victims_.clear(block);
}

std::uint32_t Ftl::spare_left() const {
    const std::uint32_t spare = image_.geometry().spare_blocks();
    return spare - std::min(spare, flash_.retired());
}

}  // namespace wearout::block::sim
