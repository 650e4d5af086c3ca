#include "pattern/judge.h"

#include "base/endian.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace wearout::pattern {
namespace {

/// A copy is a damaged one when at most one bit in so many differs: 128 in a sector. Unrelated sectors differ
/// in one of two, 2048 of 4096 with a standard deviation of 32, so that the limit lies 60 deviations below
/// what chance gives, and above what flash returns when its error correction has given up on a page.
constexpr std::uint64_t bits_per_flip = 32;

/// A torn sector has at least so many bytes of each write: chance makes them with one in 2^64.
constexpr std::size_t min_torn_bytes = 8;

bool equal(SectorBytes a, SectorBytes b) {
    return std::memcmp(a.data(), b.data(), sector_bytes) == 0;
}

bool all(SectorBytes sector, std::byte value) {
    return std::ranges::all_of(sector, [value](std::byte byte) { return byte == value; });
}

bool same_payload(SectorBytes a, SectorBytes b) {
    return std::ranges::equal(a.subspan<stamp_bytes>(), b.subspan<stamp_bytes>());
}

struct Flips {
    std::uint64_t to_one = 0;
    std::uint64_t to_zero = 0;
    [[nodiscard]] std::uint64_t bits() const { return to_one + to_zero; }
};

Flips count_flips(SectorBytes expected, SectorBytes actual) {
    Flips flips;
    for (std::size_t at = 0; at < sector_bytes; at += sizeof(std::uint64_t)) {
        const auto is = load_le<std::uint64_t>(actual, at);
        const auto flipped = load_le<std::uint64_t>(expected, at) ^ is;
        flips.to_one += static_cast<unsigned>(std::popcount(flipped & is));
        flips.to_zero += static_cast<unsigned>(std::popcount(flipped & ~is));
    }
    return flips;
}

/// With the payload right, what differs is all in the stamp: that a few bits of so few bytes flip and no
/// others is no chance, so that the limit is in proportion.
bool few(const Flips& flips, bool only_stamp) {
    return flips.bits() <= 8 * (only_stamp ? stamp_bytes : sector_bytes) / bits_per_flip;
}

bool begins_and_ends_as(SectorBytes begin, SectorBytes end, SectorBytes actual) {
    const auto head = std::ranges::mismatch(begin, actual).in2 - actual.begin();
    const auto tail = std::mismatch(end.rbegin(), end.rend(), actual.rbegin()).second - actual.rbegin();
    return std::cmp_greater_equal(head, min_torn_bytes) && std::cmp_greater_equal(tail, min_torn_bytes) &&
           std::cmp_greater_equal(head + tail, actual.size());
}

}  // namespace

void note_evidence(Finding& finding, SectorBytes expected, SectorBytes actual) {
    const auto [was, is] = std::ranges::mismatch(expected, actual);
    if (was != expected.end()) {
        finding.first_wrong_byte = static_cast<std::uint32_t>(was - expected.begin());
        finding.first_wrong_bits = std::to_integer<std::uint8_t>(*was ^ *is);
    }
    finding.expected_bytes.assign(expected.begin(), expected.end());
    finding.actual_bytes.assign(actual.begin(), actual.end());
}

std::vector<SectorJudge::Content> SectorJudge::candidates(Lba lba, SectorBytes actual) const {
    const PatternId& id = generator_.id();
    std::vector<Content> contents;
    const auto add = [&](const Stamp& stamp) {
        if (std::ranges::find(contents, stamp, &Content::stamp) != contents.end()) return;
        auto& content = contents.emplace_back(Content{.stamp = stamp, .bytes = {}});
        generator_.fill(stamp.lba, stamp.generation, content.bytes);
    };
    Stamp stamp{.run = id.run, .drive = id.drive, .lba = lba, .generation = expectation_.generation};
    add(stamp);
    if (expectation_.or_else) {
        stamp.generation = *expectation_.or_else;
        add(stamp);
    }
    if (expectation_.generation.value > 1) {
        stamp.generation.value = expectation_.generation.value - 1;
        add(stamp);
    }
    const auto seen = peek_stamp(actual);
    if (seen && seen->run == id.run && seen->drive == id.drive) add(*seen);
    return contents;
}

