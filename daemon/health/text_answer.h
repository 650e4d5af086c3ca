#pragma once

#include "health/json.h"

#include <string_view>

/// The classic text output of smartctl, of which many drives have no other record: as `-a`, `-A`, `-x` and
/// `-i` print it since smartmontools 5.4x, for ATA, NVMe and SCSI, in either attribute format, with any
/// locale's separators. Lines may be indented or quoted ("> "), and end in CR LF.
namespace wearout::health {

/// Whether a line of it is known as smartctl's.
[[nodiscard]] bool is_text_answer(std::string_view text);

/// The same facts as the JSON that smartctl would print, as far as the text tells them for certain: identity,
/// verdict, attributes, device statistics, NVMe log 02h, SCSI counters, local time. A raw value that its
/// printed form does not show whole is left out, beside `raw.string`. The exit status is what the text tells
/// of it: bits 0 to 3. Never throws for bad text.
[[nodiscard]] JsonResult read_text_answer(std::string_view text);

}  // namespace wearout::health
