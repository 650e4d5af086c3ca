#pragma once

#include <compare>
#include <cstdint>

namespace wearout {

/// The smallest thing that can be told apart on the media, whatever the drive's logical block is.
inline constexpr std::uint32_t sector_bytes = 512;
/// The grain of the pattern. The last unit of a drive may be shorter.
inline constexpr std::uint32_t unit_bytes = 4096;
inline constexpr std::uint32_t sectors_per_unit = unit_bytes / sector_bytes;

/// A count of bytes.
struct Bytes {
    std::uint64_t value = 0;
    auto operator<=>(const Bytes&) const = default;
    Bytes& operator+=(Bytes other) {
        value += other.value;
        return *this;
    }
    friend Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
    friend Bytes operator-(Bytes a, Bytes b) { return {a.value - b.value}; }
};

/// The address of one 512-byte sector, counted from the start of the drive.
struct Lba {
    std::uint64_t value = 0;
    auto operator<=>(const Lba&) const = default;
    friend Lba operator+(Lba lba, std::uint64_t sectors) { return {lba.value + sectors}; }
    friend std::int64_t operator-(Lba a, Lba b) { return static_cast<std::int64_t>(a.value - b.value); }
    [[nodiscard]] std::uint64_t byte_offset() const { return value * sector_bytes; }
};

/// The index of one 4 KiB unit, counted from the start of the drive.
struct UnitIndex {
    std::uint64_t value = 0;
    auto operator<=>(const UnitIndex&) const = default;
    [[nodiscard]] Lba first_lba() const { return {value * sectors_per_unit}; }
    [[nodiscard]] std::uint64_t byte_offset() const { return value * unit_bytes; }
};

/// How many times a run has written a unit. 0: never, so that its content is unknown.
struct Generation {
    std::uint32_t value = 0;
    auto operator<=>(const Generation&) const = default;
};

/// A run's number in the database; what users type.
struct RunId {
    std::int64_t value = 0;
    auto operator<=>(const RunId&) const = default;
};

}  // namespace wearout
