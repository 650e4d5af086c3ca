#pragma once

#include "base/fd.h"
#include "block/block_device.h"
#include "block/target.h"

#include <optional>
#include <string>
#include <sys/stat.h>

/// The real targets, opened as far as a descriptor and its geometry; target.cpp makes drives of them.
namespace wearout::block {

struct RawTarget {
    Fd fd;
    Geometry geometry;
    std::string path;    ///< Absolute, without symbolic links.
    bool direct = true;  ///< O_DIRECT is in force.
    bool created = false;
};

/// Opens a whole disk, with O_EXCL and O_DIRECT. The size and block are those of what was opened, whatever
/// happens to the name meanwhile. Bytes past the last whole logical block, which no request can reach, are
/// left out.
[[nodiscard]] RawTarget open_disk(const std::string& path, const OpenOptions& options);

/// Whether the kernel makes the disk up (loop, zram, device-mapper, md …), so that no SMART can be asked for.
[[nodiscard]] bool is_virtual_disk(const std::string& path);

/// Throws a Failure unless `path` is a whole disk's node.
void check_disk_path(const std::string& path);

/// What a file target's options say.
struct FileOptions {
    std::optional<Bytes> size;
    std::optional<std::uint32_t> block;
};

/// Throws a Failure (usage) for unknown options and bad values.
[[nodiscard]] FileOptions file_options(const TargetSpec& spec);

/// Opens a regular file, locked with flock(2), with O_DIRECT where its file system has that. Makes it when it
/// is not there and a size is given: allocated in full, since a file system that fills up later would look
/// like a drive that fails; sparse only where the file system cannot allocate. Without the option "block" the
/// logical block is 4096 bytes if that divides the size, else 512.
[[nodiscard]] RawTarget open_file(const TargetSpec& spec, const OpenOptions& options);

/// What open_file would open or make, without doing so.
[[nodiscard]] Drive describe_file(const TargetSpec& spec, const OpenOptions& options);

/// The Drive of a file with this canonical path.
[[nodiscard]] Drive file_drive(const std::string& path, const Geometry& geometry);

/// Without symbolic links. Throws a Failure (unreachable).
[[nodiscard]] std::string canonical_path(const std::string& path);

/// Throws a Failure (refused) when `path` no longer leads to what `fd` has open.
void check_same(const Fd& fd, const std::string& path);

/// "is a directory", "is a FIFO", … for what can be no target.
[[nodiscard]] std::string kind_of_node(const struct stat& status);

}  // namespace wearout::block
