#pragma once

#include "block/mounts.h"
#include "block/sysfs.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wearout::block {

/// A loop device that is set up.
struct Loop {
    BlockNode node;
    std::string file;                   ///< Its backing file or device, as the kernel names it.
    std::optional<PathFacts> backing;   ///< What that is; nothing where it cannot be told.
    std::vector<DeviceNumber> lies_on;  ///< The devices that the file's file system is on.
};

/// A device that is used by way of another: a partition, or something stacked on it.
struct Dependent {
    BlockNode node;
    std::string on;  ///< Name of the device that it is directly on; empty for the one asked about.
    enum class How { itself, partition, holder, loop } how = How::itself;
};

/// How block devices are used at one moment: mounts, swap, stacking. Read once, asked often; for one thread.
class Uses {
  public:
    /// Reads all. Never throws for what cannot be seen: that is in problems().
    explicit Uses(const System& system);

    /// What could not be looked at, one line each for the user. As long as there is any, nothing may be
    /// destroyed.
    [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

    struct MountedDevice {
        Mount mount;
        std::set<DeviceNumber> devices;  ///< All that the file system is on; empty for none known.
    };
    /// Mounts of this process and of process 1 (its name space may be another).
    [[nodiscard]] const std::vector<MountedDevice>& mounts() const noexcept { return mounts_; }

    struct SwapUse {
        Swap swap;
        PathFacts facts;
        std::set<DeviceNumber> devices;
    };
    [[nodiscard]] const std::vector<SwapUse>& swaps() const noexcept { return swaps_; }
    [[nodiscard]] const std::vector<Loop>& loops() const noexcept { return loops_; }

    /// The device and, level by level, all that depends on it: partitions, holders of any kind, loop devices
    /// on it or on a file that lies on it. `problem` is not empty where a level could not be looked at.
    struct Tree {
        std::vector<Dependent> devices;
        std::string problem;
    };
    [[nodiscard]] Tree everything_on(const BlockNode& node) const;

    /// Every device below these, down to the physical disks, these included: whole disks of partitions,
    /// slaves, what a loop device's file lies on. Nothing where a level could not be looked at.
    [[nodiscard]] std::optional<std::set<DeviceNumber>> everything_under(
        const std::set<DeviceNumber>& devices) const;

    /// The devices that the file system with this file or folder is on; empty for one without any (memory,
    /// network). Nothing where that cannot be told.
    [[nodiscard]] std::optional<std::set<DeviceNumber>> devices_of(const PathFacts& facts) const;

  private:
    void read_btrfs();
    void read_mount_tables();
    void read_loops();
    void read_swap_areas();
    [[nodiscard]] std::set<DeviceNumber> devices_of(const Mount& mount, int depth) const;
    [[nodiscard]] std::optional<std::set<DeviceNumber>> devices_of(const PathFacts& facts, int depth) const;
    [[nodiscard]] std::set<DeviceNumber> with_siblings(std::set<DeviceNumber> devices) const;
    [[nodiscard]] std::optional<DeviceNumber> device_named(const std::string& source) const;
    [[nodiscard]] std::optional<std::vector<Dependent>> directly_on(const BlockNode& node) const;
    [[nodiscard]] std::optional<std::set<DeviceNumber>> directly_under(DeviceNumber number) const;

    const System& system_;
    std::vector<std::string> problems_;
    std::vector<Mount> own_mounts_;
    std::vector<std::set<DeviceNumber>> btrfs_;  ///< The devices of each btrfs that the kernel has open.
    std::vector<MountedDevice> mounts_;
    std::vector<SwapUse> swaps_;
    std::vector<Loop> loops_;
};

}  // namespace wearout::block
