#include "block/presence.h"

#include <cstdint>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::block {

Presence presence_of(int fd, Bytes capacity) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISBLK(status.st_mode)) return Presence::regular_file;
    std::uint64_t size = 0;
    if (::ioctl(fd, BLKGETSIZE64, &size) != 0 || size < capacity.value) return Presence::gone;
    const std::string root = "/sys/dev/block";
    if (::access(root.c_str(), F_OK) != 0) return Presence::there;  // No sysfs here: nothing to see.
    const std::string node = fmt::format("{}/{}:{}", root, major(status.st_rdev), minor(status.st_rdev));
    return ::access(node.c_str(), F_OK) == 0 ? Presence::there : Presence::gone;
}

IoOutcome outcome_of_error(int error, Presence presence) {
    if (means_gone(error) || presence == Presence::gone) return DriveGone{error};
    return IoFailed{error};
}

}  // namespace wearout::block
