#pragma once

#include "health/nvme_plan.h"

#include <memory>
#include <string>

namespace wearout::health {

/// Opens a namespace ("/dev/nvme0n1") or a controller. Needs CAP_SYS_ADMIN. Throws a Failure (unreachable).
/// Commands have the kernel's own time-out: a shorter one would make it reset a controller that is only slow.
[[nodiscard]] std::unique_ptr<NvmeController> open_nvme(const std::string& path);

}  // namespace wearout::health
