#include "block/uring_device.h"

#include "base/error.h"
#include "block/io_helpers.h"
#include "support/scratch_dir.h"

#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

Fd make_file(const std::string& path, std::uint64_t size) {
    Fd fd = Fd::open(path, O_RDWR | O_CREAT | O_DIRECT);
    REQUIRE(::ftruncate(fd.get(), static_cast<off_t>(size)) == 0);
    return fd;
}

/// A device over a new file of its own.
struct FileDevice {
    explicit FileDevice(std::uint64_t size, std::uint32_t block = 512, std::uint32_t depth = 4,
                        std::uint32_t transfer = 65536)
        : device(make_file(path, size), {{size}, block}, {depth, transfer}) {}
    test::ScratchDir dir;
    std::string path = dir.file("drive");
    UringDevice device;
};

/// As an ordinary user who may lock 64 KiB: enough for a ring, too little for its buffers.
class SmallMemlock {
  public:
    SmallMemlock() {
        REQUIRE(::getrlimit(RLIMIT_MEMLOCK, &before_) == 0);
        const rlimit small{65536, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_MEMLOCK, &small) == 0);
        if (user_ == 0) REQUIRE(::seteuid(65534) == 0);  // Root may lock what it likes.
    }
    ~SmallMemlock() {
        if (user_ == 0) static_cast<void>(::seteuid(0));
        static_cast<void>(::setrlimit(RLIMIT_MEMLOCK, &before_));
    }
    SmallMemlock(const SmallMemlock&) = delete;
    SmallMemlock& operator=(const SmallMemlock&) = delete;

  private:
    rlimit before_{};
    uid_t user_ = ::geteuid();
};

}  // namespace

TEST_CASE("what was written is read back, to the last byte of a file that ends in an odd sector") {
    FileDevice file(3 * mib + 512);
    const test::Data data = test::random_data(3 * mib + 512, 1);
    CHECK(test::is_done(test::write(file.device, 0, data)));
    CHECK(test::is_done(file.device.flush()));
    CHECK(test::read(file.device, 0, data.size()) == data);
    CHECK(test::read(file.device, 3 * mib, 512) == test::Data(data.end() - 512, data.end()));
}

TEST_CASE("random requests at random depths leave what a byte array holds") {
    rc::check([] {
        const std::uint32_t block = *rc::gen::element(512U, 4096U);
        const std::uint64_t blocks = *rc::gen::inRange<std::uint64_t>(1, 200);
        const std::uint32_t depth = *rc::gen::inRange(1U, 9U);
        FileDevice file(blocks * block, block, depth, 32768);
        test::Data model(blocks * block);
        std::vector<IoCompletion> out(depth);
        std::vector<test::Data> expected(depth);
        std::set<std::uint32_t> idle;
        for (std::uint32_t i = 0; i < depth; ++i)
            idle.insert(i);
        const auto take = [&](std::chrono::milliseconds wait) {
            const std::size_t count = file.device.reap(out, wait);
            for (const IoCompletion& one : std::span(out).first(count)) {
                RC_ASSERT(test::is_done(one.outcome));
                RC_ASSERT(one.latency.count() > 0);
                const auto data = file.device.buffer(one.request.buffer).first(one.request.length);
                if (one.request.kind == IoKind::read)
                    RC_ASSERT(std::ranges::equal(data, expected[one.request.buffer]));
                RC_ASSERT(idle.insert(one.request.buffer).second);
            }
        };
        const int operations = *rc::gen::inRange(1, 60);
        std::uint64_t fence =
            0;  // Requests that overlap have no order, so a second walk waits for the first.
        for (int i = 0; i < operations; ++i) {
            const std::uint64_t length =
                *rc::gen::inRange<std::uint64_t>(1, 1 + std::min<std::uint64_t>(blocks, 32768 / block));
            std::uint64_t first = fence;
            if (first + length > blocks) {
                while (idle.size() < depth)
                    take(std::chrono::seconds(10));
                first = *rc::gen::inRange<std::uint64_t>(0, blocks - length + 1);
            }
            fence = first + length;
            while (idle.empty())
                take(std::chrono::seconds(10));
            const std::uint32_t buffer = *idle.begin();
            idle.erase(idle.begin());
            const auto bytes = file.device.buffer(buffer).first(length * block);
            const auto place = std::span(model).subspan(first * block, length * block);
            IoRequest request{IoKind::read, first * block, static_cast<std::uint32_t>(length * block),
                              buffer};
            if (*rc::gen::arbitrary<bool>()) {
                request.kind = IoKind::write;
                const auto data = test::random_data(bytes.size(), static_cast<std::uint64_t>(i) + 1);
                std::ranges::copy(data, bytes.begin());
                std::ranges::copy(data, place.begin());
            } else {
                expected[buffer].assign(place.begin(), place.end());
            }
            file.device.submit(request);
        }
        while (idle.size() < depth)
            take(std::chrono::seconds(10));
        RC_ASSERT(test::read(file.device, 0, model.size()) == model);
    });
}

