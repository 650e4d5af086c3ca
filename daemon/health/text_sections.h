#pragma once

#include "health/json.h"

#include <string>
#include <string_view>

/// The tables in smartctl's text output, a line at a time, into the JSON that smartctl prints for them. Each
/// returns whether the line is such a row.
namespace wearout::health {

/// "  5 Retired_Block_Count     0x0033   100 …" or the brief form: that it is the start of a row.
[[nodiscard]] bool is_attribute_row(std::string_view line);
bool read_attribute(std::string_view line, Json& answer);
/// "0x01  0x018  6      3752259372  ---  Logical Sectors Written", also as printed before 6.6.
bool read_statistic(std::string_view line, Json& answer);
/// "Data Units Written:   337,802,357 [172 TB]"
bool read_nvme_field(std::string_view label, std::string_view value, Json& answer);
/// "write:  0  0  0  0  0  11472,811  0"
bool read_error_counter(std::string_view line, Json& answer);

}  // namespace wearout::health
