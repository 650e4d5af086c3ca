#pragma once

// The format of a sector on the media is documented here, beside its constants. Do not renumber: drives that
// were written by an older version must stay readable.
//
// Every sector of 512 bytes, all integers little endian:
//
//   offset  bytes
//        0      8  magic and format version: "WEAROUT", then 0x01
//        8      8  PatternId::run
//       16      8  PatternId::drive
//       24      8  LBA of this sector, counted in 512 bytes from the start of the drive
//       32      4  generation
//       36      4  CRC32C (Castagnoli, as in RFC 3720 section 12.1) over the 512 bytes as they lie on the
//                  media, with this field taken as four zero bytes
//       40    472  payload: word() of mix.h for the 32-bit words 10 to 127
//
// Bytes 0 to 35 are stored XORed with a mask: as 64-bit words, word i with mix64(p + i * golden_64) of mix.h,
// where p are the bytes 40 to 47 and word 4 is only half used. Without that, 36 bytes would repeat from
// sector to sector and compress, and drives that compress what they store would wear less than is counted.
// The mask comes from the payload, so that a stamp is read without knowing what the sector should hold.
//
// Considered and dropped: a plain stamp (compresses); the payload itself as the mask (where the stamp is
// zero, payload then repeats, and zstd finds it); a mask made from the LBA where the sector was read (hides
// where a misdirected sector comes from); the CRC at the end of the sector (a torn sector would still hold
// the stamp and the checksum of two writes, but a reader had to look in two places).

#include "base/endian.h"
#include "base/types.h"
#include "facts/run_spec.h"
#include "pattern/mix.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace wearout::pattern {

inline constexpr std::uint8_t format_version = 1;
inline constexpr std::uint64_t stamp_magic =
    0x0054'554f'5241'4557U | (std::uint64_t{format_version} << 56U);  // "WEAROUT"
inline constexpr std::size_t run_offset = 8;
inline constexpr std::size_t drive_offset = 16;
inline constexpr std::size_t lba_offset = 24;
inline constexpr std::size_t generation_offset = 32;
inline constexpr std::size_t crc_offset = 36;
inline constexpr std::size_t stamp_bytes = 40;

using SectorBytes = std::span<const std::byte, sector_bytes>;

/// What a sector's stamp says.
struct Stamp {
    std::uint64_t run = 0;
    std::uint64_t drive = 0;
    Lba lba;
    Generation generation;
    bool operator==(const Stamp&) const = default;
};

/// What lies over the stamp of one sector.
class StampMask {
  public:
    [[gnu::always_inline]] explicit StampMask(SectorBytes sector)
        : seed_(load_le<std::uint64_t>(sector, stamp_bytes)) {}
    [[nodiscard, gnu::always_inline]] std::uint64_t at(std::size_t offset) const {
        return mix64(seed_ + offset / sizeof(std::uint64_t) * golden_64);
    }

  private:
    std::uint64_t seed_;
};

/// The first bytes of a sector, as 64-bit words.
using MaskedStamp = std::array<std::uint64_t, stamp_bytes / sizeof(std::uint64_t)>;

/// `stamp` as it lies on the media in a sector whose payload is complete, with a CRC field of zero.
[[nodiscard, gnu::always_inline]] inline MaskedStamp masked_stamp(SectorBytes sector, const Stamp& stamp) {
    const StampMask mask(sector);
    return {stamp_magic ^ mask.at(0), stamp.run ^ mask.at(run_offset), stamp.drive ^ mask.at(drive_offset),
            stamp.lba.value ^ mask.at(lba_offset),
            stamp.generation.value ^ static_cast<std::uint32_t>(mask.at(generation_offset))};
}

/// Puts that over the first bytes of the sector. The CRC field takes the CRC of what is then there.
[[gnu::always_inline]] inline void write_stamp(std::span<std::byte, sector_bytes> sector,
                                               const Stamp& stamp) {
    const MaskedStamp words = masked_stamp(sector, stamp);
    for (std::size_t i = 0; i < words.size(); ++i)
        store_le(sector, i * sizeof(std::uint64_t), words[i]);
}

/// What the stamp says, whatever the checksum. Empty when the magic is not there or of another version.
[[nodiscard]] std::optional<Stamp> peek_stamp(SectorBytes sector);

/// The stamp of an authentic sector: magic, version and CRC are right. A CRC32C over 512 bytes misses no
/// change of five bits or fewer (Hamming distance 6 up to 5243 bits: Koopman, "32-Bit Cyclic Redundancy Codes
/// for Internet Applications", DSN 2002), and one in 2^32 of others.
[[nodiscard]] std::optional<Stamp> read_stamp(SectorBytes sector);

}  // namespace wearout::pattern
