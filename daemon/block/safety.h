#pragma once

#include "block/system.h"
#include "block/target.h"

#include <string>
#include <vector>

namespace wearout::block {

struct SafetyOptions {
    /// Paths (database, state folder, program) whose drive must never be a target.
    std::vector<std::string> protected_paths;
    /// Go on though the drive carries a file system, RAID, LVM or partition-table signature.
    bool overwrite_signature = false;
    /// A file target that this program made itself.
    bool file_is_ours = false;
};

/// Why a target must not be overwritten: one line each, for the user ("/dev/sda2 is mounted on /home").
/// Empty: it may. Looks at mounts (of this and of stacked devices and partitions), swap, holders and slaves
/// in sysfs, md, LVM, ZFS, btrfs, bcache membership, the drive that holds / or a protected path, the
/// read-only flag, an exclusive open by somebody else, signatures, another drive with the same identity. What
/// cannot be looked at is a reason too; only signatures can be overridden. The answer never depends on the
/// order of sysfs.
///
/// A stacked device (device-mapper, md, a loop device on a block device) and a partition are no drives: they
/// are refused whatever the options. A loop device on a regular file is a drive of its own, wherever the file
/// lies.
///
/// A file is refused where it exists and is not ours, is no regular file, is used by a loop device or for
/// swap, is one of the protected paths, or a database file (*.db, *.db-wal, …) in a protected folder.
[[nodiscard]] std::vector<std::string> reasons_not_to_destroy(const TargetSpec& spec,
                                                              const SafetyOptions& options,
                                                              const System& system = live_system());

/// What a user must type to consent: the serial number; for a drive without one its by-id name; else the
/// target's path. A simulated drive, and a file that is made now or was made by us, needs none: empty.
[[nodiscard]] std::string consent_wanted(const TargetSpec& spec, const Drive& drive, bool file_is_ours,
                                         const System& system = live_system());

}  // namespace wearout::block
