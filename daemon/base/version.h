#pragma once

#include <string_view>

namespace wearout {

/// What `--version` prints: the project's version, "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace wearout
