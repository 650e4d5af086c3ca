#pragma once

#include "block/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::block {

/// A block device as sysfs shows it (Documentation/ABI/stable/sysfs-block of the kernel).
struct BlockNode {
    std::string name;    ///< The kernel's: "sda2", "cciss!c0d0".
    std::string folder;  ///< Where its attributes are, canonical.
    DeviceNumber number;
    std::string disk;  ///< The whole disk of a partition; else its own name.
    [[nodiscard]] bool is_partition() const { return disk != name; }
};

/// An attribute below a folder, at most 4096 bytes of it as they are (the kernel gives no more for a text),
/// or nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> attribute(const std::string& folder, std::string_view name);
/// One that is a text, without the line's end.
[[nodiscard]] std::optional<std::string> text_attribute(const std::string& folder, std::string_view name);
/// One that is a decimal number and nothing else.
[[nodiscard]] std::optional<std::uint64_t> number_attribute(const std::string& folder, std::string_view name);

/// The names in a folder, sorted naturally; nothing where it cannot be listed.
[[nodiscard]] std::optional<std::vector<std::string>> list_folder(const std::string& folder);

[[nodiscard]] std::optional<BlockNode> find_block(const System& system, DeviceNumber number);
[[nodiscard]] std::optional<BlockNode> find_block(const System& system, const std::string& name);

/// Every whole block device with a device number, whatever its kind, by name; hidden ones (the paths below a
/// multipath NVMe namespace) left out. Nothing where sysfs cannot be listed.
[[nodiscard]] std::optional<std::vector<BlockNode>> all_disks(const System& system);

/// The device's node: "/dev/sda2".
[[nodiscard]] std::string device_path(const System& system, const std::string& name);
[[nodiscard]] std::string device_path(const System& system, const BlockNode& node);

/// Its partitions; nothing where they cannot be told.
[[nodiscard]] std::optional<std::vector<BlockNode>> partitions_of(const BlockNode& node);

/// What is stacked on it ("holders": device-mapper, md, bcache) or what it is stacked on ("slaves"). Nothing
/// where that cannot be told.
[[nodiscard]] std::optional<std::vector<BlockNode>> stacked(const System& system, const BlockNode& node,
                                                            std::string_view direction);

/// The devices of the bcache set that it belongs to, its own included; empty where it belongs to none.
[[nodiscard]] std::vector<BlockNode> bcache_set(const System& system, const BlockNode& node);

/// Bytes; 0 where the kernel tells nothing sensible.
[[nodiscard]] std::uint64_t capacity_of(const BlockNode& node);

/// A loop device's backing file as the kernel names it, as it is; nothing for other devices and free ones.
[[nodiscard]] std::optional<std::string> loop_file(const BlockNode& node);

/// Made for special use by the drive that it is a part of: the boot, RPMB and general-purpose areas of an
/// eMMC, which share its serial number.
[[nodiscard]] bool is_special_area(std::string_view name);

}  // namespace wearout::block
