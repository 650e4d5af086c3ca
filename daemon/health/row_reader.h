#pragma once

#include "health/answer.h"
#include "health/catalogue.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wearout::health {

/// What one row of the catalogue finds in an answer.
struct RowReading {
    std::int64_t raw = 0;    ///< Before scaling, without its fraction.
    std::int64_t scale = 1;  ///< The row's, or the logical block size.
    std::int64_t value = 0;  ///< In the metric's unit.
    std::string source;      ///< For Reading::source.
};

/// Nothing where the field is missing, reads as not reported, is out of its bounds, or does not fit 64 bits.
[[nodiscard]] std::optional<RowReading> read_row(const Row& row, const Answer& answer);

/// Whether the answer has the row's field at all, by the right name.
[[nodiscard]] bool has_field(const Row& row, const Answer& answer);

/// Why read_row gives nothing although the answer has an attribute, a statistic or a key at the row's place;
/// empty where it has not.
[[nodiscard]] std::string refusal(const Row& row, const Answer& answer);

/// The row's place in this answer, as Reading::source tells it.
[[nodiscard]] std::string place_of(const Row& row, const Answer& answer);

}  // namespace wearout::health
