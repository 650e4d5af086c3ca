#pragma once

#include "base/clock.h"
#include "base/types.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wearout {

/// What a drive is rated for: bytes, or drive writes a day over so many years, or both. With neither bytes
/// nor both of the others it says nothing.
struct Endurance {
    std::optional<Bytes> tbw;
    std::optional<std::uint32_t> dwpd_milli;  ///< Thousandths of a drive write a day.
    std::optional<std::uint32_t> years;       ///< Of warranty.
    auto operator<=>(const Endurance&) const = default;
};

/// A rating that the user has set for a model.
struct UserRating {
    std::string model;  ///< As typed.
    Bytes capacity;     ///< 0: for every capacity that the model comes in.
    Endurance endurance;
    WallTime set;
    auto operator<=>(const UserRating&) const = default;
};

}  // namespace wearout
