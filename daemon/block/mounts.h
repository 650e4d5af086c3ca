#pragma once

#include "block/system.h"

#include <optional>
#include <string>
#include <vector>

namespace wearout::block {

/// One line of mountinfo (proc(5)).
struct Mount {
    std::uint64_t id = 0;
    DeviceNumber number;  ///< What the file system calls its device; major 0: anonymous.
    std::string source;   ///< "/dev/sda2", "overlay", "host:/export".
    std::string target;
    std::string type;
    std::string options;  ///< The file system's own ("upperdir=…").
};

/// One line of /proc/swaps.
struct Swap {
    std::string path;
    bool is_file = false;
};

/// Reads a mountinfo file whole. Nothing where it cannot be read or a line of it cannot be understood.
[[nodiscard]] std::optional<std::vector<Mount>> read_mounts(const std::string& file);

/// Reads /proc/swaps or its like; empty where it does not exist, since a kernel without swap has none.
/// Nothing where it cannot be read or understood.
[[nodiscard]] std::optional<std::vector<Swap>> read_swaps(const std::string& file);

/// The value of "name=…" among comma-separated options, or empty.
[[nodiscard]] std::string mount_option(const Mount& mount, const std::string& name);

}  // namespace wearout::block
