#include "pattern/pattern.h"
#include "pattern/reference.h"
#include "pattern/support.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::test;

// Whatever is done to a stretch: each sector that is wrong lies in exactly one finding, each that is right in
// none.

namespace {

constexpr Generation generation{6};

/// Somebody damages `data`, which belongs to `first`.
void damage(std::vector<std::byte>& data, Lba first) {
    const std::size_t sectors = data.size() / sector_bytes;
    const auto index = *rc::gen::inRange<std::size_t>(0, sectors);
    const auto count = *rc::gen::inRange<std::size_t>(1, sectors - index + 1);
    const auto whole = std::span(data).subspan(index * sector_bytes, count * sector_bytes);
    const auto from = *rc::gen::inRange<std::size_t>(0, whole.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, whole.size() - from + 1);
    const auto part = *rc::gen::arbitrary<bool>() ? whole : whole.subspan(from, length);
    const auto copy = [&](const PatternId& id, Lba lba, Generation found) {
        const auto source = made(id, lba, found, count);
        std::ranges::copy(
            std::span(source).subspan(static_cast<std::size_t>(part.data() - whole.data()), part.size()),
            part.begin());
    };
    PatternId stranger = some_id;
    stranger.run += *rc::gen::inRange<std::uint64_t>(0, 2);
    stranger.drive += *rc::gen::inRange<std::uint64_t>(0, 2);
    switch (*rc::gen::inRange(0, 7)) {
        case 0:
            flip(part, *rc::gen::inRange<std::size_t>(0, part.size() * 8));
            break;
        case 1:
            std::ranges::fill(part, *rc::gen::element(std::byte{0}, std::byte{0xff}));
            break;
        case 2:
            for (auto& byte : part)
                byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
            break;
        case 3:
            copy(some_id, first + index, {*rc::gen::inRange<std::uint32_t>(0, 9)});
            break;
        case 4:
            copy(some_id, first + *rc::gen::inRange<std::uint64_t>(0, 1000), generation);
            break;
        case 5:
            copy(stranger, first + index, generation);
            break;
        default:
            std::rotate(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2),
                        part.end());
            break;
    }
}

/// What the contract says of one sector, in the plainest words.
bool may_hold(Lba lba, const pattern::Expectation& expectation, std::span<const std::byte> actual) {
    if (std::ranges::equal(slow_sector(some_id, lba, expectation.generation), actual)) return true;
    if (!expectation.or_else) return false;
    return *expectation.or_else == Generation{0} ||
           std::ranges::equal(slow_sector(some_id, lba, *expectation.or_else), actual);
}

void check_finding(const Finding& finding, Lba first, std::span<const std::byte> data) {
    const auto index = static_cast<std::size_t>(finding.lba - first);
    const auto actual = sector(std::span(const_cast<std::byte*>(data.data()), data.size()), index);
    RC_ASSERT(finding.actual_bytes == copy_of(actual));
    RC_ASSERT(finding.expected_bytes == slow_sector(some_id, finding.lba, finding.expected));
    const auto wrong = std::ranges::mismatch(finding.expected_bytes, finding.actual_bytes);
    RC_ASSERT(finding.first_wrong_byte ==
              static_cast<std::size_t>(wrong.in1 - finding.expected_bytes.begin()));
    RC_ASSERT(finding.first_wrong_bits == std::to_integer<std::uint8_t>(*wrong.in1 ^ *wrong.in2));
    if (finding.cls == FindingClass::bit_flip && finding.sectors == 1)
        RC_ASSERT(finding.flips_to_one + finding.flips_to_zero ==
                  hamming(finding.expected_bytes, finding.actual_bytes));
    RC_ASSERT(finding.cls != FindingClass::host_memory);
}

}  // namespace

TEST_CASE("every wrong sector is in one finding and every right one in none") {
    CHECK(rc::check("any damage", [] {
        const Lba first{*rc::gen::inRange<std::uint64_t>(0, 1ULL << 45U) * sectors_per_unit};
        const auto sectors = *rc::gen::inRange<std::size_t>(1, 30);
        const pattern::Expectation expectation{.generation = generation,
                                               .or_else = *rc::gen::element<std::optional<Generation>>(
                                                   std::nullopt, Generation{5}, Generation{0})};
        auto data = made(some_id, first, generation, sectors);
        const auto damages = *rc::gen::inRange(0, 4);
        for (int i = 0; i < damages; ++i)
            damage(data, first);

        const auto findings = pattern::examine(some_id, first, expectation, data);
        std::vector<int> covered(sectors);
        Lba end = first;
        for (const auto& finding : findings) {
            RC_ASSERT(finding.lba >= end);
            end = finding.lba + finding.sectors;
            RC_ASSERT(end <= first + sectors);
            for (auto lba = finding.lba; lba < end; ++lba.value)
                ++covered[static_cast<std::size_t>(lba - first)];
            check_finding(finding, first, data);
        }
        for (std::size_t i = 0; i < sectors; ++i)
            RC_ASSERT(covered[i] == (may_hold(first + i, expectation, sector(data, i)) ? 0 : 1));
        for (std::size_t i = 1; i < findings.size(); ++i) {
            auto before = findings[i - 1];
            RC_ASSERT(!pattern::merge(before, findings[i]));
        }
        RC_ASSERT(pattern::matches(some_id, first, generation, data) ==
                  (data == slow_sectors(some_id, first, generation, sectors)));
    }));
}
