#pragma once

#include <string>
#include <vector>

namespace wearout::block {

/// Something that marks a device or file as holding somebody's data.
struct Signature {
    std::string type;   ///< As libblkid names it: "ext4", "LVM2_member", "linux_raid_member", "gpt".
    std::string usage;  ///< "filesystem", "raid", "crypto", "other", "partition-table".
    std::string label;  ///< Cleaned; empty for none.
    auto operator<=>(const Signature&) const = default;
};

/// Every signature that libblkid finds on a device or a regular file, opened read-only: file systems, RAID
/// and LVM members, encryption, swap, partition tables; sorted. Does not look into partitions. Throws a
/// Failure (unreachable) when it cannot be opened or read.
[[nodiscard]] std::vector<Signature> read_signatures(const std::string& path);

/// For a message: "a file system (ext4) labelled \"backup\"", "a partition table (gpt)".
[[nodiscard]] std::string describe(const Signature& signature);

}  // namespace wearout::block
