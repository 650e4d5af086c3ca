#include "pattern/examine.h"
#include "pattern/kernel.h"
#include "pattern/support.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::pattern;
using namespace wearout::test;

namespace {

constexpr Lba first{800};
constexpr Expectation exact{.generation = {3}, .or_else = {}};

Kernel sound() {
    return kernels().back();
}

/// A computer that flips a bit of one sector while it makes the pattern.
Kernel flipping() {
    return {.name = "flipping",
            .fill =
                [](const Stream& stream, const Stamp& stamp, std::span<std::byte> out) {
                    sound().fill(stream, stamp, out);
                    const auto at = static_cast<std::size_t>(first + 9 - stamp.lba) * sector_bytes + 301;
                    if (at < out.size()) out[at] ^= std::byte{4};
                },
            .same = sound().same};
}

/// A computer that sees differences where there are none.
Kernel mistrusting() {
    return {.name = "mistrusting",
            .fill = sound().fill,
            .same = [](const Stream&, const Stamp&, std::span<const std::byte>) { return false; }};
}

std::vector<Finding> examine_with(const Kernel& kernel, const Kernel& twin, std::span<const std::byte> data) {
    return Examiner(Generator(some_id, kernel), Generator(some_id, twin), exact).examine(first, data);
}

}  // namespace

TEST_CASE("a computer that does not compute the same twice is blamed, not the drive") {
    auto data = made(some_id, first, {3}, 24);
    sector(data, 9)[300] ^= std::byte{4};
    for (const auto& findings :
         {examine_with(flipping(), sound(), data), examine_with(sound(), flipping(), data)}) {
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].cls == FindingClass::host_memory);
        CHECK(findings[0].lba == first + 8);
        CHECK(findings[0].sectors == 8);
    }
    const auto findings = examine_with(sound(), sound(), data);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cls == FindingClass::bit_flip);
}

TEST_CASE("a difference that is gone at the second look is the computer's") {
    const auto data = made(some_id, first, {3}, 16);
    const auto findings = examine_with(mistrusting(), sound(), data);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cls == FindingClass::host_memory);
    CHECK(findings[0].sectors == 16);
    CHECK(findings[0].expected_bytes == findings[0].actual_bytes);
}
