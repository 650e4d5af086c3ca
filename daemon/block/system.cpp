#include "block/system.h"

#include "base/fd.h"
#include "block/claim.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/loop.h>
#include <memory>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <libudev.h>

namespace wearout::block {
namespace {

struct UdevDeleter {
    void operator()(udev* context) const noexcept { udev_unref(context); }
    void operator()(udev_device* device) const noexcept { udev_device_unref(device); }
};

FileType file_type(unsigned mode) {
    if (S_ISREG(mode)) return FileType::regular;
    if (S_ISDIR(mode)) return FileType::directory;
    if (S_ISBLK(mode)) return FileType::block;
    return FileType::other;
}

}  // namespace

std::string DeviceNumber::text() const {
    return fmt::format("{}:{}", major, minor);
}

DeviceNumber device_number(std::uint64_t dev) {
    return {gnu_dev_major(dev), gnu_dev_minor(dev)};
}

System::System(std::string sys, std::string proc, std::string dev)
    : sys_(std::move(sys)), proc_(std::move(proc)), dev_(std::move(dev)) {}

PathFacts System::stat(const std::string& path) const {
    PathFacts facts;
    struct statx raw {};
    if (::statx(AT_FDCWD, path.c_str(), AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS | STATX_MNT_ID, &raw) != 0) {
        facts.error = errno;
        struct ::stat link {};
        facts.dangling = facts.error == ENOENT && ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
        return facts;
    }
    facts.type = file_type(raw.stx_mode);
    facts.file_system = {raw.stx_dev_major, raw.stx_dev_minor};
    facts.inode = raw.stx_ino;
    if (facts.type == FileType::block) facts.device = {raw.stx_rdev_major, raw.stx_rdev_minor};
    if ((raw.stx_mask & STATX_MNT_ID) != 0) facts.mount_id = raw.stx_mnt_id;
    return facts;
}

int System::try_exclusive_open(const std::string& node) const {
    const Fd fd = claim(node, O_RDONLY | O_NONBLOCK);
    return fd ? 0 : errno;
}

std::optional<PathFacts> System::loop_backing(const std::string& node) const {
    const Fd fd(::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    loop_info64 info{};
    if (!fd || ::ioctl(fd.get(), LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
    PathFacts facts;
    facts.type = info.lo_rdevice != 0 ? FileType::block : FileType::regular;
    facts.file_system = device_number(info.lo_device);
    facts.inode = info.lo_inode;
    facts.device = device_number(info.lo_rdevice);
    return facts;
}

std::vector<Signature> System::signatures(const std::string& node) const {
    return read_signatures(node);
}

std::map<std::string, std::string> System::udev_properties(DeviceNumber number) const {
    std::map<std::string, std::string> properties;
    const std::unique_ptr<udev, UdevDeleter> context(udev_new());
    if (!context) return properties;
    const std::unique_ptr<udev_device, UdevDeleter> device(
        udev_device_new_from_devnum(context.get(), 'b', gnu_dev_makedev(number.major, number.minor)));
    if (!device) return properties;
    for (auto* entry = udev_device_get_properties_list_entry(device.get()); entry != nullptr;
         entry = udev_list_entry_get_next(entry)) {
        const char* value = udev_list_entry_get_value(entry);
        properties.emplace(udev_list_entry_get_name(entry), value != nullptr ? value : "");
    }
    return properties;
}

int System::try_write_access(const std::string& path) const {
    return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
}

const System& live_system() {
    static const System system;
    return system;
}

}  // namespace wearout::block
