#pragma once

#include "base/clock.h"
#include "control/server.h"
#include "service/supervisor.h"

namespace wearout::service {

/// Answers what control/api.h lists. Never throws: what goes wrong is an error answer.
[[nodiscard]] control::Response answer(Supervisor& supervisor, std::chrono::seconds uptime,
                                       const control::Request& request);

}  // namespace wearout::service
