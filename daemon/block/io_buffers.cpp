#include "block/io_buffers.h"

#include "block/block_device.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/mman.h>

#include <fmt/format.h>

namespace wearout::block {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

IoBuffers::IoBuffers(std::uint32_t count, std::uint32_t bytes) : count_(count), bytes_(bytes) {
    const std::size_t wanted = std::size_t{count} * bytes;
    const std::size_t alignment = wanted >= huge_page_bytes ? huge_page_bytes : page_bytes;
    const std::size_t total = round_up(wanted, alignment);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, total)));
    if (!memory_) throw std::bad_alloc();
    // Only advice: without huge pages everything works as well.
    if (alignment == huge_page_bytes) ::madvise(memory_.get(), total, MADV_HUGEPAGE);
    std::memset(memory_.get(), 0, total);
}

void check_request(const IoRequest& request, const BlockDevice& device) {
    const Geometry& geometry = device.geometry();
    const bool aligned =
        request.offset % geometry.logical_block == 0 && request.length % geometry.logical_block == 0;
    const bool inside = request.offset <= geometry.capacity.value &&
                        request.length <= geometry.capacity.value - request.offset;
    if (aligned && inside && request.length > 0 && request.length <= device.buffer_bytes() &&
        request.buffer < device.queue_depth())
        return;
    throw std::logic_error(fmt::format("bad request: {} bytes at {} with buffer {}", request.length,
                                       request.offset, request.buffer));
}

}  // namespace wearout::block