Verdict SectorJudge::judge(Lba lba, SectorBytes expected, SectorBytes actual) const {
    if (equal(expected, actual)) return {.finding = {}, .holds_expected = true};
    if (expectation_.or_else) {
        if (*expectation_.or_else == Generation{0}) return {};
        if (generator_.same(lba, *expectation_.or_else, actual)) return {.finding = {}, .holds_older = true};
    }
    Verdict verdict;
    Finding& finding = verdict.finding.emplace();
    finding.lba = lba;
    finding.sectors = 1;
    finding.expected = expectation_.generation;
    note_evidence(finding, expected, actual);
    name(finding, actual);
    verdict.holds_expected = finding.cls == FindingClass::torn;
    verdict.holds_older = (finding.cls == FindingClass::torn || finding.cls == FindingClass::stale) &&
                          finding.found < finding.expected;
    return verdict;
}

void SectorJudge::name(Finding& finding, SectorBytes actual) const {
    if (all(actual, std::byte{0x00})) {
        finding.cls = FindingClass::zeroed;
        return;
    }
    if (all(actual, std::byte{0xff})) {
        finding.cls = FindingClass::ones;
        return;
    }
    const auto stamp = read_stamp(actual);
    if (stamp && name_authentic(finding, *stamp)) return;
    // Torn before damaged: where the tear is near an end, few bits differ.
    const auto contents = candidates(finding.lba, actual);
    if (name_torn(finding, contents, actual) || name_damaged(finding, contents, actual)) return;
    finding.cls = FindingClass::garbage;
}

bool SectorJudge::name_authentic(Finding& finding, const Stamp& stamp) const {
    const PatternId& id = generator_.id();
    if (stamp.drive != id.drive || stamp.run != id.run) {
        finding.cls = stamp.drive != id.drive ? FindingClass::foreign_drive : FindingClass::foreign_run;
        finding.foreign_run = stamp.run;
        if (stamp.drive != id.drive) finding.foreign_drive = stamp.drive;
        finding.source_lba = stamp.lba;
    } else if (stamp.lba != finding.lba) {
        const auto [low, high] = std::minmax(stamp.lba.value, finding.lba.value);
        finding.cls = std::has_single_bit(high - low) ? FindingClass::aliased : FindingClass::misdirected;
        finding.source_lba = stamp.lba;
    } else if (!allows(stamp.generation)) {
        finding.cls = FindingClass::stale;
    } else {
        return false;  // Another seed, or damage that the CRC misses.
    }
    finding.found = stamp.generation;
    return true;
}

bool SectorJudge::name_torn(Finding& finding, const std::vector<Content>& contents,
                            SectorBytes actual) const {
    const auto& expected = contents.front();
    for (const auto& other : std::span(contents).subspan(1)) {
        if (other.stamp.lba != expected.stamp.lba) continue;
        if (!begins_and_ends_as(expected.bytes, other.bytes, actual) &&
            !begins_and_ends_as(other.bytes, expected.bytes, actual))
            continue;
        finding.cls = FindingClass::torn;
        finding.found = other.stamp.generation;
        return true;
    }
    return false;
}

bool SectorJudge::name_damaged(Finding& finding, const std::vector<Content>& contents,
                               SectorBytes actual) const {
    for (const auto& content : contents) {
        const Flips flips = count_flips(content.bytes, actual);
        const bool only_stamp = same_payload(content.bytes, actual);
        const bool damaged_copy = few(flips, only_stamp);
        const bool allowed = content.stamp.lba == finding.lba && allows(content.stamp.generation);
        if (allowed && (damaged_copy || only_stamp)) {
            finding.cls = damaged_copy ? FindingClass::bit_flip : FindingClass::stamp_only;
            finding.expected = content.stamp.generation;
            note_evidence(finding, content.bytes, actual);
        } else if (allowed || !damaged_copy || !name_authentic(finding, content.stamp)) {
            continue;
        }
        if (damaged_copy) {
            finding.flips_to_one = flips.to_one;
            finding.flips_to_zero = flips.to_zero;
        }
        return true;
    }
    return false;
}

}  // namespace wearout::pattern
