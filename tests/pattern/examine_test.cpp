#include "pattern/pattern.h"
#include "pattern/stamp.h"
#include "pattern/support.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;
using pattern::examine;
using pattern::Expectation;

namespace {

constexpr Lba first{(1ULL << 36U) + 4096};  // Past 2^35 sectors, 16 TiB.
constexpr Generation generation{9};
constexpr Expectation exact{.generation = generation, .or_else = {}};

/// Four units of the right content, to be damaged.
struct Stretch {
    std::vector<std::byte> right = made(some_id, first, generation, 32);
    std::vector<std::byte> data = right;

    [[nodiscard]] std::span<std::byte> at(std::size_t index) { return sector(data, index); }
    void put(std::size_t index, std::span<const std::byte> bytes) {
        std::ranges::copy(bytes, data.begin() + static_cast<std::ptrdiff_t>(index * sector_bytes));
    }
    [[nodiscard]] std::vector<Finding> findings(const Expectation& expectation = exact) const {
        return examine(some_id, first, expectation, data);
    }
    /// The only finding, of which place, length and evidence are as they must be.
    [[nodiscard]] Finding only(FindingClass cls, std::size_t index, std::size_t sectors,
                               const Expectation& expectation = exact) {
        const auto found = findings(expectation);
        REQUIRE(found.size() == 1);
        const Finding& finding = found.front();
        CHECK(finding_class_names[finding.cls] == finding_class_names[cls]);
        CHECK(finding.lba == first + index);
        CHECK(finding.sectors == sectors);
        CHECK(finding.expected_bytes == copy_of(sector(right, index)));
        CHECK(finding.actual_bytes == copy_of(at(index)));
        CHECK(finding.expected == generation);
        return finding;
    }
};

std::vector<std::byte> noise(std::size_t size, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<std::byte> bytes(size);
    for (auto& byte : bytes)
        byte = static_cast<std::byte>(engine());
    return bytes;
}

}  // namespace

TEST_CASE("right content is no finding, whatever its length") {
    const Stretch stretch;
    for (std::size_t sectors = 0; sectors <= 32; ++sectors)
        CHECK(examine(some_id, first, exact, std::span(stretch.right).first(sectors * sector_bytes)).empty());
}

TEST_CASE("one flipped bit is named and placed, wherever it is") {
    Stretch stretch;
    for (std::size_t bit = 0; bit < std::size_t{sector_bytes} * 8; ++bit) {
        CAPTURE(bit);
        const std::size_t index = bit % 32;
        flip(stretch.at(index), bit);
        const auto finding = stretch.only(FindingClass::bit_flip, index, 1);
        CHECK(finding.first_wrong_byte == bit / 8);
        CHECK(finding.first_wrong_bits == 1U << (bit % 8));
        const bool to_one = (std::to_integer<unsigned>(stretch.at(index)[bit / 8]) >> (bit % 8) & 1U) != 0;
        CHECK(finding.flips_to_one == (to_one ? 1 : 0));
        CHECK(finding.flips_to_zero == (to_one ? 0 : 1));
        flip(stretch.at(index), bit);
    }
}

TEST_CASE("many flipped bits are counted by direction, up to one in 32") {
    for (const std::size_t count : {2U, 3U, 17U, 64U, 128U}) {
        Stretch stretch;
        std::uint64_t to_one = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t bit = 31 + i * 4096 / count % 4096;
            to_one += (std::to_integer<unsigned>(stretch.at(5)[bit % 4096 / 8]) >> (bit % 8) & 1U) ^ 1U;
            flip(stretch.at(5), bit % 4096);
        }
        const auto finding = stretch.only(FindingClass::bit_flip, 5, 1);
        CHECK(finding.flips_to_one == to_one);
        CHECK(finding.flips_to_zero == count - to_one);
    }
    Stretch stretch;
    for (std::size_t bit = 0; bit < 4096; bit += 16)
        flip(stretch.at(5), bit);
    (void)stretch.only(FindingClass::garbage, 5, 1);
}

TEST_CASE("flips of neighbouring sectors are one finding with their sum") {
    Stretch stretch;
    flip(stretch.at(7), 100);
    flip(stretch.at(8), 300);
    flip(stretch.at(8), 301);
    const auto finding = stretch.only(FindingClass::bit_flip, 7, 2);
    CHECK(finding.flips_to_one + finding.flips_to_zero == 3);
    CHECK(finding.first_wrong_byte == 12);
}

