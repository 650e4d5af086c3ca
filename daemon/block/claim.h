#pragma once

#include "base/fd.h"

#include <string>

namespace wearout::block {

/// open(2) of a block device with O_EXCL and O_CLOEXEC. A claim that somebody else holds for a moment only is
/// waited out, up to 300 ms: udev rereads the partition table of each disk that a writer has just closed, and
/// the kernel takes a moment to drop what a killed process held. An empty Fd, and errno, when it can't be
/// had.
[[nodiscard]] Fd claim(const std::string& path, int flags);

}  // namespace wearout::block
