#include "block/memory_device.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace wearout::block {

namespace {

/// Calls `visit(page, offset in page, offset in range, length)` for each page that a range touches.
template <typename Visit>
void for_each_page(std::uint64_t offset, std::size_t length, std::size_t page_bytes, Visit visit) {
    for (std::size_t done = 0; done < length;) {
        const std::uint64_t at = offset + done;
        const auto within = static_cast<std::size_t>(at % page_bytes);
        const std::size_t step = std::min(page_bytes - within, length - done);
        visit(at / page_bytes, within, done, step);
        done += step;
    }
}

void check_range(std::uint64_t offset, std::size_t length, const Geometry& geometry) {
    if (offset > geometry.capacity.value || length > geometry.capacity.value - offset)
        throw std::logic_error("past the end of the media");
}

}  // namespace

MemoryMedia::MemoryMedia(const Geometry& geometry, bool write_cache, std::uint64_t seed)
    : geometry_(geometry), write_cache_(write_cache), random_(seed) {}

MemoryMedia::Page& MemoryMedia::page(std::uint64_t index) {
    auto& page = pages_[index];
    if (!page) page = std::make_unique<Page>();
    return *page;
}

void MemoryMedia::read(std::uint64_t offset, std::span<std::byte> out) const {
    check_range(offset, out.size(), geometry_);
    for_each_page(offset, out.size(), page_bytes, [&](auto index, auto within, auto done, auto length) {
        const auto found = pages_.find(index);
        if (found == pages_.end())
            std::memset(&out[done], 0, length);
        else
            std::memcpy(&out[done], found->second->data() + within, length);
    });
}

void MemoryMedia::write(std::uint64_t offset, std::span<const std::byte> data) {
    check_range(offset, data.size(), geometry_);
    for_each_page(offset, data.size(), page_bytes, [&](auto index, auto within, auto done, auto length) {
        Page& target = page(index);
        if (write_cache_) older_[index].push_back(target);
        std::memcpy(target.data() + within, &data[done], length);
    });
}

void MemoryMedia::corrupt(std::uint64_t offset, std::span<const std::byte> data) {
    check_range(offset, data.size(), geometry_);
    for_each_page(offset, data.size(), page_bytes, [&](auto index, auto within, auto done, auto length) {
        std::memcpy(page(index).data() + within, &data[done], length);
        const auto older = older_.find(index);
        if (older == older_.end()) return;
        for (Page& version : older->second)
            std::memcpy(version.data() + within, &data[done], length);
    });
}

void MemoryMedia::flush() {
    older_.clear();
}

std::size_t MemoryMedia::cut_power() {
    std::size_t lost = 0;
    for (const auto& [index, versions] : older_) {
        Page& current = page(index);
        for (std::size_t sector = 0; sector < page_bytes; sector += sector_bytes) {
            const std::size_t pick = random_() % (versions.size() + 1);
            if (pick == versions.size()) continue;
            const std::byte* kept = versions[pick].data() + sector;
            if (std::memcmp(current.data() + sector, kept, sector_bytes) == 0) continue;
            std::memcpy(current.data() + sector, kept, sector_bytes);
            ++lost;
        }
    }
    older_.clear();
    return lost;
}

void MemoryMedia::write_torn(std::uint64_t offset, std::span<const std::byte> data) {
    for (std::size_t sector = 0; sector < data.size(); sector += sector_bytes)
        if (random_() % 2 == 0)
            write(offset + sector,
                  data.subspan(sector, std::min<std::size_t>(sector_bytes, data.size() - sector)));
}

MemoryDevice::MemoryDevice(MemoryMedia& media, const MemoryOptions& options, Clock& clock)
    : media_(media),
      options_(options),
      clock_(clock),
      buffers_(options.queue_depth, options.transfer_bytes),
      random_(options.shuffle_seed) {}

MemoryDevice::~MemoryDevice() {
    for (const UnderWay& entry : under_way_)
        transfer(entry.request);
}

void MemoryDevice::submit(const IoRequest& request) {
    check_request(request, *this);
    for (const UnderWay& entry : under_way_)
        if (entry.request.buffer == request.buffer)
            throw std::logic_error("the buffer is in use by another request");
    under_way_.push_back({request, clock_.steady()});
}

void MemoryDevice::transfer(const IoRequest& request) {
    const auto data = buffers_.at(request.buffer).first(request.length);
    if (request.kind == IoKind::read)
        media_.read(request.offset, data);
    else
        media_.write(request.offset, data);
}

std::size_t MemoryDevice::reap(std::span<IoCompletion> out, std::chrono::milliseconds) {
    std::size_t count = std::min(out.size(), under_way_.size());
    if (options_.shuffle_seed != 0) {
        std::shuffle(under_way_.begin(), under_way_.end(), random_);
        if (count > 1) count = 1 + random_() % count;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const UnderWay& entry = under_way_[i];
        if (options_.service_time.count() > 0) clock_.sleep_for(options_.service_time);
        transfer(entry.request);
        out[i] = {entry.request, IoDone{}, clock_.steady() - entry.submitted};
    }
    under_way_.erase(under_way_.begin(), under_way_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

IoOutcome MemoryDevice::flush() {
    media_.flush();
    return IoDone{};
}

void MemoryDevice::cut_power() {
    for (const UnderWay& entry : under_way_)
        if (entry.request.kind == IoKind::write)
            media_.write_torn(entry.request.offset,
                              buffers_.at(entry.request.buffer).first(entry.request.length));
    under_way_.clear();
    media_.cut_power();
}

}  // namespace wearout::block