TEST_CASE("reap returns at once when nothing is under way") {
    FileDevice file(mib);
    std::array<IoCompletion, 4> out;
    const SteadyTime start = system_clock().steady();
    CHECK(file.device.reap(out, std::chrono::minutes(5)) == 0);
    CHECK(system_clock().steady() - start < std::chrono::minutes(1));
}

TEST_CASE("requests that break the contract are programming errors") {
    FileDevice file(mib, 4096);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 512, 4096, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 0, 512, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 0, 0, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, mib - 4096, 8192, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, UINT64_MAX - 4095, 4096, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 0, 69632, 0}), std::logic_error);
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 0, 4096, 4}), std::logic_error);
    file.device.submit({IoKind::read, 0, 4096, 0});
    CHECK_THROWS_AS(file.device.submit({IoKind::read, 4096, 4096, 0}), std::logic_error);
    test::reap_one(file.device);
    CHECK_NOTHROW(file.device.submit({IoKind::read, 4096, 4096, 0}));
}

TEST_CASE("a file that lost its end answers what is left with EIO, and not for a bad reason") {
    FileDevice file(mib);
    REQUIRE(::truncate(file.path.c_str(), 16384) == 0);
    file.device.submit({IoKind::read, 0, 65536, 0});
    CHECK(test::failed_with(test::reap_one(file.device).outcome) == EIO);
    file.device.submit({IoKind::read, 0, 16384, 0});
    CHECK(test::is_done(test::reap_one(file.device).outcome));
}

TEST_CASE("a write through a descriptor that only reads is a failure of that request alone") {
    test::ScratchDir dir;
    make_file(dir.file("drive"), mib);
    UringDevice device(Fd::open(dir.file("drive"), O_RDONLY | O_DIRECT), {{mib}, 512}, {});
    CHECK(test::failed_with(test::write(device, 0, test::Data(4096))) == EBADF);
    CHECK(test::read(device, 0, 4096) == test::Data(4096));
}

TEST_CASE("a device made in one thread works in another") {
    FileDevice file(mib);
    const test::Data data = test::random_data(mib, 2);
    std::thread([&file, &data] {
        UringDevice device(Fd::open(file.path, O_RDWR | O_DIRECT), {{mib}, 512}, {});
        CHECK(test::is_done(test::write(device, 0, data)));
    }).join();
    auto device = std::make_unique<UringDevice>(Fd::open(file.path, O_RDWR | O_DIRECT), Geometry{{mib}, 512},
                                                UringOptions{});
    std::thread([&device, &data] {
        CHECK(test::read(*device, 0, data.size()) == data);
        device.reset();
    }).join();
}

TEST_CASE("the destructor waits for writes that are under way") {
    test::ScratchDir dir;
    const test::Data data = test::random_data(16 * 65536, 3);
    {
        UringDevice device(make_file(dir.file("drive"), mib), {{mib}, 512}, {16, 65536});
        for (std::uint32_t i = 0; i < 16; ++i) {
            std::ranges::copy(std::span(data).subspan(i * 65536UL, 65536), device.buffer(i).begin());
            device.submit({IoKind::write, i * 65536UL, 65536, i});
        }
    }
    UringDevice device(Fd::open(dir.file("drive"), O_RDWR | O_DIRECT), {{mib}, 512}, {});
    CHECK(test::read(device, 0, data.size()) == data);
}

TEST_CASE("without enough memory that may be locked the buffers work unregistered") {
    test::ScratchDir dir;
    Fd fd = make_file(dir.file("drive"), mib);
    std::unique_ptr<UringDevice> device;
    {
        const SmallMemlock small;
        device = std::make_unique<UringDevice>(std::move(fd), Geometry{{mib}, 512}, UringOptions{});
    }
    CHECK_FALSE(device->buffers_registered());
    const test::Data data = test::random_data(mib, 4);
    CHECK(test::is_done(test::write(*device, 0, data)));
    CHECK(test::read(*device, 0, mib) == data);
}

TEST_CASE("buffered: what is flushed is read from media again") {
    test::ScratchDir dir;
    Fd fd = Fd::open(dir.file("drive"), O_RDWR | O_CREAT);
    REQUIRE(::ftruncate(fd.get(), mib) == 0);
    UringDevice device(std::move(fd), {{mib}, 512}, {4, 65536, true});
    const test::Data data = test::random_data(mib, 5);
    CHECK(test::is_done(test::write(device, 0, data)));
    CHECK(test::is_done(device.flush()));
    CHECK(test::read(device, 0, mib) == data);
}
