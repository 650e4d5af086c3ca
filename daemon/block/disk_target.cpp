#include "base/error.h"
#include "block/claim.h"
#include "block/raw_target.h"
#include "block/sysfs.h"

#include <cstdint>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::block {

namespace {

struct stat status_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw_errno(path);
    return status;
}

void check_disk(const struct stat& status, const std::string& path) {
    if (!S_ISBLK(status.st_mode))
        throw usage_error(fmt::format("{} {}, not a block device", path, kind_of_node(status)));
    const auto node = find_block(live_system(), device_number(status.st_rdev));
    if (!node || !node->is_partition()) return;
    throw usage_error(fmt::format("{} is a partition: a whole drive is tested (here {})", path,
                                  device_path(live_system(), node->disk)));
}

Geometry geometry_of(const Fd& fd, const std::string& path) {
    std::uint64_t size = 0;
    int block = 0;
    if (::ioctl(fd.get(), BLKGETSIZE64, &size) != 0 || ::ioctl(fd.get(), BLKSSZGET, &block) != 0)
        throw_errno(path);
    if (block != 512 && block != 4096)
        throw usage_error(
            fmt::format("{} has logical blocks of {} bytes; 512 and 4096 can be tested", path, block));
    const auto logical_block = static_cast<std::uint32_t>(block);
    if (size < logical_block)
        throw Failure(ExitCode::unreachable,
                      fmt::format("{} has a size of {} bytes: no medium, or the drive is gone", path, size));
    return {{size - size % logical_block}, logical_block};
}

Fd open_exclusive(const std::string& path, bool reads_only) {
    Fd fd = claim(path, (reads_only ? O_RDONLY : O_RDWR) | O_DIRECT);
    if (fd) return fd;
    if (errno == EBUSY)
        throw Failure(ExitCode::refused,
                      path + ": in use by another program, a mount or another run, which has it exclusively");
    throw_errno(path, errno == EROFS ? ExitCode::refused : ExitCode::unreachable);
}

}  // namespace

void check_disk_path(const std::string& path) {
    check_disk(status_of(path), path);
}

RawTarget open_disk(const std::string& path, const OpenOptions& options) {
    RawTarget target;
    target.path = canonical_path(path);
    check_disk_path(target.path);
    target.fd = open_exclusive(target.path, options.reads_only);
    struct stat status {};
    if (::fstat(target.fd.get(), &status) != 0) throw_errno(target.path);
    check_disk(status, target.path);
    int read_only = 0;
    if (::ioctl(target.fd.get(), BLKROGET, &read_only) != 0) throw_errno(target.path);
    if (read_only != 0 && !options.reads_only)
        throw Failure(ExitCode::refused, target.path + " is a read-only device");
    target.geometry = geometry_of(target.fd, target.path);
    return target;
}

bool is_virtual_disk(const std::string& path) {
    const auto node = find_block(live_system(), device_number(status_of(path).st_rdev));
    return node && node->folder.starts_with("/sys/devices/virtual/block/");
}

}  // namespace wearout::block
