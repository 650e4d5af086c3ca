#include "base/error.h"
#include "block/io_helpers.h"
#include "block/loop_device.h"
#include "block/target.h"
#include "block/uring_device.h"
#include "support/scratch_dir.h"

#include <fstream>
#include <linux/blkpg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using test::LoopDevice;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

OpenTarget open(const LoopDevice& loop, bool reads_only = false) {
    OpenOptions options;
    options.reads_only = reads_only;
    options.transfer_bytes = 256 * 1024;
    return open_target(parse_target(loop.path()), options);
}

void check_refused(const std::string& path, ExitCode code, const std::string& words) {
    try {
        static_cast<void>(open_target(parse_target(path), {}));
        FAIL_CHECK("not refused");
    } catch (const Failure& failure) {
        const std::string what = failure.what();
        CAPTURE(what);
        CHECK(failure.code() == code);
        CHECK(what.find(words) != std::string::npos);
    }
}

test::Data on_media(const LoopDevice& loop, std::uint64_t offset, std::size_t bytes) {
    test::Data data(bytes);
    REQUIRE(::pread(loop.backing(), data.data(), bytes, static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(bytes));
    return data;
}

/// A partition that the kernel is told of, and a node for it.
std::string add_partition(const LoopDevice& loop, const test::ScratchDir& dir) {
    blkpg_partition partition{};
    partition.start = static_cast<long long>(mib);
    partition.length = static_cast<long long>(mib);
    partition.pno = 1;
    blkpg_ioctl_arg argument{BLKPG_ADD_PARTITION, 0, sizeof partition, &partition};
    REQUIRE(::ioctl(loop.fd(), BLKPG, &argument) == 0);
    std::ifstream numbers("/sys/class/block/" + loop.name() + "p1/dev");
    unsigned major_number = 0;
    unsigned minor_number = 0;
    char colon = 0;
    numbers >> major_number >> colon >> minor_number;
    REQUIRE(numbers.fail() == false);
    std::string node = dir.file("partition");
    REQUIRE(::mknod(node.c_str(), S_IFBLK | 0600, makedev(major_number, minor_number)) == 0);
    return node;
}

}  // namespace

TEST_CASE("every byte of a disk of 512 and 4096 byte blocks, with a tail, is written and read back") {
    if (!LoopDevice::possible()) return;
    for (const std::uint32_t block : {512U, 4096U}) {
        CAPTURE(block);
        const std::uint64_t size = 3 * mib + 5ULL * block;
        const LoopDevice loop(size, block);
        const test::Data data = test::random_data(size, block);
        {
            const OpenTarget target = open(loop);
            CHECK(target.direct);
            CHECK(target.device->geometry() == Geometry{{size}, block});
            CHECK(target.drive.capacity.value == size);
            CHECK(target.drive.logical_block_bytes == block);
            CHECK(target.drive.key == identify(parse_target(loop.path()), {}).key);
            CHECK(target.device_path.empty());
            CHECK(test::is_done(test::write(*target.device, 0, data)));
            CHECK(test::is_done(target.device->flush()));
            CHECK(test::read(*target.device, 0, size) == data);
        }
        CHECK(on_media(loop, 0, size) == data);
    }
}

TEST_CASE("bytes past the last whole block are not part of the drive") {
    if (!LoopDevice::possible()) return;
    const LoopDevice loop(mib + 1536, 4096);
    CHECK(open(loop).device->geometry() == Geometry{{mib}, 4096});
    CHECK(identify(parse_target(loop.path()), {}).capacity.value == mib);
}

TEST_CASE("offsets beyond 16 TiB reach the right place") {
    if (!LoopDevice::possible()) return;
    const std::uint64_t size = 18'000'000'000'000 / 4096 * 4096 + 512;
    const LoopDevice loop(size, 512);
    const OpenTarget target = open(loop);
    REQUIRE(target.device->geometry().capacity.value == size);
    const std::uint64_t line = std::uint64_t{1} << 44U;
    const test::Data around = test::random_data(65536, 1);
    const test::Data tail = test::random_data(512, 2);
    CHECK(test::is_done(test::write(*target.device, line - 32768, around)));
    CHECK(test::is_done(test::write(*target.device, size - 512, tail)));
    CHECK(test::is_done(target.device->flush()));
    CHECK(test::read(*target.device, line - 32768, 65536) == around);
    CHECK(on_media(loop, line - 32768, 65536) == around);
    CHECK(on_media(loop, size - 512, 512) == tail);
    CHECK(on_media(loop, 0, 65536) == test::Data(65536));
}

