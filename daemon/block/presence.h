#pragma once

#include "block/block_device.h"

#include <cerrno>

namespace wearout::block {

/// What can be told of the thing behind an open descriptor at this moment.
enum class Presence {
    regular_file,  ///< No drive of its own: errors are the file system's.
    there,         ///< A block device that the kernel still shows, with its size.
    gone,          ///< A block device whose node in sysfs vanished or that shrank, mostly to nothing.
};

/// Looks at a block device or file that was `capacity` large when it was opened.
/// A descriptor that outlives its drive answers reads with 0 bytes, writes with ENOSPC, fsync with EIO or
/// ENODEV and BLKGETSIZE64 with 0 (seen on NVMe, SCSI and USB with Linux 6.1); so errors alone do not tell.
[[nodiscard]] Presence presence_of(int fd, Bytes capacity);

/// The errors that say by themselves that no drive is there: ENODEV, ENXIO, ENOMEDIUM.
[[nodiscard]] constexpr bool means_gone(int error) {
    return error == ENODEV || error == ENXIO || error == ENOMEDIUM;
}

/// What an errno means, given what else is known. Never IoDone.
[[nodiscard]] IoOutcome outcome_of_error(int error, Presence presence);

}  // namespace wearout::block
