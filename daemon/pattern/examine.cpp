#include "pattern/examine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace wearout::pattern {
namespace {

SectorBytes sector_of(std::span<const std::byte> unit, std::size_t index) {
    return unit.subspan(index * sector_bytes).first<sector_bytes>();
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// A unit of which a part is the expected write and a part an older one was torn. Makes the stale sectors
/// torn ones and notes in each torn one which of its unit hold the older write.
void recognise_torn_unit(std::span<Verdict> verdicts) {
    unsigned older = 0;
    bool newer = false;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i].holds_older) older |= 1U << i;
        newer = newer || verdicts[i].holds_expected;
    }
    if (!newer) return;
    for (auto& verdict : verdicts) {
        if (!verdict.finding || !verdict.holds_older) continue;
        verdict.finding->cls = FindingClass::torn;
        verdict.finding->torn_sectors = static_cast<std::uint8_t>(older);
    }
}

}  // namespace

std::vector<Finding> Examiner::examine(Lba first, std::span<const std::byte> data) {
    assert(first.value % sectors_per_unit == 0 && data.size() % sector_bytes == 0);
    findings_.clear();
    // Nearly always nothing is wrong, and one call finds that faster than one call a unit.
    if (generator_.same(first, expectation_.generation, data)) return {};
    while (!data.empty()) {
        const auto unit = data.first(std::min<std::size_t>(data.size(), unit_bytes));
        if (!as_it_may_be(first, unit)) examine_unit(first, unit);
        first = first + sectors_per_unit;
        data = data.subspan(unit.size());
    }
    return std::exchange(findings_, {});
}

bool Examiner::as_it_may_be(Lba first, std::span<const std::byte> data) const {
    if (generator_.same(first, expectation_.generation, data)) return true;
    if (!expectation_.or_else) return false;
    return *expectation_.or_else == Generation{0} || generator_.same(first, *expectation_.or_else, data);
}

void Examiner::examine_unit(Lba first, std::span<const std::byte> data) {
    std::array<std::byte, unit_bytes> expected_bytes;
    std::array<std::byte, unit_bytes> twin_bytes;
    const auto expected = std::span(expected_bytes).first(data.size());
    const auto twin = std::span(twin_bytes).first(data.size());
    generator_.fill(first, expectation_.generation, expected);
    twin_.fill(first, expectation_.generation, twin);
    // The second case: the fast comparison saw a difference that is not there.
    if (!equal(expected, twin) || equal(expected, data))
        blame_host(first, expected, data);
    else
        judge_unit(first, expected, data);
}

void Examiner::judge_unit(Lba first, std::span<const std::byte> expected, std::span<const std::byte> data) {
    const SectorJudge judge(generator_, expectation_);
    std::array<Verdict, sectors_per_unit> verdicts;
    const std::size_t sectors = data.size() / sector_bytes;
    for (std::size_t i = 0; i < sectors; ++i)
        verdicts[i] = judge.judge(first + i, sector_of(expected, i), sector_of(data, i));
    recognise_torn_unit(std::span(verdicts).first(sectors));
    for (std::size_t i = 0; i < sectors; ++i)
        if (verdicts[i].finding) add(std::move(*verdicts[i].finding));
}

void Examiner::blame_host(Lba first, std::span<const std::byte> expected, std::span<const std::byte> data) {
    Finding finding;
    finding.cls = FindingClass::host_memory;
    finding.lba = first;
    finding.sectors = data.size() / sector_bytes;
    finding.expected = expectation_.generation;
    note_evidence(finding, sector_of(expected, 0), sector_of(data, 0));
    add(std::move(finding));
}

void Examiner::add(Finding finding) {
    if (findings_.empty() || !merge(findings_.back(), finding)) findings_.push_back(std::move(finding));
}

}  // namespace wearout::pattern
