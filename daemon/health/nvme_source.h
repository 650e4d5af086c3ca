#pragma once

#include "health/child.h"
#include "health/health_source.h"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace wearout::health {

struct NvmeSourceOptions {
    /// What asks the drive: a path. Empty: wearout-nvme-logs beside this program, else where it is installed.
    std::string program{};
    std::chrono::milliseconds timeout{120'000};
    std::stop_token stop{};
    ChildLimits limits{};  ///< Its time-out is the one above.
    /// Of the drive, whose turn to be asked is taken (turn.h); empty: the device's path.
    std::string drive_key{};
};

/// What another source answers (smartctl's), and behind it the drive's log pages as lines (nvme_log.h). Any
/// other device than an NVMe one gets the other source back, unchanged.
///
/// The program runs as a child under smartctl's rules: bounded in time and output, and while one that even
/// the kill did not end hangs over a drive, that drive's logs are not asked for again, by this source or
/// another. It prints lines of nvme_log.h, and
///   request REQUEST          (plan) a log to ask for, see nvme_plan.h
///   refused REQUEST          (read) the drive does not have it
///   failed REQUEST REASON    (read) it did not come this time
/// The plan is made once for each source, so for each attach of the drive. What the drive refuses is not
/// asked for again; when nothing is left, nor is the program run. A sample costs as many admin commands as
/// there are logs left.
[[nodiscard]] std::unique_ptr<HealthSource> with_nvme_logs(std::unique_ptr<HealthSource> other,
                                                           std::string device_path,
                                                           NvmeSourceOptions options);

}  // namespace wearout::health
