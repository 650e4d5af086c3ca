#pragma once

#include "base/clock.h"
#include "base/fd.h"
#include "block/block_device.h"
#include "block/io_buffers.h"

#include <cstdint>
#include <memory>
#include <vector>

struct io_uring;
struct io_uring_sqe;

namespace wearout::block {

struct UringOptions {
    std::uint32_t queue_depth = 16;
    std::uint32_t transfer_bytes = 1U << 20U;  ///< A multiple of 4096.
    /// The descriptor has no O_DIRECT: a flush then also drops the kernel's cached pages, so that what is
    /// read next comes from media. Pages that somebody else maps, and file systems that live in memory, are
    /// beyond that.
    bool buffered = false;
};

/// A block device or regular file through io_uring.
///
/// - The ring takes its thread at the first submit, flush or reap: all later calls and the destructor belong
/// to
///   that thread. The constructor may have run in another one.
/// - Latency runs from submit to the moment at which a call of this class sees the completion, on the
/// machine's
///   steady clock (the kernel keeps the time-outs, so no other clock would do).
/// - A failed request of a block device is held back for up to `settle_time`, since a drive that is pulled
/// out
///   answers EIO shortly before the kernel shows that it is gone. Its latency is not touched by that.
/// - reap() returns in time also when the drive is stuck in the kernel. flush() and the destructor wait for
/// as
///   long as the kernel does.
class UringDevice final : public BlockDevice {
  public:
    static constexpr std::chrono::milliseconds settle_time{200};

    /// `fd` is open with O_DIRECT (unless buffered) and `geometry` was read from it. Buffers that cannot be
    /// registered (RLIMIT_MEMLOCK) are used unregistered. Throws a Failure (unreachable) when the kernel has
    /// no io_uring for us: a substitute with plain reads and writes could neither overlap requests nor return
    /// from a drive that hangs, so there is none.
    UringDevice(Fd fd, const Geometry& geometry, const UringOptions& options);
    ~UringDevice() override;

    [[nodiscard]] const Geometry& geometry() const noexcept override { return geometry_; }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return buffers_.count(); }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return buffers_.bytes(); }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override {
        return buffers_.at(index);
    }
    void submit(const IoRequest& request) override;
    std::size_t reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) override;
    [[nodiscard]] IoOutcome flush() override;

    /// The kernel holds the buffers pinned.
    [[nodiscard]] bool buffers_registered() const noexcept { return buffers_registered_; }

  private:
    /// The request that uses a buffer; there is at most one.
    struct Slot {
        enum class State { idle, under_way, suspect, answered };
        IoRequest request;
        State state = State::idle;
        std::uint32_t done = 0;      ///< Bytes transferred by earlier, short answers.
        std::uint32_t attempts = 0;  ///< Answers without progress that asked to try again.
        int error = 0;
        SteadyTime submitted;
        std::chrono::nanoseconds latency{0};
    };
    struct CloseRing {
        void operator()(io_uring* ring) const noexcept;
    };

    void set_up_ring();
    void register_with_ring();
    void claim_ring();
    void push(std::uint32_t index);
    void harvest();
    void answer(std::uint32_t index, int result);
    void fail(Slot& slot, int error);
    void finish(Slot& slot, const IoOutcome& outcome);
    void settle_suspects();
    void wait_for_kernel(std::chrono::nanoseconds at_most);
    [[nodiscard]] std::uint32_t slots_in(Slot::State state) const;

    Fd fd_;
    Geometry geometry_;
    bool buffered_;
    bool is_block_;
    IoBuffers buffers_;
    std::vector<Slot> slots_;
    std::vector<IoCompletion> ready_;
    std::unique_ptr<io_uring, CloseRing> ring_;
    bool needs_claim_ = false;
    bool buffers_registered_ = false;
    bool file_registered_ = false;
};

}  // namespace wearout::block
