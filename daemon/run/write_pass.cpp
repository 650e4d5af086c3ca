#include "run/write_pass.h"

#include "pattern/pattern.h"
#include "workload/unit_set.h"

#include <algorithm>
#include <utility>

namespace wearout::run {

namespace {

UnitRange units_of(const Piece& piece) {
    const std::uint64_t first = piece.offset / unit_bytes;
    const std::uint64_t end = (piece.offset + piece.length + unit_bytes - 1) / unit_bytes;
    return {{first}, end - first};
}

}  // namespace

WritePass::WritePass(const PassContext& context, std::uint64_t issued_before)
    : Pass(context, block::IoKind::write, context.now.media.flushed_to), issued_high_(issued_before) {}

bool WritePass::may_begin() const {
    const workload::Extent extent = context_.walk.extent_at(next(), context_.walk.positions());
    if (extent.units == 0 || extent.position + extent.units > allowed_) return false;
    const auto& limit = context_.spec.limits.written;
    return !limit || context_.now.counters.written.value + bytes_in_flight() < limit->value;
}

Transfer WritePass::begin() {
    Transfer transfer;
    transfer.extent = context_.walk.extent_at(next(), context_.walk.positions());
    transfer.pieces.push_back({transfer.extent.first.byte_offset(),
                               static_cast<std::uint32_t>(context_.walk.bytes_of(transfer.extent)), false});
    issued_high_ = std::max(issued_high_, transfer.extent.position + transfer.extent.units);
    return transfer;
}

bool WritePass::may_retry() const {
    return failures_in_a_row() == 0 || window_full() || !may_begin();
}

void WritePass::prepare(const Transfer& /*transfer*/, const Piece& piece, std::span<std::byte> data) {
    pattern::generate(context_.spec.pattern, {piece.offset / sector_bytes}, context_.now.media.generation,
                      data);
}

void WritePass::went_through(Transfer& /*transfer*/, const Piece& piece,
                             std::span<const std::byte> /*data*/) {
    context_.now.counters.written += {piece.length};
    context_.now.pass.bytes += {piece.length};
}

void WritePass::note_error(Transfer& transfer, const Piece& piece) {
    append(transfer.findings, error_finding(transfer, piece, FindingClass::write_error));
    workload::add_units(failed_, units_of(piece), MediaState::max_unknown);
}

void WritePass::retire(Transfer& transfer) {
    for (Finding& finding : transfer.findings) {
        finding.pass = context_.now.media.generation.value;
        finding.time = context_.clock.wall();
        context_.log.add(std::move(finding));
    }
}

block::IoOutcome WritePass::secure() {
    MediaState& media = context_.now.media;
    const std::uint64_t done = done_to();
    if (done == media.flushed_to) return block::IoDone{};
    const block::IoOutcome outcome = context_.device.flush();
    if (!std::holds_alternative<block::IoDone>(outcome)) return outcome;
    const UnitRange written{context_.walk.unit_at(media.flushed_to), done - media.flushed_to};
    workload::remove_units(media.unknown, written, MediaState::max_unknown);
    std::vector<UnitRange> still_open;
    for (const UnitRange& range : failed_) {
        const std::uint64_t in_front =
            range.first.value < written.end() ? std::min(range.end(), written.end()) - range.first.value : 0;
        workload::add_units(media.unknown, {range.first, in_front}, MediaState::max_unknown);
        if (in_front < range.count)
            still_open.push_back({{range.first.value + in_front}, range.count - in_front});
    }
    failed_ = std::move(still_open);
    media.flushed_to = done;
    media.issued_to = std::max(media.issued_to, done);
    return outcome;
}

void WritePass::settle() {
    context_.now.media.issued_to = std::max(issued_high_, context_.now.media.flushed_to);
}

void WritePass::add_unknown(std::vector<UnitRange>& unknown) const {
    for (const UnitRange& range : failed_)
        workload::add_units(unknown, range, MediaState::max_unknown);
    for (const Transfer& transfer : window())
        if (transfer.failed_whole)
            workload::add_units(unknown, {transfer.extent.first, transfer.extent.units},
                                MediaState::max_unknown);
}

void WritePass::note_flush_error(int error) {
    const MediaState& media = context_.now.media;
    const workload::Extent lost{media.flushed_to, context_.walk.unit_at(media.flushed_to),
                                done_to() - media.flushed_to};
    if (lost.units == 0) return;
    Finding finding;
    finding.cls = FindingClass::write_error;
    finding.lba = lost.first.first_lba();
    finding.sectors = context_.walk.bytes_of(lost) / sector_bytes;
    finding.expected = media.generation;
    finding.error = error;
    finding.pass = media.generation.value;
    finding.time = context_.clock.wall();
    context_.log.add(std::move(finding));
}

void WritePass::go_back() {
    // Until flushed_to has passed them again, nothing is known of those whose write failed.
    add_unknown(context_.now.media.unknown);
    failed_.clear();
    go_back_to(context_.now.media.flushed_to);
}

}  // namespace wearout::run
