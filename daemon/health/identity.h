#pragma once

#include "health/answer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wearout::health {

/// When an answer was given, as it tells itself.
struct ToldTime {
    std::int64_t seconds =
        0;               ///< Since 1970; of local time, as if it were UTC, when the zone is not certain.
    bool exact = false;  ///< The zone is certain.
    std::string text;    ///< As it is told: "Tue Jul 27 11:03:39 2021 CEST".
};

/// Which drive an answer is about. Empty: not told, or made unreadable by whoever published it.
struct Identity {
    std::string model;
    std::string serial;
    std::string wwn;
    std::string firmware;
    std::string drivedb_family;
    std::optional<std::int64_t> capacity_bytes;
    std::optional<ToldTime> time;
};

[[nodiscard]] Identity identify(const Answer& answer);

/// A serial number that is none: empty, of one and the same character, cut off, or said to be hidden.
[[nodiscard]] bool is_hidden(std::string_view serial);

}  // namespace wearout::health
