#include "block/memory_device.h"

#include "block/io_helpers.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

bool all_equal(std::span<const std::byte> bytes, std::byte value) {
    return std::ranges::all_of(bytes, [value](std::byte byte) { return byte == value; });
}

}  // namespace

TEST_CASE("twenty terabytes are addressed in a few pages of memory") {
    const std::uint64_t capacity = 20'000'000'000'000;
    MemoryMedia media(Geometry{{capacity}, 512});
    MemoryDevice device(media);
    const test::Data data = test::random_data(8192, 1);
    for (const std::uint64_t offset : {std::uint64_t{0}, (std::uint64_t{1} << 44U) - 4096, capacity - 8192}) {
        CHECK(test::is_done(test::write(device, offset, data)));
        CHECK(test::read(device, offset, data.size()) == data);
    }
    CHECK(all_equal(test::read(device, mib, 4096), std::byte{0}));
    CHECK(media.pages_in_memory() == 6);
}

TEST_CASE("completions in a shuffled order are each the request's own") {
    rc::check([](std::uint64_t seed) {
        MemoryMedia media(Geometry{{64 * 512}, 512});
        MemoryDevice device(media, {.queue_depth = 8, .transfer_bytes = 4096, .shuffle_seed = seed | 1});
        test::Data model = test::random_data(64 * 512, seed);
        media.write(0, model);
        for (int round = 0; round < 8; ++round) {
            // Eight requests over a part each, so that their order does not matter for what they leave.
            for (std::uint32_t i = 0; i < 8; ++i) {
                const auto data = test::random_data(4096, *rc::gen::arbitrary<std::uint64_t>());
                const bool writes = *rc::gen::arbitrary<bool>();
                if (writes) {
                    std::ranges::copy(data, device.buffer(i).begin());
                    std::ranges::copy(data, model.begin() + i * 4096);
                }
                device.submit({writes ? IoKind::write : IoKind::read, i * 4096, 4096, i});
            }
            std::array<IoCompletion, 8> out;
            for (std::size_t taken = 0; taken < 8;) {
                const std::size_t count = device.reap(out, std::chrono::seconds(1));
                RC_ASSERT(count > 0);
                for (const IoCompletion& one : std::span(out).first(count))
                    RC_ASSERT(
                        std::ranges::equal(device.buffer(one.request.buffer),
                                           std::span(model).subspan(one.request.offset, one.request.length)));
                taken += count;
            }
        }
    });
}

TEST_CASE("a power cut keeps what was flushed and, per sector, some of what was not") {
    constexpr std::uint64_t size = 256 * 1024;
    rc::check([](std::uint64_t seed) {
        MemoryMedia media(Geometry{{size}, 512}, true, seed);
        {
            MemoryDevice device(media);
            RC_ASSERT(test::is_done(test::write(device, 0, test::Data(size, std::byte{1}))));
            RC_ASSERT(test::is_done(device.flush()));
            RC_ASSERT(test::is_done(test::write(device, 0, test::Data(size / 2, std::byte{2}))));
            RC_ASSERT(test::is_done(test::write(device, 0, test::Data(size / 4, std::byte{3}))));
            device.cut_power();
        }
        test::Data after(size);
        media.read(0, after);
        std::array<std::array<int, 4>, 4> sectors_with{};  // By quarter of the media, by version.
        for (std::size_t at = 0; at < size; at += 512) {
            const auto sector = std::span(after).subspan(at, 512);
            RC_ASSERT(all_equal(sector, sector[0]));  // A sector is written whole or not at all.
            ++sectors_with.at(at / (size / 4)).at(std::to_integer<std::size_t>(sector[0]));
        }
        for (const int version : {1, 2, 3})
            RC_ASSERT(sectors_with[0].at(static_cast<std::size_t>(version)) > 10);
        RC_ASSERT(sectors_with[1][1] > 10);
        RC_ASSERT(sectors_with[1][2] > 10);
        RC_ASSERT(sectors_with[1][3] == 0);
        RC_ASSERT(sectors_with[2][1] == 128);
        RC_ASSERT(sectors_with[3][1] == 128);
    });
}

TEST_CASE("writes under way when power goes arrive in part") {
    MemoryMedia media(Geometry{{mib}, 512}, true, 7);
    MemoryDevice device(media);
    std::ranges::fill(device.buffer(0), std::byte{9});
    device.submit({IoKind::write, 0, mib, 0});
    device.cut_power();
    std::array<IoCompletion, 1> out;
    CHECK(device.reap(out, std::chrono::seconds(1)) == 0);
    test::Data after(mib);
    media.read(0, after);
    const auto arrived = std::ranges::count(after, std::byte{9}) / 512;
    CHECK(arrived > 100);
    CHECK(arrived < 1900);
}

TEST_CASE("the same seed loses the same sectors") {
    const auto cut = [](std::uint64_t seed) {
        MemoryMedia media(Geometry{{mib}, 512}, true, seed);
        media.write(0, test::random_data(mib, 3));
        media.cut_power();
        test::Data after(mib);
        media.read(0, after);
        return after;
    };
    CHECK(cut(5) == cut(5));
    CHECK(cut(5) != cut(6));
}

TEST_CASE("what happens behind the drive's back survives a power cut") {
    MemoryMedia media(Geometry{{4096}, 512});
    media.write(0, test::Data(4096, std::byte{1}));
    media.corrupt(700, test::Data(3, std::byte{0xee}));
    media.cut_power();
    test::Data after(3);
    media.read(700, after);
    CHECK(all_equal(after, std::byte{0xee}));
}

TEST_CASE("without a write cache nothing is lost") {
    MemoryMedia media(Geometry{{4096}, 512}, false);
    media.write(0, test::Data(4096, std::byte{1}));
    CHECK(media.cut_power() == 0);
}

TEST_CASE("service time is spent on the clock and seen as latency") {
    ManualClock clock;
    MemoryMedia media(Geometry{{mib}, 4096});
    MemoryDevice device(media, {.service_time = std::chrono::milliseconds(3)}, clock);
    const SteadyTime start = clock.steady();
    device.submit({IoKind::read, 0, 4096, 0});
    CHECK(test::reap_one(device).latency == std::chrono::milliseconds(3));
    CHECK(clock.steady() - start == std::chrono::milliseconds(3));
}
