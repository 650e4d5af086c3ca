#pragma once

#include "health/answer.h"

#include <string>
#include <string_view>
#include <vector>

/// smartctl's option -d: which way to ask a drive. From smartctl(8) of 7.5 and the USB entries of its drive
/// database.
namespace wearout::health {

/// Why this is not given to smartctl as a device type; empty: it may be.
[[nodiscard]] std::string device_type_problem(std::string_view type);

/// What to try, in this order, where smartctl does not know how to ask a USB drive; empty: it does know, or
/// there is nothing that could be tried without risk.
[[nodiscard]] std::vector<std::string> device_types_to_try(const Answer& answer);

}  // namespace wearout::health
