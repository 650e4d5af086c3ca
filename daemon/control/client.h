#pragma once

#include "control/server.h"

#include <chrono>
#include <string>
#include <string_view>

namespace wearout::control {

/// One request, one answer. Throws a Failure (unreachable) that names the socket when no daemon answers in
/// time.
[[nodiscard]] Response call(const std::string& socket_path, std::string_view method, std::string_view path,
                            std::string_view body = {},
                            std::chrono::milliseconds timeout = std::chrono::seconds(30));

}  // namespace wearout::control