TEST_CASE("a drive that is pulled out is gone, whatever errno it answers with") {
    if (!LoopDevice::possible()) return;
    LoopDevice loop(4 * mib, 512);
    const OpenTarget target = open(loop);
    CHECK(test::is_done(test::write(*target.device, 0, test::Data(mib))));
    loop.vanish();
    target.device->submit({IoKind::read, 0, 4096, 0});
    CHECK(test::gone_with(test::reap_one(*target.device).outcome) != 0);
    CHECK(test::gone_with(test::write(*target.device, mib, test::Data(65536))) == ENOSPC);
    // Nothing is left to flush, so that a loop device still says yes; a real drive says EIO or ENODEV.
    CHECK(test::failed_with(target.device->flush()) == 0);
}

TEST_CASE("an error just before the drive vanishes is not taken for a bad block") {
    if (!LoopDevice::possible()) return;
    LoopDevice loop(4 * mib, 512, LO_FLAGS_DIRECT_IO);
    const OpenTarget target = open(loop);
    // The media loses its end first, which the loop device answers with EIO while it still shows its size.
    REQUIRE(::ftruncate(loop.backing(), 4096) == 0);
    target.device->submit({IoKind::read, mib, 4096, 0});
    std::array<IoCompletion, 1> out;
    CHECK(target.device->reap(out, UringDevice::settle_time / 10) == 0);
    loop.vanish();
    CHECK(test::gone_with(test::reap_one(*target.device).outcome) == EIO);
}

TEST_CASE("an error of a drive that stays is a failure of that request, told after a moment") {
    if (!LoopDevice::possible()) return;
    const LoopDevice loop(4 * mib, 512, LO_FLAGS_DIRECT_IO);
    const OpenTarget target = open(loop);
    REQUIRE(::ftruncate(loop.backing(), 4096) == 0);
    target.device->submit({IoKind::read, mib, 4096, 0});
    target.device->submit({IoKind::read, 0, 4096, 1});
    CHECK(test::reap_one(*target.device).request.buffer == 1);  // The others go on meanwhile.
    const IoCompletion failed = test::reap_one(*target.device);
    CHECK(test::failed_with(failed.outcome) == EIO);
    CHECK(failed.latency < UringDevice::settle_time);
    CHECK(test::is_done(target.device->flush()));
}

TEST_CASE("a disk in use is refused, and free as soon as it is closed") {
    if (!LoopDevice::possible()) return;
    const LoopDevice loop(mib, 512);
    for (int i = 0; i < 20; ++i) {
        const OpenTarget target = open(loop);
        test::write(*target.device, 0, test::Data(4096));
        check_refused(loop.path(), ExitCode::refused, "in use");
    }
    const int mount_like = ::open(loop.path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
    REQUIRE(mount_like >= 0);
    check_refused(loop.path(), ExitCode::refused, "in use");
    ::close(mount_like);
}

TEST_CASE("a read-only disk is refused to writers and open to readers") {
    if (!LoopDevice::possible()) return;
    const LoopDevice loop(mib, 512, LO_FLAGS_READ_ONLY);
    check_refused(loop.path(), ExitCode::refused, "read-only");
    const OpenTarget target = open(loop, true);
    CHECK(test::read(*target.device, 0, mib) == test::Data(mib));
    CHECK(test::failed_with(test::write(*target.device, 0, test::Data(4096))) != 0);
}

TEST_CASE("a partition is refused by the name of its disk, whatever its node is called") {
    if (!LoopDevice::possible()) return;
    const LoopDevice loop(4 * mib, 512, LO_FLAGS_PARTSCAN);
    const test::ScratchDir dir;
    const std::string node = add_partition(loop, dir);
    check_refused(node, ExitCode::usage, "(here " + loop.path() + ")");
    CHECK_THROWS_AS(static_cast<void>(identify(parse_target(node), {})), Failure);
}

TEST_CASE("an empty slot and a disk given as a file are told apart from a drive") {
    if (!LoopDevice::possible()) return;
    LoopDevice loop(mib, 512);
    check_refused("file:" + loop.path(), ExitCode::usage, "without file:");
    loop.vanish();
    check_refused(loop.path(), ExitCode::unreachable, "no medium");
}
