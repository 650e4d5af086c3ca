#include "pattern/generator.h"

#include <algorithm>
#include <cassert>

namespace wearout::pattern {
namespace {

/// Takes `data` batch by batch, for as long as `take(stamp of the first sector, batch)` says true.
template <typename Byte, typename Take>
bool each_batch(Stamp stamp, std::span<Byte> data, Take take) {
    assert(data.size() % sector_bytes == 0);
    while (!data.empty()) {
        const auto batch = data.first(std::min(data.size(), batch_sectors * sector_bytes));
        if (!take(stamp, batch)) return false;
        stamp.lba = stamp.lba + batch_sectors;
        data = data.subspan(batch.size());
    }
    return true;
}

}  // namespace

void Generator::fill(Lba first, Generation generation, std::span<std::byte> out) const {
    const Stream stream(id_, generation);
    each_batch(stamp(first, generation), out, [&](const Stamp& at, std::span<std::byte> batch) {
        kernel_->fill(stream, at, batch);
        return true;
    });
}

bool Generator::same(Lba first, Generation generation, std::span<const std::byte> data) const {
    const Stream stream(id_, generation);
    return each_batch(stamp(first, generation), data, [&](const Stamp& at, std::span<const std::byte> batch) {
        return kernel_->same(stream, at, batch);
    });
}

}  // namespace wearout::pattern
