#pragma once

#include "store/store.h"
#include "tools/wearctl/json_text.h"

#include <string>

namespace wearout::tools {

/// What asking for the wear counters took, in a line.
[[nodiscard]] std::string sampling_text(const store::SamplingCost& cost);
/// The same for `report --json`: null when the drive was never asked.
[[nodiscard]] Json sampling_json(const store::SamplingCost& cost);

}  // namespace wearout::tools
