#pragma once

#include <string>

namespace wearout::health {

/// `smartctl -x` output of an ATA drive as the JSON that smartctl would print: attributes and device
/// statistics. Raw values are put together from what is printed, where that tells them.
[[nodiscard]] std::string json_from_text(const std::string& text);

}  // namespace wearout::health
