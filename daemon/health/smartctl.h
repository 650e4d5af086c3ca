#pragma once

#include "health/child.h"
#include "health/health_source.h"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace wearout::health {

struct SmartctlOptions {
    std::string program = "smartctl";            ///< A path, or a name in `system_path`.
    std::vector<std::string> extra_arguments{};  ///< Such as {"-d", "sat"}.
    std::chrono::milliseconds timeout{120'000};
    std::stop_token stop{};  ///< Requested: an `ask` under way kills its child and returns within `grace`.
    ChildLimits limits{};    ///< Its time-out is the one above.
};

/// Runs `smartctl --json -x DEVICE` as a child in its own process group, with bounded output, killed at the
/// time-out. The answer's text is what it prints, byte for byte; empty when it did not end by itself. A child
/// that even the kill does not end is left behind, and the device is not asked again while that one lives, by
/// this source or another.
[[nodiscard]] std::unique_ptr<HealthSource> smartctl_source(std::string device_path, SmartctlOptions options);

}  // namespace wearout::health
