#pragma once

#include "health/child.h"
#include "health/health_source.h"

#include <chrono>
#include <functional>
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
    /// Drive::key: of one key no two are asked at once, whatever their paths. Empty: the path.
    std::string drive_key{};
    /// Whether the drive may have gone to standby, and is then to be left asleep. Null: never.
    std::function<bool()> may_sleep{};
};

/// Runs `smartctl --json -x DEVICE` as a child in its own process group, with bounded output, killed at the
/// time-out. The answer's text is what it prints, byte for byte; empty when it did not end by itself. A child
/// that even the kill does not end is left behind, and the drive is not asked again while that one lives, by
/// this source or another. Where another asks the drive, it waits for that, at most for its time-out.
[[nodiscard]] std::unique_ptr<HealthSource> smartctl_source(std::string device_path, SmartctlOptions options);

}  // namespace wearout::health