TEST_CASE("an older generation is stale, a newer one too, and says which it is") {
    for (const std::uint32_t found : {0U, 1U, 8U, 10U, 4000U}) {
        Stretch stretch;
        stretch.put(8, made(some_id, first + 8, {found}, 16));
        const auto finding = stretch.only(FindingClass::stale, 8, 16);
        CHECK(finding.found == Generation{found});
        CHECK_FALSE(finding.source_lba);
        CHECK(finding.torn_sectors == 0);
    }
    Stretch stretch;
    stretch.put(0, made(some_id, first, {3}, 8));
    stretch.put(8, made(some_id, first + 8, {4}, 8));
    const auto findings = stretch.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].found == Generation{3});
    CHECK(findings[1].found == Generation{4});
}

TEST_CASE("a sector of elsewhere is misdirected and says where it belongs") {
    for (const std::uint64_t distance : {3ULL, 24ULL, 1000ULL, (1ULL << 36U) + 8}) {
        Stretch stretch;
        const Lba source{first.value + 8 + distance};
        stretch.put(8, made(some_id, source, {7}, 16));
        const auto finding = stretch.only(FindingClass::misdirected, 8, 16);
        CHECK(finding.source_lba == source);
        CHECK(finding.found == Generation{7});
    }
}

TEST_CASE("a sector of a power of two away, on either side, is aliased") {
    for (const std::uint64_t distance : {1ULL, 8ULL, 1ULL << 21U, 1ULL << 36U}) {
        Stretch stretch;
        stretch.put(16, made(some_id, {first.value + 16 - distance}, generation, 8));
        CHECK(stretch.only(FindingClass::aliased, 16, 8).source_lba == Lba{first.value + 16 - distance});
        stretch.put(16, made(some_id, first + (16 + distance), generation, 8));
        CHECK(stretch.only(FindingClass::aliased, 16, 8).source_lba == first + (16 + distance));
    }
}

TEST_CASE("strangers are told by run and by drive") {
    PatternId other = some_id;
    other.run = 99;
    Stretch stretch;
    stretch.put(0, made(other, first, {2}, 8));
    auto finding = stretch.only(FindingClass::foreign_run, 0, 8);
    CHECK(finding.foreign_run == 99);
    CHECK_FALSE(finding.foreign_drive);
    CHECK(finding.found == Generation{2});
    CHECK(finding.source_lba == first);

    other.drive = 77;
    stretch.put(0, made(other, {5}, {2}, 8));
    finding = stretch.only(FindingClass::foreign_drive, 0, 8);
    CHECK(finding.foreign_run == 99);
    CHECK(finding.foreign_drive == 77);
    CHECK(finding.source_lba == Lba{5});
}

TEST_CASE("zeroes and ones are named, over units and in part of one") {
    for (const auto& [value, cls] :
         {std::pair{std::byte{0x00}, FindingClass::zeroed}, std::pair{std::byte{0xff}, FindingClass::ones}}) {
        Stretch stretch;
        std::ranges::fill(std::span(stretch.data).subspan(6 * sector_bytes, 20 * sector_bytes), value);
        (void)stretch.only(cls, 6, 20);
    }
}

TEST_CASE("a unit torn at any sector, on either side, is torn and says which sectors are old") {
    for (std::size_t at = 1; at < sectors_per_unit; ++at) {
        CAPTURE(at);
        const auto old = made(some_id, first + 8, {8}, 8);
        Stretch tail;
        tail.put(8 + at, std::span(old).subspan(at * sector_bytes));
        auto finding = tail.only(FindingClass::torn, 8 + at, 8 - at);
        CHECK(finding.torn_sectors == (0xffU << at & 0xffU));
        CHECK(finding.found == Generation{8});

        Stretch head;
        head.put(8, std::span(old).first(at * sector_bytes));
        finding = head.only(FindingClass::torn, 8, at);
        CHECK(finding.torn_sectors == (1U << at) - 1);
    }
}

