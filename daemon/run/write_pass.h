#pragma once

#include "run/pass.h"

#include <cstdint>
#include <vector>

namespace wearout::run {

/// Writes every unit of the range in the media state's generation.
///
/// A transfer that fails waits until another one succeeds (or until there is no other to try) before it is
/// taken apart: so a drive that takes no more writes is known by a few failures, and a bad spot is placed to
/// the logical block.
///
/// A flush that fails leaves nothing to trust beyond flushed_to: the drive may have dropped any of it, and a
/// second flush that succeeds says only that the rest arrived (ATA's FLUSH CACHE goes on behind the sector
/// that failed; Linux reports an error of fsync once). So the pass goes back and writes all of it again.
class WritePass final : public Pass {
  public:
    /// Goes on at flushed_to. `issued_before`: up to where this generation may have been issued earlier.
    WritePass(const PassContext& context, std::uint64_t issued_before);

    /// Nothing at or beyond this position is issued.
    void allow_up_to(std::uint64_t issued_to) { allowed_ = issued_to; }
    /// Where the next fresh transfer begins.
    [[nodiscard]] std::uint64_t issued() const { return next(); }

    /// Flushes, and moves flushed_to. On an error flushed_to stays.
    [[nodiscard]] block::IoOutcome secure() override;
    void settle() override;
    void abandon() override { note_all_untried(); }
    void add_unknown(std::vector<UnitRange>& unknown) const override;

    /// After a failed flush: puts into the log that everything since flushed_to may be lost.
    void note_flush_error(int error);
    /// After a failed flush, with nothing in flight: goes back to flushed_to, and writes all from there
    /// again.
    void go_back();

  private:
    [[nodiscard]] bool may_begin() const override;
    [[nodiscard]] Transfer begin() override;
    [[nodiscard]] bool may_retry() const override;
    void prepare(const Transfer& transfer, const Piece& piece, std::span<std::byte> data) override;
    void went_through(Transfer& transfer, const Piece& piece, std::span<const std::byte> data) override;
    void note_error(Transfer& transfer, const Piece& piece) override;
    void retire(Transfer& transfer) override;

    std::uint64_t allowed_ = 0;
    std::uint64_t issued_high_;
    std::vector<UnitRange> failed_;  ///< Units at or beyond flushed_to whose write failed.
};

}  // namespace wearout::run
