#include "pattern/generator.h"

#include "base/endian.h"
#include "pattern/crc.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace wearout::pattern {
namespace {

/// Sectors that are worked on at a time: they stay in the L1 cache between the payload, the stamps and the
/// checksums, and one's stamp is in memory by the time that its checksum reads it.
constexpr std::size_t batch_sectors = 8;

/// The keys of up to a batch of sectors.
class BatchKeys {
  public:
    BatchKeys(const Stream& stream, Lba first, std::size_t sectors) : count_(sectors) {
        for (std::size_t i = 0; i < sectors; ++i)
            keys_[i] = stream.key(first + i);
    }
    [[nodiscard]] std::span<const SectorKey> get() const { return {keys_.data(), count_}; }

  private:
    std::array<SectorKey, batch_sectors> keys_;
    std::size_t count_;
};

}  // namespace

void Generator::fill(Lba first, Generation generation, std::span<std::byte> out) const {
    assert(out.size() % sector_bytes == 0);
    const Stream stream(id_, generation);
    Stamp stamp{.run = id_.run, .drive = id_.drive, .lba = first, .generation = generation};
    std::array<std::uint32_t, batch_sectors> crcs;
    while (!out.empty()) {
        const auto batch = out.first(std::min(out.size(), batch_sectors * sector_bytes));
        const std::size_t sectors = batch.size() / sector_bytes;
        kernel_->fill(BatchKeys(stream, stamp.lba, sectors).get(), batch.data());
        for (std::size_t i = 0; i < sectors; ++i, ++stamp.lba.value)
            write_stamp(batch.subspan(i * sector_bytes).first<sector_bytes>(), stamp);
        crc_sectors(batch, std::span(crcs).first(sectors));
        for (std::size_t i = 0; i < sectors; ++i)
            store_le(batch, i * sector_bytes + crc_offset, crcs[i]);
        out = out.subspan(batch.size());
    }
}

bool Generator::same(Lba first, Generation generation, std::span<const std::byte> data) const {
    assert(data.size() % sector_bytes == 0);
    const Stream stream(id_, generation);
    Stamp stamp{.run = id_.run, .drive = id_.drive, .lba = first, .generation = generation};
    std::array<std::uint32_t, batch_sectors> crcs;
    while (!data.empty()) {
        const auto batch = data.first(std::min(data.size(), batch_sectors * sector_bytes));
        const std::size_t sectors = batch.size() / sector_bytes;
        if (!kernel_->same(BatchKeys(stream, stamp.lba, sectors).get(), batch.data())) return false;
        crc_sectors(batch, std::span(crcs).first(sectors));
        for (std::size_t i = 0; i < sectors; ++i, ++stamp.lba.value) {
            const auto sector = batch.subspan(i * sector_bytes).first<sector_bytes>();
            if (!crc_holds(sector, crcs[i]) || peek_stamp(sector) != stamp) return false;
        }
        data = data.subspan(batch.size());
    }
    return true;
}

}  // namespace wearout::pattern
