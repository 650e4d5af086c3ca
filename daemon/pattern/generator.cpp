#include "pattern/generator.h"

#include "base/endian.h"
#include "pattern/crc.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace wearout::pattern {
namespace {

/// The widest vector there is: none of the expected bytes then lies across two cache lines.
constexpr std::size_t vector_bytes = 64;

}  // namespace

void Generator::fill(Lba first, Generation generation, std::span<std::byte> out) const {
    assert(out.size() % sector_bytes == 0);
    const Stream stream(id_, generation);
    Stamp stamp{.run = id_.run, .drive = id_.drive, .lba = first, .generation = generation};
    while (!out.empty()) {
        const auto batch = out.first(std::min(out.size(), batch_sectors * sector_bytes));
        fill_batch(stream, stamp, batch);
        stamp.lba = stamp.lba + batch_sectors;
        out = out.subspan(batch.size());
    }
}

/// Makes what is expected and compares with that: the data is read once, by nothing but the comparison.
bool Generator::same(Lba first, Generation generation, std::span<const std::byte> data) const {
    assert(data.size() % sector_bytes == 0);
    const Stream stream(id_, generation);
    Stamp stamp{.run = id_.run, .drive = id_.drive, .lba = first, .generation = generation};
    alignas(vector_bytes) std::array<std::byte, batch_sectors * sector_bytes> expected;
    while (!data.empty()) {
        const auto batch = data.first(std::min(data.size(), expected.size()));
        fill_batch(stream, stamp, std::span(expected).first(batch.size()));
        if (!kernel_->same(batch, expected.data())) return false;
        stamp.lba = stamp.lba + batch_sectors;
        data = data.subspan(batch.size());
    }
    return true;
}

void Generator::fill_batch(const Stream& stream, const Stamp& first, std::span<std::byte> out) const {
    std::array<std::uint32_t, batch_sectors> crcs;
    const std::size_t sectors = out.size() / sector_bytes;
    kernel_->fill(stream, first, out);
    crc_sectors(out, std::span(crcs).first(sectors));
    for (std::size_t i = 0; i < sectors; ++i)
        store_le(out, i * sector_bytes + crc_offset, crcs[i]);
}

}  // namespace wearout::pattern
