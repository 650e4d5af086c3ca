#include "run/pass.h"

#include "pattern/pattern.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wearout::run {

using block::DriveGone;
using block::IoCompletion;
using block::IoFailed;

Pass::Pass(const PassContext& context, block::IoKind kind, std::uint64_t start)
    : context_(context),
      kind_(kind),
      next_(start),
      max_window_(4ULL * context.queue_depth + context.max_consecutive_errors),
      slots_(context.queue_depth),
      free_(context.queue_depth) {
    std::iota(free_.begin(), free_.end(), 0U);
}

std::uint64_t Pass::done_to() const {
    return window_.empty() ? next_ : window_.front().extent.position;
}

std::optional<int> Pass::dead() const {
    const bool nothing_in_whole_pass = complete() && context_.now.pass.bytes == Bytes{};
    if (failures_in_a_row_ >= context_.max_consecutive_errors ||
        (failures_in_a_row_ > 0 && nothing_in_whole_pass))
        return last_error_;
    return std::nullopt;
}

std::uint32_t Pass::issue_one() {
    if (gone_ || free_.empty()) return 0;
    if (!waiting_.empty() && may_retry() && find_buffer(transfer_of(waiting_.front()).pieces.back())) {
        const std::uint64_t serial = waiting_.front();
        waiting_.pop_front();
        return submit(serial);
    }
    while (!window_full() && may_begin()) {
        window_.push_back(begin());
        next_ += window_.back().extent.units;
        if (!window_.back().pieces.empty()) return submit(window_serial_ + window_.size() - 1);
        retire_done();
    }
    return 0;
}

bool Pass::find_buffer(const Piece& piece) {
    if (!piece.again || slots_.size() == 1 || free_.front() != piece.read_into) return true;
    // Where this is the only free one, something else may use it, until another is free.
    if (free_.size() == 1) return false;
    std::swap(free_.front(), free_.back());
    return true;
}

std::uint32_t Pass::submit(std::uint64_t serial) {
    Transfer& transfer = transfer_of(serial);
    const Piece piece = transfer.pieces.back();
    transfer.pieces.pop_back();
    transfer.under_way = true;
    const std::uint32_t buffer = free_.front();
    free_.pop_front();
    slots_[buffer] = {serial, piece};
    prepare(transfer, piece, context_.device.buffer(buffer).first(piece.length));
    context_.device.submit({kind_, piece.offset, piece.length, buffer});
    ++in_flight_;
    bytes_in_flight_ += piece.length;
    return piece.length;
}

void Pass::take(const IoCompletion& completion) {
    const std::uint32_t buffer = completion.request.buffer;
    const auto [serial, piece] = slots_.at(buffer);
    Transfer& transfer = transfer_of(serial);
    transfer.under_way = false;
    --in_flight_;
    bytes_in_flight_ -= piece.length;
    if (const auto* gone = std::get_if<DriveGone>(&completion.outcome)) {
        gone_ = gone->error;
        transfer.pieces.push_back(piece);  // So that it never counts as done.
        free_.push_back(buffer);
        return;
    }
    if (const auto* error = std::get_if<IoFailed>(&completion.outcome)) {
        failed(transfer, piece, error->error);
    } else {
        failures_in_a_row_ = 0;
        went_through(transfer, piece, context_.device.buffer(buffer).first(piece.length));
    }
    free_.push_back(buffer);
    if (!transfer.pieces.empty()) {
        Piece& next = transfer.pieces.back();
        if (next.again) next.read_into = buffer;
        waiting_.push_back(serial);
    }
    retire_done();
}

void Pass::failed(Transfer& transfer, const Piece& piece, int error) {
    transfer.error = error;
    last_error_ = error;
    if (!transfer.failed_whole && !piece.again) {
        transfer.failed_whole = true;
        ++failures_in_a_row_;
    }
    if (piece.again || !worth_splitting(transfer) || !split(transfer, piece)) note_error(transfer, piece);
}

bool Pass::split(Transfer& transfer, const Piece& piece) const {
    const std::uint32_t block = context_.device.geometry().logical_block;
    if (piece.length <= block) return false;
    // Pieces of a unit and more begin and end at units, so that they can be examined by themselves.
    const std::uint32_t grain = piece.length > unit_bytes ? unit_bytes : block;
    const std::uint32_t left = std::max(piece.length / 2 / grain * grain, grain);
    transfer.pieces.push_back({piece.offset + left, piece.length - left, false});
    transfer.pieces.push_back({piece.offset, left, false});
    return true;
}

void Pass::retire_done() {
    while (!window_.empty() && window_.front().done()) {
        retire(window_.front());
        window_.pop_front();
        ++window_serial_;
    }
}

void Pass::note_all_untried() {
    for (Transfer& transfer : window_) {
        while (!transfer.pieces.empty()) {
            const Piece piece = transfer.pieces.back();
            transfer.pieces.pop_back();
            note_error(transfer, piece);
        }
    }
    waiting_.clear();
    retire_done();
}

void Pass::go_back_to(std::uint64_t position) {
    window_serial_ += window_.size();
    window_.clear();
    waiting_.clear();
    next_ = position;
}

Finding Pass::error_finding(const Transfer& transfer, const Piece& piece, FindingClass cls) const {
    Finding finding;
    finding.cls = cls;
    finding.lba = {piece.offset / sector_bytes};
    finding.sectors = piece.length / sector_bytes;
    finding.expected =
        kind_ == block::IoKind::write ? context_.now.media.generation : transfer.content.generation;
    finding.error = transfer.error;
    return finding;
}

void Pass::append(std::vector<Finding>& findings, Finding finding) {
    if (findings.empty() || findings.back().reread != finding.reread ||
        !pattern::merge(findings.back(), finding))
        findings.push_back(std::move(finding));
}

}  // namespace wearout::run
