#pragma once

#include "health/answer.h"

#include <string>
#include <string_view>
#include <vector>

namespace wearout::health {

/// What the answer says is wrong, for the user: each a clause. From smartctl's exit status (its manual page,
/// "EXIT STATUS"), its messages, and the drive's own verdict. Attributes in `false_alarms` are not believed,
/// nor thresholds that always pass (0) or always fail (254 and 255; ATA-3, X3T13/2008D revision 7b, 8.48).
[[nodiscard]] std::vector<std::string> problems_in(const Answer& answer,
                                                   const std::vector<int>& false_alarms);

/// smartctl's first message that holds `part`, made printable; errors before information. Empty: none.
[[nodiscard]] std::string message_with(const Answer& answer, std::string_view part);

/// The drive's own verdict: smart_status, else bit 3 of the exit status.
[[nodiscard]] bool says_failing(const Answer& answer);

}  // namespace wearout::health
