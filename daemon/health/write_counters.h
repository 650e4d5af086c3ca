#pragma once

#include "facts/metric.h"
#include "health/catalogue.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::health {

/// A counter of written bytes as it stands in an answer, before any unit is put to it.
struct WriteCounter {
    std::string field;  ///< As Reading::source names it.
    Metric metric = Metric::host_bytes_written;
    std::int64_t raw = 0;
    std::optional<std::int64_t> step;  ///< Bytes per step, where the catalogue gives it a unit in this drive.
};

/// All that count written bytes, of the host or to flash, by the catalogue; and attributes that the catalogue
/// does not know in this drive and whose name, as smartctl guesses it, says that they count writes. Never
/// throws for bad text.
[[nodiscard]] std::vector<WriteCounter> write_counters(std::string_view answer);
[[nodiscard]] std::vector<WriteCounter> write_counters(std::string_view answer, const Catalogue& catalogue);

}  // namespace wearout::health
