#pragma once

#include "block/system.h"

#include <map>
#include <string>

namespace wearout::block {

/// The processes that have a block device open for writing, whether they claim it or not (a virtual machine
/// that is given a whole disk often does not), by device: "qemu-system-x86 (process 4711)". This process and
/// those that only manage drives (udev, smartmontools) are left out, and so are those that may not be looked
/// at.
[[nodiscard]] std::map<DeviceNumber, std::string> find_writers(const System& system);

}  // namespace wearout::block
