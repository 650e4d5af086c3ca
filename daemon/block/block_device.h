#pragma once

#include "base/types.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace wearout::block {

struct Geometry {
    Bytes capacity;  ///< A multiple of the logical block.
    std::uint32_t logical_block =
        sector_bytes;  ///< Bytes: 512 or 4096. What offsets and lengths must be multiples of.
    bool operator==(const Geometry&) const = default;
};

enum class IoKind { read, write };

/// All bytes were transferred.
struct IoDone {};

/// The drive, or the kernel for it, answered with an error, or with fewer bytes than asked (`error` is then
/// EIO).
struct IoFailed {
    int error = 0;
};

/// The drive is no longer there (ENODEV, ENXIO, a device whose size is now 0, …). Never a bad block.
struct DriveGone {
    int error = 0;
};

using IoOutcome = std::variant<IoDone, IoFailed, DriveGone>;

struct IoRequest {
    IoKind kind = IoKind::read;
    std::uint64_t offset = 0;  ///< Bytes from the start of the drive.
    std::uint32_t length = 0;  ///< Bytes; at most buffer_bytes().
    std::uint32_t buffer = 0;  ///< Which of the device's buffers; the caller's until the completion comes.
};

struct IoCompletion {
    IoRequest request;
    IoOutcome outcome;
    std::chrono::nanoseconds latency{0};
};

/// A drive as something to read, write and flush: up to queue_depth() requests at once, each into one of the
/// device's own queue_depth() buffers (aligned to 4096 bytes, registered with the kernel where that helps).
/// For one thread. Nothing here throws once the device is open, except for a programming error; what the
/// drive does wrong comes back in the outcome. The destructor waits for what is under way.
class BlockDevice {
  public:
    BlockDevice() = default;
    BlockDevice(const BlockDevice&) = delete;
    BlockDevice& operator=(const BlockDevice&) = delete;
    virtual ~BlockDevice() = default;

    [[nodiscard]] virtual const Geometry& geometry() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t queue_depth() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t buffer_bytes() const noexcept = 0;
    [[nodiscard]] virtual std::span<std::byte> buffer(std::uint32_t index) noexcept = 0;

    /// Hands one request over. The caller keeps to the geometry and has at most queue_depth() under way.
    virtual void submit(const IoRequest& request) = 0;

    /// Takes completions, in any order: as many as are there, and when none is there yet but some are under
    /// way, waits for one, at most for `timeout`. Returns how many were put into `out` (0 also when none is
    /// under way).
    virtual std::size_t reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) = 0;

    /// Makes durable every write whose completion has been taken. Waits; may be called while others are under
    /// way.
    [[nodiscard]] virtual IoOutcome flush() = 0;
};

}  // namespace wearout::block