TEST_CASE("old sectors that lie apart in a torn unit are findings with one mask") {
    Stretch stretch;
    for (const std::size_t index : {9U, 12U, 13U})
        stretch.put(index, made(some_id, first + index, {8}, 1));
    const auto findings = stretch.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].lba == first + 9);
    CHECK(findings[1].lba == first + 12);
    CHECK(findings[1].sectors == 2);
    for (const auto& finding : findings) {
        CHECK(finding.cls == FindingClass::torn);
        CHECK(finding.torn_sectors == 0b0011'0010);
    }
}

TEST_CASE("a newer sector among right ones does not make its unit torn") {
    Stretch stretch;
    stretch.put(9, made(some_id, first + 9, {10}, 1));
    CHECK(stretch.only(FindingClass::stale, 9, 1).found == Generation{10});
}

TEST_CASE("a sector torn at any 8 bytes, on either side, is torn") {
    const auto old = made(some_id, first + 10, {8}, 1);
    for (std::size_t at = 8; at < sector_bytes; at += 8) {
        CAPTURE(at);
        Stretch tail;
        std::memcpy(tail.at(10).data() + at, old.data() + at, sector_bytes - at);
        auto finding = tail.only(FindingClass::torn, 10, 1);
        CHECK(finding.torn_sectors == 0b0000'0100);
        CHECK(finding.found == Generation{8});
        CHECK(finding.first_wrong_byte == at);

        Stretch head;
        std::memcpy(head.at(10).data(), old.data(), at);
        finding = head.only(FindingClass::torn, 10, 1);
        CHECK(finding.torn_sectors == 0b0000'0100);
        CHECK(finding.first_wrong_byte == 0);
    }
}

TEST_CASE("a tear inside a sector and the old sectors behind it are one finding") {
    Stretch stretch;
    const auto old = made(some_id, first + 8, {8}, 8);
    std::memcpy(stretch.at(8).data() + 1000, old.data() + 1000, unit_bytes - 1000);
    const auto finding = stretch.only(FindingClass::torn, 9, 7);
    CHECK(finding.torn_sectors == 0b1111'1110);
    CHECK(finding.first_wrong_byte == 1000 - sector_bytes);

    // The same where no sector of the unit is wholly new.
    Stretch early;
    std::memcpy(early.at(8).data() + 300, old.data() + 300, unit_bytes - 300);
    CHECK(early.only(FindingClass::torn, 8, 8).torn_sectors == 0xff);
}

TEST_CASE("a sector whose old part begins with its stamp may be torn from any generation") {
    Stretch stretch;
    std::memcpy(stretch.at(3).data(), made(some_id, first + 3, {2}, 1).data(), 256);
    const auto finding = stretch.only(FindingClass::torn, 3, 1);
    CHECK(finding.found == Generation{2});
}

TEST_CASE("a wrong stamp over the right payload is told from flips") {
    Stretch stretch;
    std::ranges::copy(noise(pattern::stamp_bytes, 1), stretch.at(20).begin());
    auto finding = stretch.only(FindingClass::stamp_only, 20, 1);
    CHECK(finding.flips_to_one + finding.flips_to_zero == 0);
    std::ranges::fill(stretch.at(20).first(pattern::stamp_bytes), std::byte{0});
    (void)stretch.only(FindingClass::stamp_only, 20, 1);
}

TEST_CASE("what is nothing else is garbage") {
    Stretch stretch;
    stretch.put(4, noise(8 * sector_bytes, 2));
    (void)stretch.only(FindingClass::garbage, 4, 8);

    // Right at first sight, of another seed: the same stamp, and a checksum that holds.
    PatternId other = some_id;
    ++other.seed;
    stretch = {};
    stretch.put(4, made(other, first + 4, generation, 1));
    (void)stretch.only(FindingClass::garbage, 4, 1);

    // A part of a sector, and the stamp.
    stretch = {};
    std::ranges::copy(noise(200, 3), stretch.at(0).begin());
    (void)stretch.only(FindingClass::garbage, 0, 1);
}

TEST_CASE("a copy of elsewhere or of earlier with a flipped bit is still known for what it is") {
    Stretch stretch;
    stretch.put(8, made(some_id, first + 8, {6}, 8));
    flip(stretch.at(11), 4000);
    auto finding = stretch.only(FindingClass::stale, 8, 8);
    CHECK(finding.flips_to_one + finding.flips_to_zero == 1);

    stretch = {};
    stretch.put(8, made(some_id, first + 108, {6}, 8));
    flip(stretch.at(8), 4000);
    finding = stretch.only(FindingClass::misdirected, 8, 8);
    CHECK(finding.source_lba == first + 108);
}

TEST_CASE("where a crash lies between, each sector may hold either generation") {
    constexpr Expectation either{.generation = generation, .or_else = Generation{8}};
    Stretch stretch;
    for (std::size_t index = 0; index < 32; ++index)
        if ((0x5a3cU >> (index % 16) & 1U) != 0) stretch.put(index, made(some_id, first + index, {8}, 1));
    CHECK(stretch.findings(either).empty());
    CHECK_FALSE(stretch.findings().empty());

    stretch = {};
    stretch.put(0, made(some_id, first, {8}, 32));
    CHECK(stretch.findings(either).empty());

    SUBCASE("but none older than both") {
        stretch.put(8, made(some_id, first + 8, {7}, 8));
        CHECK(stretch.only(FindingClass::stale, 8, 8, either).found == Generation{7});
    }
    SUBCASE("and no other content") {
        std::ranges::fill(stretch.at(9), std::byte{0});
        (void)stretch.only(FindingClass::zeroed, 9, 1, either);
    }
    SUBCASE("a sector torn between the two is torn") {
        std::memcpy(stretch.at(9).data(), sector(stretch.right, 9).data(), 256);
        const auto finding = stretch.only(FindingClass::torn, 9, 1, either);
        CHECK(finding.torn_sectors == 0xff);
        CHECK(finding.found == Generation{8});
    }
    SUBCASE("a damaged copy of the older is compared with that") {
        const auto older = copy_of(stretch.at(9));
        flip(stretch.at(9), 3);
        const auto findings = stretch.findings(either);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].cls == FindingClass::bit_flip);
        CHECK(findings[0].expected == Generation{8});
        CHECK(findings[0].expected_bytes == older);
        CHECK(findings[0].flips_to_one + findings[0].flips_to_zero == 1);
    }
}

TEST_CASE("where nothing was written before, anything may lie there after a crash") {
    constexpr Expectation fresh{.generation = {1}, .or_else = Generation{0}};
    auto data = made(some_id, first, {1}, 32);
    CHECK(examine(some_id, first, fresh, data).empty());
    std::ranges::copy(noise(5 * sector_bytes, 4), sector(data, 3).begin());
    std::ranges::fill(sector(data, 9), std::byte{0});
    CHECK(examine(some_id, first, fresh, data).empty());
}

TEST_CASE("troubles of several kinds stay apart, in the order of their addresses") {
    Stretch stretch;
    std::ranges::fill(stretch.at(2), std::byte{0});
    std::ranges::fill(stretch.at(3), std::byte{0xff});
    flip(stretch.at(4), 1);
    stretch.put(8, made(some_id, first + 8, {8}, 8));
    stretch.put(16, made(some_id, first + 116, generation, 8));
    stretch.put(24, noise(sector_bytes, 5));
    const auto findings = stretch.findings();
    std::vector<FindingClass> classes;
    for (const auto& finding : findings)
        classes.push_back(finding.cls);
    using enum FindingClass;
    CHECK(classes == std::vector{zeroed, ones, bit_flip, stale, misdirected, garbage});
}

TEST_CASE("a shorter last unit is examined like any other") {
    for (std::size_t sectors = 1; sectors < sectors_per_unit; ++sectors) {
        auto data = made(some_id, first, generation, 8 + sectors);
        std::ranges::copy(made(some_id, first + 8, {8}, sectors), sector(data, 8).begin());
        const auto findings = examine(some_id, first, exact, data);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].cls == FindingClass::stale);
        CHECK(findings[0].lba == first + 8);
        CHECK(findings[0].sectors == sectors);
    }
}

TEST_CASE("what goes on in the next call is merged") {
    std::vector<std::byte> data(64 * sector_bytes);
    auto head = examine(some_id, first, exact, std::span(data).first(32 * sector_bytes));
    const auto tail = examine(some_id, first + 32, exact, std::span(data).subspan(32 * sector_bytes));
    REQUIRE(head.size() == 1);
    REQUIRE(tail.size() == 1);
    CHECK(pattern::merge(head[0], tail[0]));
    CHECK(head[0].sectors == 64);
    CHECK(head == examine(some_id, first, exact, data));
}
