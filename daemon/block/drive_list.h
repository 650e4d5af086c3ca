#pragma once

#include "block/system.h"
#include "facts/drive.h"

#include <string>
#include <vector>

namespace wearout::block {

struct ListedDrive {
    Drive drive;
    std::string path;                  ///< "/dev/sda"; the kernel's name today.
    std::vector<std::string> reasons;  ///< Why it must not be overwritten; empty: free.
};

/// Every whole drive that the kernel shows (no partitions, no device-mapper, md, zram, ram; loop devices only
/// with a backing file), by path. Without udev's database what sysfs alone says. `protected_paths` as in
/// SafetyOptions. Throws a Failure (unreachable) where there is no sysfs to look at.
[[nodiscard]] std::vector<ListedDrive> list_drives(const std::vector<std::string>& protected_paths,
                                                   const System& system = live_system());

/// The device node that today leads to the drive with this key, or empty: it is not there, or more than one
/// claims to be it. Reads sysfs and udev's database only, so that it can be asked every few seconds.
[[nodiscard]] std::string find_drive(const std::string& key, const System& system = live_system());

}  // namespace wearout::block
