#include "block/fault_device.h"

#include "block/io_helpers.h"
#include "block/memory_device.h"

#include <bit>
#include <cstring>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t capacity = 64 * 1024;

/// A drive in memory that lies.
struct Liar {
    explicit Liar(std::uint64_t seed = 1, std::uint32_t block = 512)
        : media(Geometry{{capacity}, block}),
          device(std::make_unique<MemoryDevice>(media, MemoryOptions{4, 16384, 0, {}}, clock), seed, clock) {
        media.write(0, test::random_data(capacity, 99));
    }
    [[nodiscard]] test::Data content() const {
        test::Data data(capacity);
        media.read(0, data);
        return data;
    }
    ManualClock clock;
    MemoryMedia media;
    FaultDevice device;
};

/// What the media must hold after a write and what the log says was done to it.
void apply_to_model(test::Data& model, std::uint64_t offset, const test::Data& data,
                    std::span<const FaultRecord> log) {
    test::Data wanted = data;
    const auto range = [](auto& bytes, std::uint64_t at, std::uint64_t length) {
        return std::span(bytes).subspan(at, length);
    };
    for (const FaultRecord& record : log) {
        const auto hit = range(wanted, record.offset - offset, record.length);
        switch (record.kind) {
            case FaultKind::flip_on_write:
                hit[0] ^= std::byte{record.mask};
                break;
            case FaultKind::zeroed_write:
                std::ranges::fill(hit, std::byte{0});
                break;
            case FaultKind::misdirected_write:
                std::ranges::copy(test::Data(hit.begin(), hit.end()),
                                  range(model, record.to, record.length).begin());
                [[fallthrough]];
            case FaultKind::lost_write:
            case FaultKind::torn_write:
                std::ranges::copy(range(model, record.offset, record.length), hit.begin());
                break;
            case FaultKind::flip_on_read:
            case FaultKind::read_error:
            case FaultKind::write_error:
            case FaultKind::flush_error:
            case FaultKind::stall:
            case FaultKind::drive_gone:
                RC_FAIL("a kind that changes no media");
        }
    }
    std::ranges::copy(wanted, model.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

TEST_CASE("the log tells every difference on the media, and nothing else is touched") {
    rc::check([](std::uint64_t seed) {
        const std::uint32_t block = *rc::gen::element(512U, 4096U);
        Liar liar(seed, block);
        for (const FaultKind kind : {FaultKind::flip_on_write, FaultKind::lost_write, FaultKind::torn_write,
                                     FaultKind::misdirected_write, FaultKind::zeroed_write}) {
            Fault fault{.kind = kind, .times = Fault::always, .one_in = 4, .bits = 3};
            if (*rc::gen::arbitrary<bool>()) {
                fault.offset = *rc::gen::inRange<std::uint64_t>(0, capacity);
                fault.length = *rc::gen::inRange<std::uint64_t>(1, 20000);
            }
            liar.device.add(fault);
        }
        test::Data model = liar.content();
        for (std::uint64_t i = 0; i < 30; ++i) {
            const std::uint64_t length = *rc::gen::inRange<std::uint64_t>(1, 16384 / block + 1) * block;
            const std::uint64_t offset =
                *rc::gen::inRange<std::uint64_t>(0, (capacity - length) / block) * block;
            const test::Data data = test::random_data(length, seed + i);
            const std::size_t before = liar.device.log().size();
            RC_ASSERT(test::is_done(test::write(liar.device, offset, data)));
            RC_ASSERT(std::ranges::equal(liar.device.buffer(0).first(length), data));
            apply_to_model(model, offset, data, std::span(liar.device.log()).subspan(before));
            RC_ASSERT(liar.content() == model);
        }
    });
}

TEST_CASE("a flipped bit in an answer is in the answer only") {
    Liar liar;
    const test::Data content = liar.content();
    liar.device.add({.kind = FaultKind::flip_on_read, .offset = 5000, .length = 1});
    test::Data answer = test::read(liar.device, 4096, 4096);
    REQUIRE(liar.device.log().size() == 1);
    const FaultRecord& record = liar.device.log()[0];
    CHECK(record.offset == 5000);
    CHECK(std::popcount(record.mask) == 1);
    answer[5000 - 4096] ^= std::byte{record.mask};
    CHECK(std::ranges::equal(answer, std::span(content).subspan(4096, 4096)));
    CHECK(liar.content() == content);
    CHECK(test::read(liar.device, 0, capacity) == content);
}

TEST_CASE("as many bits as asked for are flipped, all different") {
    Liar liar;
    liar.device.add({.kind = FaultKind::flip_on_write, .offset = 100, .length = 1, .bits = 8});
    test::write(liar.device, 0, test::Data(512));
    CHECK(liar.content()[100] == std::byte{0xff});
    CHECK(liar.device.log().size() == 8);
}

TEST_CASE("a rule waits, hits as often as it says, and only in its range") {
    Liar liar;
    liar.device.add({.kind = FaultKind::write_error,
                     .offset = 8192,
                     .length = 512,
                     .after = 2,
                     .times = 2,
                     .error = EREMOTEIO});
    std::vector<int> errors;
    for (int i = 0; i < 6; ++i) {
        CHECK(test::is_done(test::write(liar.device, 8704, test::Data(512))));
        errors.push_back(test::failed_with(test::write(liar.device, 8192, test::Data(512))));
    }
    CHECK(errors == std::vector<int>{0, 0, EREMOTEIO, EREMOTEIO, 0, 0});
    REQUIRE(liar.device.log().size() == 2);
    CHECK(liar.device.log()[0].operation == 6);
    CHECK(liar.device.log()[0].error == EREMOTEIO);
}

TEST_CASE("an unreadable range stays unreadable, and writes to it pass") {
    Liar liar;
    liar.device.add({.kind = FaultKind::read_error, .offset = 4096, .length = 4096, .times = Fault::always});
    for (int i = 0; i < 3; ++i) {
        liar.device.submit({IoKind::read, 0, 16384, 0});
        CHECK(test::failed_with(test::reap_one(liar.device).outcome) == EIO);
    }
    CHECK(test::is_done(test::write(liar.device, 4096, test::Data(4096))));
    CHECK(test::read(liar.device, 0, 4096).size() == 4096);
}

TEST_CASE("a write that failed was not corrupted as well") {
    Liar liar;
    const test::Data content = liar.content();
    liar.device.add({.kind = FaultKind::zeroed_write});
    liar.device.add({.kind = FaultKind::write_error});
    const test::Data data = test::random_data(4096, 1);
    CHECK(test::failed_with(test::write(liar.device, 0, data)) == EIO);
    CHECK(std::ranges::equal(liar.device.buffer(0).first(4096), data));
    CHECK(liar.content() == content);
    CHECK(liar.device.log().size() == 1);
}

TEST_CASE("odds are kept, and a seed always hits the same requests") {
    const auto hits = [](std::uint64_t seed) {
        Liar liar(seed);
        liar.device.add({.kind = FaultKind::lost_write, .times = Fault::always, .one_in = 10});
        for (int i = 0; i < 2000; ++i)
            test::write(liar.device, 0, test::Data(512));
        std::vector<std::uint64_t> operations;
        for (const FaultRecord& record : liar.device.log())
            operations.push_back(record.operation);
        return operations;
    };
    CHECK(hits(3).size() > 140);
    CHECK(hits(3).size() < 260);
    CHECK(hits(3) == hits(3));
    CHECK(hits(3) != hits(4));
}

TEST_CASE("a torn unit keeps some of its sectors, never none and never all") {
    Liar liar;
    liar.device.add({.kind = FaultKind::torn_write, .times = Fault::always});
    for (int i = 0; i < 100; ++i) {
        const std::size_t before = liar.device.log().size();
        test::write(liar.device, 0, test::Data(16384));
        std::uint64_t kept = 0;
        std::uint64_t unit = UINT64_MAX;
        for (const FaultRecord& record : std::span(liar.device.log()).subspan(before)) {
            kept += record.length;
            if (unit == UINT64_MAX) unit = record.offset / 4096;
            CHECK(record.offset / 4096 == unit);
            CHECK((record.offset + record.length - 1) / 4096 == unit);
        }
        CHECK(kept >= 512);
        CHECK(kept <= 7 * 512);
    }
}

TEST_CASE("a stalled answer comes late, and others pass it") {
    Liar liar;
    liar.device.add({.kind = FaultKind::stall, .offset = 0, .length = 512, .delay = milliseconds(70)});
    liar.device.submit({IoKind::read, 0, 512, 0});
    liar.device.submit({IoKind::read, 512, 512, 1});
    CHECK(test::reap_one(liar.device).request.buffer == 1);
    std::array<IoCompletion, 1> out;
    CHECK(liar.device.reap(out, milliseconds(50)) == 0);
    CHECK(liar.device.reap(out, milliseconds(50)) == 1);
    CHECK(out[0].latency == milliseconds(70));
}

TEST_CASE("a drive that goes takes requests under way along, and may come back") {
    Liar liar;
    liar.device.add({.kind = FaultKind::drive_gone, .after = 2});
    liar.device.submit({IoKind::read, 0, 512, 0});
    liar.device.submit({IoKind::read, 0, 512, 1});
    liar.device.submit({IoKind::write, 0, 512, 2});
    for (int i = 0; i < 3; ++i)
        CHECK(test::gone_with(test::reap_one(liar.device).outcome) == ENODEV);
    CHECK(test::gone_with(liar.device.flush()) == ENODEV);
    liar.device.clear();
    CHECK(test::is_done(liar.device.flush()));
    CHECK(test::is_done(test::write(liar.device, 0, test::Data(512))));
}

TEST_CASE("a flush fails once and does not make anything durable") {
    Liar liar;
    liar.media.flush();
    liar.device.add({.kind = FaultKind::flush_error, .error = ENODATA});
    test::write(liar.device, 0, test::random_data(16384, 5));
    CHECK(test::failed_with(liar.device.flush()) == ENODATA);
    CHECK(liar.media.cut_power() > 0);
    CHECK(test::is_done(liar.device.flush()));
}
