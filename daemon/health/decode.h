#pragma once

#include "health/answer.h"
#include "health/catalogue.h"
#include "health/health_source.h"
#include "health/row_reader.h"

#include <optional>
#include <string>
#include <vector>

namespace wearout::health {

/// `decode` with a catalogue other than the one that is built in.
[[nodiscard]] Sample decode(const RawAnswer& answer, const Catalogue& catalogue);

/// What became of one row of the catalogue.
struct RowVerdict {
    const Family* family = nullptr;  ///< Both are the catalogue's.
    const Row* row = nullptr;
    std::string place;  ///< As Reading::source tells it.
    std::optional<RowReading> reading;
    std::string passed_over;  ///< Why it is not the metric's reading; empty: it is.
};

/// Of every row with a metric whose field is in the answer, in the order of the catalogue. For explanations:
/// the readings themselves are decode's.
[[nodiscard]] std::vector<RowVerdict> judge_rows(const Answer& answer, const Catalogue& catalogue);

}  // namespace wearout::health
