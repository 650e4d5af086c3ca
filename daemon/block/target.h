#pragma once

#include "block/block_device.h"
#include "facts/drive.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::block {

enum class TargetKind { block_device, file, simulated };

/// What a user's TARGET says: "/dev/…", "file:PATH?size=1GiB&block=4096",
/// "sim:NAME?size=256MiB&endurance=300&…".
struct TargetSpec {
    TargetKind kind = TargetKind::block_device;
    std::string text;  ///< As given.
    std::string path;  ///< Device or file; for a simulated drive its name.
    std::vector<std::pair<std::string, std::string>> options;
};

/// Reads a TARGET; a plain path of a device or an existing regular file needs no prefix. Throws a Failure
/// (usage) for anything malformed and for unknown options.
[[nodiscard]] TargetSpec parse_target(std::string_view text);

struct OpenOptions {
    bool reads_only = false;
    /// A file or simulated drive that is not there may be made. Without it (a run goes on): a Failure
    /// (unreachable).
    bool may_create = true;
    std::uint32_t queue_depth = 16;
    std::uint32_t transfer_bytes = 1U << 20U;
    std::string state_dir;  ///< Where simulated drives are kept.
};

/// A target that is open: exclusive, and known by name.
struct OpenTarget {
    Drive drive;
    std::unique_ptr<BlockDevice> device;
    std::string device_path;  ///< What smartctl is given; empty where there is no SMART to ask.
    bool direct = true;       ///< O_DIRECT is in force.
    bool created = false;     ///< The file, or the simulated drive, did not exist and was made now.
};

/// Who the drive behind a target is, without opening it for writing and without making anything. A file or
/// simulated drive that does not exist yet is described as it would be made. Throws a Failure (unreachable,
/// usage).
[[nodiscard]] Drive identify(const TargetSpec& spec, const OpenOptions& options);

/// Opens it: a block device with O_EXCL, a file locked, a simulated drive locked. Throws a Failure: usage
/// (bad size), refused (in use, read-only), unreachable (not there). `may_destroy` is the caller's to ask
/// first.
[[nodiscard]] OpenTarget open_target(const TargetSpec& spec, const OpenOptions& options);

/// A simulated drive's own SMART answer, in the form of `smartctl --json -x`, or nothing for other targets.
/// May be called from another thread than the one that does I/O.
class SmartFace {
  public:
    SmartFace() = default;
    SmartFace(const SmartFace&) = delete;
    SmartFace& operator=(const SmartFace&) = delete;
    virtual ~SmartFace() = default;
    [[nodiscard]] virtual std::string smart_json() const = 0;
};

/// The simulated drive's face, or null where `device` is a real one. Lives as long as the device.
[[nodiscard]] const SmartFace* smart_face(const BlockDevice& device);

}  // namespace wearout::block
