#include "pattern/pattern.h"

#include <cerrno>
#include <cstdint>

#include <doctest/doctest.h>

using namespace wearout;
using pattern::merge;

namespace {

Finding at(std::uint64_t lba, std::uint64_t sectors, FindingClass cls) {
    Finding finding;
    finding.cls = cls;
    finding.lba = {lba};
    finding.sectors = sectors;
    finding.expected = {5};
    return finding;
}

}  // namespace

TEST_CASE("what follows with the same trouble makes a finding longer and keeps its evidence") {
    auto into = at(100, 3, FindingClass::garbage);
    into.sequence = 7;
    into.first_wrong_byte = 12;
    into.expected_bytes = {std::byte{1}};
    auto next = at(103, 5, FindingClass::garbage);
    next.first_wrong_byte = 400;
    next.expected_bytes = {std::byte{2}};
    CHECK(merge(into, next));
    CHECK(into.lba == Lba{100});
    CHECK(into.sectors == 8);
    CHECK(into.sequence == 7);
    CHECK(into.first_wrong_byte == 12);
    CHECK(into.expected_bytes == std::vector{std::byte{1}});
}

TEST_CASE("what lies apart, before or across stays a finding of its own") {
    const auto into = at(100, 3, FindingClass::zeroed);
    for (const std::uint64_t lba : {0U, 97U, 99U, 100U, 102U, 104U}) {
        auto copy = into;
        CHECK_FALSE(merge(copy, at(lba, 3, FindingClass::zeroed)));
        CHECK(copy == into);
    }
}

TEST_CASE("every class goes with its own kind and with no other") {
    for (std::size_t a = 0; a < finding_class_count; ++a)
        for (std::size_t b = 0; b < finding_class_count; ++b) {
            auto into = at(8, 8, static_cast<FindingClass>(a));
            CHECK(merge(into, at(16, 8, static_cast<FindingClass>(b))) == (a == b));
        }
}

TEST_CASE("the same trouble means the same generation, displacement, stranger, mask and error") {
    auto stale = at(8, 8, FindingClass::stale);
    stale.found = Generation{4};
    auto next = at(16, 8, FindingClass::stale);
    next.found = Generation{3};
    CHECK_FALSE(merge(stale, next));
    next.found = Generation{4};
    CHECK(merge(stale, next));

    auto moved = at(8, 8, FindingClass::misdirected);
    moved.source_lba = Lba{1008};
    next = at(16, 8, FindingClass::misdirected);
    next.source_lba = Lba{1008};
    CHECK_FALSE(merge(moved, next));
    next.source_lba = Lba{1016};
    CHECK(merge(moved, next));
    CHECK(moved.source_lba == Lba{1008});

    auto foreign = at(8, 8, FindingClass::foreign_run);
    foreign.foreign_run = 1;
    next = at(16, 8, FindingClass::foreign_run);
    next.foreign_run = 2;
    CHECK_FALSE(merge(foreign, next));
    next.foreign_run = 1;
    CHECK(merge(foreign, next));

    auto torn = at(12, 4, FindingClass::torn);
    torn.torn_sectors = 0xf0;
    next = at(16, 4, FindingClass::torn);
    next.torn_sectors = 0x0f;
    CHECK_FALSE(merge(torn, next));
    next.torn_sectors = 0xf0;
    CHECK(merge(torn, next));

    for (const auto cls : {FindingClass::read_error, FindingClass::write_error}) {
        auto error = at(8, 8, cls);
        error.error = EIO;
        next = at(16, 8, cls);
        next.error = ENODATA;
        CHECK_FALSE(merge(error, next));
        next.error = EIO;
        CHECK(merge(error, next));
    }
}

TEST_CASE("another expectation is another trouble") {
    auto into = at(8, 8, FindingClass::garbage);
    auto next = at(16, 8, FindingClass::garbage);
    next.expected = {4};
    CHECK_FALSE(merge(into, next));
}

TEST_CASE("flips are summed, and sums do not wrap") {
    auto into = at(8, 1, FindingClass::bit_flip);
    into.flips_to_one = 2;
    into.flips_to_zero = UINT64_MAX - 1;
    auto next = at(9, 1, FindingClass::bit_flip);
    next.flips_to_one = 3;
    next.flips_to_zero = 3;
    CHECK(merge(into, next));
    CHECK(into.flips_to_one == 5);
    CHECK(into.flips_to_zero == UINT64_MAX);

    auto huge = at(8, UINT64_MAX - 10, FindingClass::read_error);
    CHECK(merge(huge, at(8 + UINT64_MAX - 10, 100, FindingClass::read_error)));
    CHECK(huge.sectors == UINT64_MAX);
}
