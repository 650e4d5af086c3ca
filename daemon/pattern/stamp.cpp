#include "pattern/stamp.h"

#include "base/endian.h"
#include "pattern/crc.h"
#include "pattern/mix.h"

#include <array>

namespace wearout::pattern {
namespace {

std::uint32_t crc_of(SectorBytes sector) {
    std::uint32_t crc = 0;
    crc_sectors(sector, {&crc, 1});
    return crc;
}

/// What each value of each byte of the CRC field adds to the CRC of the sector. A CRC is linear: that of the
/// sector with the field zeroed is that of the whole sector, XORed with what the field adds. So a sector is
/// checked in one stretch, which ISA-L does twice as fast as two stretches around the field.
class FieldShare {
  public:
    FieldShare() {
        std::array<std::byte, sector_bytes> sector{};
        const std::uint32_t nothing = crc_of(sector);
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            for (std::size_t value = 0; value < 256; ++value) {
                sector.at(crc_offset + i) = static_cast<std::byte>(value);
                shares_[i][value] = crc_of(sector) ^ nothing;
            }
            sector.at(crc_offset + i) = std::byte{0};
        }
    }
    [[nodiscard]] std::uint32_t of(std::uint32_t field) const {
        return shares_[0][field & 0xffU] ^ shares_[1][(field >> 8U) & 0xffU] ^
               shares_[2][(field >> 16U) & 0xffU] ^ shares_[3][field >> 24U];
    }

  private:
    std::array<std::array<std::uint32_t, 256>, 4> shares_{};
};

const FieldShare& field_share() {
    static const FieldShare share;
    return share;
}

/// What lies over the stamp of one sector.
class Mask {
  public:
    explicit Mask(SectorBytes sector) : seed_(load_le<std::uint64_t>(sector, stamp_bytes)) {}
    [[nodiscard]] std::uint64_t at(std::size_t offset) const {
        return mix64(seed_ + offset / sizeof(std::uint64_t) * golden_64);
    }

  private:
    std::uint64_t seed_;
};

}  // namespace

void write_stamp(std::span<std::byte, sector_bytes> sector, const Stamp& stamp) {
    const Mask mask(sector);
    store_le(sector, 0, stamp_magic ^ mask.at(0));
    store_le(sector, run_offset, stamp.run ^ mask.at(run_offset));
    store_le(sector, drive_offset, stamp.drive ^ mask.at(drive_offset));
    store_le(sector, lba_offset, stamp.lba.value ^ mask.at(lba_offset));
    store_le(sector, generation_offset,
             stamp.generation.value ^ static_cast<std::uint32_t>(mask.at(generation_offset)));
    store_le<std::uint32_t>(sector, crc_offset, 0);
}

bool crc_holds(SectorBytes sector, std::uint32_t whole_crc) {
    const auto field = load_le<std::uint32_t>(sector, crc_offset);
    return (whole_crc ^ field_share().of(field)) == field;
}

std::optional<Stamp> peek_stamp(SectorBytes sector) {
    const Mask mask(sector);
    const auto word = [&](std::size_t offset) {
        return load_le<std::uint64_t>(sector, offset) ^ mask.at(offset);
    };
    if (word(0) != stamp_magic) return std::nullopt;
    return Stamp{.run = word(run_offset),
                 .drive = word(drive_offset),
                 .lba = {word(lba_offset)},
                 .generation = {static_cast<std::uint32_t>(word(generation_offset))}};
}

std::optional<Stamp> read_stamp(SectorBytes sector) {
    const auto stamp = peek_stamp(sector);
    if (!stamp || !crc_holds(sector, crc_of(sector))) return std::nullopt;
    return stamp;
}

}  // namespace wearout::pattern
