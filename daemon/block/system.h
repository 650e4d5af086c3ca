#pragma once

#include "block/signatures.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wearout::block {

/// The kernel's number of a block device, or of what a file system calls its device (major 0: anonymous, of
/// no device of its own, as btrfs, overlay, tmpfs and network file systems have).
struct DeviceNumber {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    auto operator<=>(const DeviceNumber&) const = default;
    [[nodiscard]] std::string text() const;  ///< "8:0"
};

/// The same from a dev_t.
[[nodiscard]] DeviceNumber device_number(std::uint64_t dev);

enum class FileType { regular, directory, block, other };

/// What stat tells of a path, symbolic links followed.
struct PathFacts {
    int error = 0;          ///< errno of the look; not 0: the rest is empty.
    bool dangling = false;  ///< With ENOENT: the path is a symbolic link that leads nowhere.
    FileType type = FileType::other;
    DeviceNumber file_system;  ///< st_dev
    std::uint64_t inode = 0;
    DeviceNumber device;         ///< st_rdev of a block device.
    std::uint64_t mount_id = 0;  ///< As in mountinfo; 0 where the kernel does not tell.
    [[nodiscard]] bool same_file(const PathFacts& other) const {
        return error == 0 && other.error == 0 && inode == other.inode && file_system == other.file_system;
    }
};

/// What the kernel and udev are asked about devices: everything that identity and safety know comes through
/// here, so that both can be shown machines which are not there. Thread-safe. Nothing here writes to
/// anything.
class System {
  public:
    explicit System(std::string sys = "/sys", std::string proc = "/proc", std::string dev = "/dev");
    System(const System&) = delete;
    System& operator=(const System&) = delete;
    virtual ~System() = default;

    [[nodiscard]] const std::string& sys() const noexcept { return sys_; }
    [[nodiscard]] const std::string& proc() const noexcept { return proc_; }
    [[nodiscard]] const std::string& dev() const noexcept { return dev_; }

    [[nodiscard]] virtual PathFacts stat(const std::string& path) const;

    /// Opens a device node O_RDONLY|O_EXCL and closes it again. 0, or the errno: EBUSY where a file system,
    /// swap, a stacked device or a program has claimed it or one of its partitions.
    [[nodiscard]] virtual int try_exclusive_open(const std::string& node) const;

    /// What the file behind a loop device is (LOOP_GET_STATUS64, which needs leave to open the node), or
    /// nothing.
    [[nodiscard]] virtual std::optional<PathFacts> loop_backing(const std::string& node) const;

    /// As read_signatures().
    [[nodiscard]] virtual std::vector<Signature> signatures(const std::string& node) const;

    /// What udev's database says of a block device; nearly nothing where no udevd runs.
    [[nodiscard]] virtual std::map<std::string, std::string> udev_properties(DeviceNumber number) const;

    /// access(2) for writing: 0 or errno.
    [[nodiscard]] virtual int try_write_access(const std::string& path) const;

  private:
    std::string sys_;
    std::string proc_;
    std::string dev_;
};

/// The machine that this runs on.
[[nodiscard]] const System& live_system();

}  // namespace wearout::block
