#pragma once

#include "block/sysfs.h"
#include "block/system.h"
#include "facts/drive.h"

#include <string>

namespace wearout::block {

/// Who the drive behind a device node is; symbolic links are followed. The key does not depend on whether
/// udev's database is there, except for a drive behind USB, whose bridge answers sysfs in the drive's name.
/// Throws a Failure: unreachable where there is nothing at the path or sysfs does not know it, usage for a
/// partition and for anything that is no block device.
[[nodiscard]] Drive identify_device(const std::string& device_path, const System& system = live_system());

/// The same for a whole device found in sysfs. Never throws for what the device says, or doesn't.
[[nodiscard]] Drive identify_node(const System& system, const BlockNode& node);

/// Whether a key outlives a restart: one made from a WWN, a serial number or a backing file. "path:…" says
/// only where something is today.
[[nodiscard]] bool is_lasting_key(const std::string& key);

}  // namespace wearout::block
