#pragma once

#include "facts/drive.h"

#include <string>
#include <string_view>
#include <vector>

namespace wearout::service {

/// A drive whose wear counters are to be read in a way that can't be found out, as behind a RAID controller:
/// `smart-device = DRIVE DEVICE TYPE [SERIAL]` in the configuration.
struct SmartDevice {
    std::string drive;   ///< Its serial number, its name below /dev/disk/by-id or its key.
    std::string path;    ///< What smartctl is given,
    std::string type;    ///< and this with -d.
    std::string serial;  ///< What the answer must have; empty: the drive's own serial number.
};

/// Throws a Failure (usage) that begins with `what`.
[[nodiscard]] SmartDevice parse_smart_device(std::string_view text, std::string_view what);

/// The one that is meant for a drive, or null.
[[nodiscard]] const SmartDevice* find_smart_device(const std::vector<SmartDevice>& devices,
                                                   const Drive& drive);

}  // namespace wearout::service
