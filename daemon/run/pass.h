#pragma once

#include "base/clock.h"
#include "block/block_device.h"
#include "facts/checkpoint.h"
#include "facts/run_spec.h"
#include "run/finding_log.h"
#include "workload/sequential.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace wearout::run {

/// What a pass works with; everything outlives it.
struct PassContext {
    const RunSpec& spec;
    const workload::Sequential& walk;
    block::BlockDevice& device;
    Clock& clock;
    Checkpoint& now;  ///< Where the run stands; the pass keeps its part of it up to date.
    FindingLog& log;
    std::uint32_t queue_depth;
    /// So many transfers in a row of which nothing went through: the drive does no more of this.
    std::uint32_t max_consecutive_errors;
};

/// A stretch of bytes of a transfer that is still to be asked for.
struct Piece {
    std::uint64_t offset = 0;  ///< From the start of the drive.
    std::uint32_t length = 0;
    bool again = false;           ///< Read before, and wrong then.
    std::uint32_t read_into = 0;  ///< The buffer of that first read.
};

/// An extent on its way: first asked for as a whole; what fails is asked for again in halves, down to the
/// logical block, one piece after the other from the left.
struct Transfer {
    workload::Extent extent;
    workload::Content content;  ///< What a verify pass expects of it.
    std::vector<Piece> pieces;  ///< To be asked for, the last one first.
    bool under_way = false;
    bool failed_whole = false;
    int error = 0;                         ///< The last one.
    std::uint64_t bytes_passed = 0;        ///< Verified.
    std::uint64_t bytes_missed = 0;        ///< Not verifiable, or unreadable.
    std::vector<Finding> findings;         ///< In the order of their addresses.
    std::vector<Finding> suspects;         ///< Those that wait for the second read,
    std::vector<std::byte> suspect_bytes;  ///< and what the first read of that piece gave.

    [[nodiscard]] bool done() const { return !under_way && pieces.empty(); }
};

/// One walk over the range: keeps the device's queue full, brings completions that come in any order back
/// into the order of the walk, and takes failed transfers apart. What is particular to writing and to
/// verifying is in WritePass and VerifyPass. Memory: the window of transfers, whatever the drive's size.
class Pass {
  public:
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    virtual ~Pass() = default;

    /// Hands one request to the device, if there is something to do and a buffer free. Returns its bytes, or
    /// 0.
    std::uint32_t issue_one();
    /// Takes a completion of a request of this pass.
    void take(const block::IoCompletion& completion);

    /// Everything before this position is done with, and its findings are in the log.
    [[nodiscard]] std::uint64_t done_to() const;
    [[nodiscard]] bool complete() const { return done_to() == context_.walk.positions(); }
    [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }
    /// The drive was gone when last asked.
    [[nodiscard]] std::optional<int> gone() const { return gone_; }
    /// Nothing goes through any more: so many transfers in a row, or, on a small drive, a whole pass. The
    /// errno of the last attempt.
    [[nodiscard]] std::optional<int> dead() const;

    /// Brings `now` up to what is certain: everything before done_to() lies on the media, or is verified. May
    /// wait for the drive.
    [[nodiscard]] virtual block::IoOutcome secure() = 0;
    /// Sets `now` back to where nothing was issued that is not done. Only with nothing in flight, after
    /// secure().
    virtual void settle() {}
    /// Gives up what is not done, with nothing in flight: failed transfers are noted as they are.
    virtual void abandon() {}
    /// Adds units of which nothing is known at this moment, beyond those in `now`.
    virtual void add_unknown(std::vector<UnitRange>& /*unknown*/) const {}

  protected:
    Pass(const PassContext& context, block::IoKind kind, std::uint64_t start);

    /// Whether there is a next transfer that may begin now.
    [[nodiscard]] virtual bool may_begin() const = 0;
    /// The transfer at next(); without pieces when there is nothing to ask for.
    [[nodiscard]] virtual Transfer begin() = 0;
    /// Whether pieces of failed transfers may be tried now.
    [[nodiscard]] virtual bool may_retry() const { return true; }
    virtual void prepare(const Transfer& /*transfer*/, const Piece& /*piece*/,
                         std::span<std::byte> /*data*/) {}
    virtual void went_through(Transfer& transfer, const Piece& piece, std::span<const std::byte> data) = 0;
    /// This piece can't be made smaller, or is not worth it.
    virtual void note_error(Transfer& transfer, const Piece& piece) = 0;
    virtual bool worth_splitting(const Transfer& /*transfer*/) const { return true; }
    /// In the order of the walk.
    virtual void retire(Transfer& transfer) = 0;

    [[nodiscard]] bool window_full() const { return window_.size() >= max_window_; }
    [[nodiscard]] std::uint64_t next() const { return next_; }
    [[nodiscard]] std::uint64_t bytes_in_flight() const { return bytes_in_flight_; }
    /// Transfers that failed, one after the other, with nothing between that went through.
    [[nodiscard]] std::uint32_t failures_in_a_row() const { return failures_in_a_row_; }
    [[nodiscard]] const std::deque<Transfer>& window() const { return window_; }
    /// Notes every piece that is still to be tried as an error.
    void note_all_untried();
    /// Forgets everything under way, which must be nothing on the device, and goes on at `position`.
    void go_back_to(std::uint64_t position);
    /// An error finding over the whole piece.
    [[nodiscard]] Finding error_finding(const Transfer& transfer, const Piece& piece, FindingClass cls) const;
    static void append(std::vector<Finding>& findings, Finding finding);

    PassContext context_;

  private:
    struct Slot {
        std::uint64_t serial = 0;  ///< Of its transfer: how many began before it.
        Piece piece;
    };

    [[nodiscard]] Transfer& transfer_of(std::uint64_t serial) { return window_[serial - window_serial_]; }
    std::uint32_t submit(std::uint64_t serial);
    /// Brings a free buffer to the front that this piece may use: for a second read another than for the
    /// first.
    [[nodiscard]] bool find_buffer(const Piece& piece);
    void failed(Transfer& transfer, const Piece& piece, int error);
    [[nodiscard]] bool split(Transfer& transfer, const Piece& piece) const;
    void retire_done();

    block::IoKind kind_;
    std::uint64_t next_;
    std::size_t max_window_;
    std::deque<Transfer> window_;
    std::uint64_t window_serial_ = 0;    ///< Of the first in the window.
    std::deque<std::uint64_t> waiting_;  ///< Transfers that have a piece to be tried and none under way.
    std::vector<Slot> slots_;            ///< By buffer.
    std::deque<std::uint32_t> free_;     ///< Never empty where nothing is in flight.
    std::uint32_t in_flight_ = 0;
    std::uint64_t bytes_in_flight_ = 0;
    std::uint32_t failures_in_a_row_ = 0;
    int last_error_ = 0;
    std::optional<int> gone_;
};

}  // namespace wearout::run
