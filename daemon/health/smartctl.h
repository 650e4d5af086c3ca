#pragma once

#include "health/health_source.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace wearout::health {

struct SmartctlOptions {
    std::string program = "smartctl";
    std::vector<std::string> extra_arguments;  ///< Such as {"-d", "sat"}.
    std::chrono::milliseconds timeout{120'000};
};

/// Runs `smartctl --json -x DEVICE` as a child in its own process group, with bounded output, killed at the
/// time-out.
[[nodiscard]] std::unique_ptr<HealthSource> smartctl_source(std::string device_path, SmartctlOptions options);

}  // namespace wearout::health
