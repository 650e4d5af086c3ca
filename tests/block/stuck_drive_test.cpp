#include "block/io_helpers.h"
#include "block/loop_device.h"
#include "block/uring_device.h"
#include "support/scratch_dir.h"

#include <filesystem>
#include <linux/fs.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using test::LoopDevice;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

/// An ext4 file system on a loop device of its own. Frozen, it makes every write hang in the kernel, as a
/// drive does that answers no more.
class Freezer {
  public:
    Freezer() : loop_(16 * mib, 512) {
        const std::string program = "mkfs.ext4";
        std::string quiet = "-q";
        std::string device = loop_.path();
        std::string name = program;
        char* arguments[] = {name.data(), quiet.data(), device.data(), nullptr};
        pid_t child = 0;
        int status = 0;
        REQUIRE(::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0);
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(status == 0);
        std::filesystem::create_directory(mount_point_);
        REQUIRE(::mount(device.c_str(), mount_point_.c_str(), "ext4", 0, nullptr) == 0);
    }
    ~Freezer() {
        thaw();
        ::umount2(mount_point_.c_str(), MNT_DETACH);
    }
    Freezer(const Freezer&) = delete;
    Freezer& operator=(const Freezer&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return mount_point_ + "/" + name; }
    void freeze() {
        folder_ = Fd::open(mount_point_, O_RDONLY | O_DIRECTORY);
        REQUIRE(::ioctl(folder_.get(), FIFREEZE, 0) == 0);
    }
    void thaw() {
        if (folder_) ::ioctl(folder_.get(), FITHAW, 0);
        folder_.reset();
    }

  private:
    LoopDevice loop_;
    test::ScratchDir dir_;
    std::string mount_point_ = dir_.file("mount");
    Fd folder_;
};

}  // namespace

TEST_CASE("requests overlap, and reap returns in time from a drive that is stuck in the kernel") {
    if (!LoopDevice::possible()) return;
    Freezer freezer;
    Fd fd = Fd::open(freezer.file("drive"), O_RDWR | O_CREAT | O_DIRECT);
    REQUIRE(::ftruncate(fd.get(), 4 * mib) == 0);
    UringDevice device(std::move(fd), {{4 * mib}, 4096}, {4, 65536});
    freezer.freeze();
    const SteadyTime start = system_clock().steady();
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::ranges::fill(device.buffer(i), std::byte{7});
        device.submit({IoKind::write, i * 65536UL, 65536, i});
    }
    std::array<IoCompletion, 4> out;
    CHECK(device.reap(out, std::chrono::milliseconds(200)) == 0);
    CHECK(system_clock().steady() - start < std::chrono::seconds(60));
    freezer.thaw();
    for (int i = 0; i < 4; ++i) {
        const IoCompletion completion = test::reap_one(device);
        CHECK(test::is_done(completion.outcome));
        CHECK(completion.latency >= std::chrono::milliseconds(200));
    }
    CHECK(test::read(device, 0, 4 * 65536) == test::Data(4 * 65536, std::byte{7}));
}

TEST_CASE("a file system that is full is a failed write, not a missing drive") {
    if (!LoopDevice::possible()) return;
    Freezer small;
    Fd fd = Fd::open(small.file("drive"), O_RDWR | O_CREAT | O_DIRECT);
    REQUIRE(::ftruncate(fd.get(), 64 * mib) == 0);
    UringDevice device(std::move(fd), {{64 * mib}, 4096}, {4, mib});
    CHECK(test::failed_with(test::write(device, 0, test::Data(64 * mib))) == ENOSPC);
    CHECK(test::is_done(test::write(device, 0, test::Data(mib))));
}
