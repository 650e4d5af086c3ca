#include "base/hash.h"
#include "pattern/crc.h"
#include "pattern/generator.h"
#include "pattern/kernel.h"
#include "pattern/pattern.h"
#include "pattern/reference.h"
#include "pattern/stamp.h"
#include "pattern/support.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::pattern;
using namespace wearout::test;

namespace {

constexpr PatternId zero_id{};
constexpr PatternId ones_id{.run = UINT64_MAX, .drive = UINT64_MAX, .seed = UINT64_MAX};

PatternId any_id() {
    return {.run = *rc::gen::arbitrary<std::uint64_t>(),
            .drive = *rc::gen::arbitrary<std::uint64_t>(),
            .seed = *rc::gen::arbitrary<std::uint64_t>()};
}

/// Small ones, and ones past 2^35, where 32 bits of units end.
Lba any_lba() {
    return {*rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 1000),
                            rc::gen::inRange<std::uint64_t>(1ULL << 35U, 1ULL << 55U))};
}

Generation any_generation() {
    return {*rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 5), rc::gen::arbitrary<std::uint32_t>())};
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

std::uint64_t fingerprint(std::span<const std::byte> bytes) {
    return fnv1a64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

TEST_CASE("the format on the media never changes") {
    struct Golden {
        PatternId id;
        Lba lba;
        Generation generation;
        std::uint64_t fingerprint;
    };
    const std::array goldens{Golden{zero_id, {0x0U}, {0U}, 0x76c4312083e0c6bfU},
                             Golden{ones_id, {0xffffffffffffffffU}, {4294967295U}, 0x9cd82ee598348e72U},
                             Golden{some_id, {0x0U}, {1U}, 0x5bab8237ff906419U},
                             Golden{some_id, {0x3e8U}, {3U}, 0x265ae429fb643b52U},
                             Golden{some_id, {0x800000001U}, {70000U}, 0x3d3acbc6e180153cU}};
    for (const auto& golden : goldens) {
        const auto bytes = made(golden.id, golden.lba, golden.generation, 1);
        CHECK(fmt::format("{:#x}", fingerprint(bytes)) == fmt::format("{:#x}", golden.fingerprint));
    }
    const auto bytes = made(some_id, {1000}, {3}, 1);
    CHECK(hex(std::span(bytes).first(96)) ==
          "bad1653af71c0cdd85280e05d3e910cfb5f3c84a9492c7b1efb83017e2c23cfc"
          "52e1cc6f0f3294df619d1b45fe0aac1579996aaee1e20bac354b789d6444332b"
          "4edd4b7b3a41176ac6271b396eddfb734e5309218f8bf4a729a0b4f1659bcfca");
}

TEST_CASE("the checksum is the CRC32C of RFC 3720") {
    constexpr std::string_view digits = "123456789";
    CHECK(slow_crc32c(std::as_bytes(std::span(digits))) == 0xe306'9283U);
    CHECK(rc::check("as the slow one computes it", [] {
        const auto sectors = *rc::gen::inRange<std::size_t>(1, 20);
        const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(sectors * sector_bytes,
                                                                          rc::gen::arbitrary<std::uint8_t>());
        const auto data = std::as_bytes(std::span(bytes));
        std::vector<std::uint32_t> crcs(sectors);
        crc_sectors(data, crcs);
        for (std::size_t i = 0; i < sectors; ++i)
            RC_ASSERT(crcs[i] == slow_crc32c(data.subspan(i * sector_bytes, sector_bytes)));
    }));
}

TEST_CASE("every kernel makes what the format says, from any sector on, at any address") {
    for (const Kernel& kernel : kernels()) {
        MESSAGE("kernel ", std::string(kernel.name));
        CHECK(rc::check(std::string(kernel.name), [&] {
            const auto id = any_id();
            const auto first = any_lba();
            const auto generation = any_generation();
            const auto sectors = *rc::gen::inRange<std::size_t>(0, 40);
            const auto misaligned = *rc::gen::inRange<std::size_t>(0, 64);
            const auto expected = slow_sectors(id, first, generation, sectors);
            std::vector<std::byte> buffer(misaligned + expected.size() + 1, std::byte{0xa5});
            const auto data = std::span(buffer).subspan(misaligned, expected.size());
            const Generator generator(id, kernel);
            generator.fill(first, generation, data);
            RC_ASSERT(std::ranges::equal(data, expected));
            RC_ASSERT(buffer.back() == std::byte{0xa5});
            RC_ASSERT(generator.same(first, generation, data));
        }));
    }
}

TEST_CASE("every kernel sees each single bit that differs, wherever it is") {
    for (const Kernel& kernel : kernels()) {
        const Generator generator(some_id, kernel);
        for (const std::size_t sectors : {std::size_t{1}, batch_sectors, batch_sectors + 3}) {
            std::vector<std::byte> data(sectors * sector_bytes);
            generator.fill({77}, {5}, data);
            std::size_t missed = 0;
            for (std::size_t bit = 0; bit < data.size() * 8; ++bit) {
                flip(data, bit);
                if (generator.same({77}, {5}, data)) ++missed;
                flip(data, bit);
            }
            CHECK(missed == 0);
            CHECK(generator.same({77}, {5}, data));
        }
    }
}

TEST_CASE("every kernel compares each payload byte itself, not only by the checksum") {
    for (const Kernel& kernel : kernels()) {
        const Generator generator(some_id, kernel);
        for (std::size_t at = stamp_bytes; at < sector_bytes; ++at) {
            auto data = slow_sector(some_id, {9}, {2});
            data[at] ^= std::byte{0x10};
            put(data, crc_offset, 0, 4);
            put(data, crc_offset, slow_crc32c(data), 4);
            CAPTURE(at);
            CHECK_FALSE(generator.same({9}, {2}, data));
        }
    }
}

TEST_CASE("a stretch does not match a neighbour's address, generation, run, drive or seed") {
    const auto data = made(some_id, {800}, {4}, 16);
    CHECK(matches(some_id, {800}, {4}, data));
    CHECK_FALSE(matches(some_id, {801}, {4}, data));
    CHECK_FALSE(matches(some_id, {800}, {5}, data));
    for (auto member : {&PatternId::run, &PatternId::drive, &PatternId::seed}) {
        PatternId other = some_id;
        other.*member ^= 1U;
        CHECK_FALSE(matches(other, {800}, {4}, data));
    }
    CHECK(matches(some_id, {800}, {4}, {}));
}

TEST_CASE("a stamp is read back from a sector alone") {
    CHECK(rc::check("what was written", [] {
        const auto id = any_id();
        const auto lba = any_lba();
        const auto generation = any_generation();
        auto data = made(id, lba, generation, 1);
        const Stamp stamp{.run = id.run, .drive = id.drive, .lba = lba, .generation = generation};
        const auto view = std::span(data).first<sector_bytes>();
        RC_ASSERT(read_stamp(view) == stamp);
        flip(data, *rc::gen::inRange<std::size_t>(0, sector_bytes * 8));
        RC_ASSERT(!read_stamp(view));
    }));
    const std::array<std::byte, sector_bytes> zeroes{};
    CHECK_FALSE(read_stamp(zeroes));
    CHECK_FALSE(peek_stamp(zeroes));
}

TEST_CASE("a sector of another format version is not read as one of ours") {
    auto data = slow_sector(some_id, {5}, {1});
    data[7] ^= std::byte{0x03};  // Version 1 becomes 2, under the mask.
    put(data, crc_offset, 0, 4);
    put(data, crc_offset, slow_crc32c(data), 4);
    CHECK_FALSE(read_stamp(std::span(data).first<sector_bytes>()));
}
