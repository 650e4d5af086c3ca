#include "run/verify_pass.h"

#include "pattern/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wearout::run {

namespace {

using workload::Content;

bool overlap(const Finding& a, const Finding& b) {
    return a.lba < b.lba + b.sectors && b.lba < a.lba + a.sectors;
}

bool overlaps_any(const Finding& finding, const std::vector<Finding>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Finding& other) { return overlap(finding, other); });
}

std::span<const std::byte> bytes_at(const Finding& finding, const Piece& piece,
                                    std::span<const std::byte> data) {
    return data.subspan(finding.lba.byte_offset() - piece.offset, finding.sectors * sector_bytes);
}

}  // namespace

VerifyPass::VerifyPass(const PassContext& context)
    : Pass(context, block::IoKind::read, context.now.verify_position) {}

block::IoOutcome VerifyPass::secure() {
    context_.now.verify_position = done_to();
    return block::IoDone{};
}

bool VerifyPass::may_begin() const {
    return next() < context_.walk.positions();
}

Transfer VerifyPass::begin() {
    Transfer transfer;
    transfer.content =
        workload::content_at(context_.now.media, context_.walk, next(), context_.walk.positions());
    if (transfer.content.known == Content::Known::nothing) {
        transfer.extent = {next(), context_.walk.unit_at(next()), transfer.content.units};
        transfer.bytes_missed = context_.walk.bytes_of(transfer.extent);
        return transfer;
    }
    transfer.extent = context_.walk.extent_at(next(), next() + transfer.content.units);
    transfer.pieces.push_back({transfer.extent.first.byte_offset(),
                               static_cast<std::uint32_t>(context_.walk.bytes_of(transfer.extent)), false});
    return transfer;
}

std::vector<Finding> VerifyPass::examine(const Transfer& transfer, const Piece& piece,
                                         std::span<const std::byte> data) const {
    const PatternId& id = context_.spec.pattern;
    pattern::Expectation expectation{transfer.content.generation, std::nullopt};
    if (transfer.content.known == Content::Known::either)
        expectation.or_else = Generation{transfer.content.generation.value - 1};
    const std::uint64_t inside = piece.offset % unit_bytes;
    const Lba unit{(piece.offset - inside) / sector_bytes};
    std::vector<Finding> findings;
    if (inside == 0) {
        findings = pattern::examine(id, unit, expectation, data);
    } else {
        // A part of a unit is examined among right neighbours, since only whole units can be.
        std::array<std::byte, unit_bytes> whole;
        const std::span<std::byte> bytes = std::span(whole).first(inside + data.size());
        pattern::generate(id, unit, expectation.generation, bytes);
        std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(inside));
        findings = pattern::examine(id, unit, expectation, bytes);
    }
    if (transfer.content.below_restart_mark)
        for (Finding& finding : findings)
            if (finding.cls == FindingClass::stale) finding.cls = FindingClass::lost_after_restart;
    return findings;
}

void VerifyPass::went_through(Transfer& transfer, const Piece& piece, std::span<const std::byte> data) {
    if (piece.again) {
        judge(transfer, piece, data);
        return;
    }
    const Lba first{piece.offset / sector_bytes};
    if (!pattern::matches(context_.spec.pattern, first, transfer.content.generation, data)) {
        transfer.suspects = examine(transfer, piece, data);
        if (!transfer.suspects.empty()) {
            transfer.suspect_bytes.assign(data.begin(), data.end());
            transfer.pieces.push_back({piece.offset, piece.length, true});
            return;
        }
    }
    transfer.bytes_passed += piece.length;
}

void VerifyPass::judge(Transfer& transfer, const Piece& piece, std::span<const std::byte> data) {
    std::vector<Finding> second = examine(transfer, piece, data);
    for (Finding& suspect : transfer.suspects) {
        const auto before = bytes_at(suspect, piece, transfer.suspect_bytes);
        const auto now = bytes_at(suspect, piece, data);
        if (!overlaps_any(suspect, second)) {
            suspect.reread = Reread::correct;
            suspect.cls = FindingClass::host_memory;
        } else {
            const bool same = std::equal(before.begin(), before.end(), now.begin());
            suspect.reread = same ? Reread::same : Reread::different;
        }
    }
    // What was right the first time and is wrong now is no less wrong.
    const std::size_t first_count = transfer.suspects.size();
    for (Finding& finding : second) {
        if (std::any_of(transfer.suspects.begin(),
                        transfer.suspects.begin() + static_cast<std::ptrdiff_t>(first_count),
                        [&](const Finding& suspect) { return overlap(suspect, finding); }))
            continue;
        finding.reread = Reread::correct;
        finding.cls = FindingClass::host_memory;
        transfer.suspects.push_back(std::move(finding));
    }
    std::sort(transfer.suspects.begin(), transfer.suspects.end(),
              [](const Finding& a, const Finding& b) { return a.lba < b.lba; });
    transfer.bytes_passed += piece.length;
    settle_suspects(transfer);
}

void VerifyPass::settle_suspects(Transfer& transfer) {
    for (Finding& suspect : transfer.suspects) {
        if (context_.log.full()) {
            suspect.expected_bytes.clear();
            suspect.actual_bytes.clear();
        }
        append(transfer.findings, std::move(suspect));
    }
    transfer.suspects = {};
    transfer.suspect_bytes = {};
}

void VerifyPass::note_error(Transfer& transfer, const Piece& piece) {
    if (piece.again) {
        for (Finding& suspect : transfer.suspects)
            suspect.reread = Reread::failed;
        transfer.bytes_passed += piece.length;
        settle_suspects(transfer);
        return;
    }
    Finding finding = error_finding(transfer, piece, FindingClass::read_error);
    const bool as_a_whole = piece.length == context_.walk.bytes_of(transfer.extent);
    finding.reread = as_a_whole ? Reread::not_done : Reread::failed;
    append(transfer.findings, std::move(finding));
    transfer.bytes_missed += piece.length;
}

bool VerifyPass::worth_splitting(const Transfer& /*transfer*/) const {
    return failures_in_a_row() < context_.max_consecutive_errors;
}

void VerifyPass::retire(Transfer& transfer) {
    RunCounters& counters = context_.now.counters;
    counters.verified += {transfer.bytes_passed};
    counters.unverified += {transfer.bytes_missed};
    context_.now.pass.bytes += {transfer.bytes_passed};
    for (Finding& finding : transfer.findings) {
        finding.pass = context_.now.media.generation.value;
        finding.time = context_.clock.wall();
        context_.log.add(std::move(finding));
    }
}

}  // namespace wearout::run
