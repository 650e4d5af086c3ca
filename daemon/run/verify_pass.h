#pragma once

#include "run/pass.h"

#include <span>
#include <vector>

namespace wearout::run {

/// Reads every unit of the range and compares it with what the media state says that it holds. What is wrong
/// is read once more, into another buffer while the device has one, and named. Units of which nothing is
/// known are passed over and counted.
class VerifyPass final : public Pass {
  public:
    /// Goes on at verify_position.
    explicit VerifyPass(const PassContext& context);

    /// Moves verify_position.
    [[nodiscard]] block::IoOutcome secure() override;

  private:
    [[nodiscard]] bool may_begin() const override;
    [[nodiscard]] Transfer begin() override;
    void went_through(Transfer& transfer, const Piece& piece, std::span<const std::byte> data) override;
    void note_error(Transfer& transfer, const Piece& piece) override;
    /// Where nothing has been readable for long, it is not worth asking for every block of it.
    [[nodiscard]] bool worth_splitting(const Transfer& transfer) const override;
    void retire(Transfer& transfer) override;

    [[nodiscard]] std::vector<Finding> examine(const Transfer& transfer, const Piece& piece,
                                               std::span<const std::byte> data) const;
    /// The second read is here: says of each suspect what it gave.
    void judge(Transfer& transfer, const Piece& piece, std::span<const std::byte> data);
    void settle_suspects(Transfer& transfer);
};

}  // namespace wearout::run
