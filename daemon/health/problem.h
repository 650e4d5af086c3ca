#pragma once

#include "health/answer.h"

#include <string>
#include <vector>

namespace wearout::health {

/// What the answer says is wrong, for the user: each a clause. From smartctl's exit status (its manual page,
/// "EXIT STATUS"), its messages, and the drive's own verdict. Attributes in `false_alarms` are not believed.
[[nodiscard]] std::vector<std::string> problems_in(const Answer& answer,
                                                   const std::vector<int>& false_alarms);

/// The drive's own verdict: smart_status, else bit 3 of the exit status.
[[nodiscard]] bool says_failing(const Answer& answer);

}  // namespace wearout::health
