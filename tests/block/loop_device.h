#pragma once

#include "base/fd.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace wearout::test {

/// A loop device over memory of its own, any size, sparse. The kernel detaches it when this goes away, even
/// when the process dies.
class LoopDevice {
  public:
    LoopDevice(std::uint64_t size, std::uint32_t block, std::uint32_t flags = 0)
        : backing_(::memfd_create("wearout-test", MFD_CLOEXEC)) {
        if (!backing_ || ::ftruncate(backing_.get(), static_cast<off_t>(size)) != 0)
            throw std::runtime_error("no memory for a loop device");
        attach(block, flags | LO_FLAGS_AUTOCLEAR);
    }

    /// Says why not in the test's output.
    [[nodiscard]] static bool possible() {
        const bool can = ::geteuid() == 0 && ::access("/dev/loop-control", R_OK | W_OK) == 0;
        if (!can) MESSAGE("skipped: needs root and /dev/loop-control");
        return can;
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string name() const { return path_.substr(5); }
    [[nodiscard]] int backing() const { return backing_.get(); }
    [[nodiscard]] int fd() const { return loop_.get(); }

    /// What a held descriptor sees after a hot removal: a size of 0.
    void vanish() {
        if (::ftruncate(backing_.get(), 0) != 0 || ::ioctl(loop_.get(), LOOP_SET_CAPACITY, 0) != 0)
            throw std::runtime_error("the loop device does not shrink");
    }

  private:
    void attach(std::uint32_t block, std::uint32_t flags) {
        const Fd control = Fd::open("/dev/loop-control", O_RDWR);
        for (int attempt = 0; attempt < 100; ++attempt) {  // Others take loop devices at the same time.
            const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
            if (number < 0) break;
            path_ = "/dev/loop" + std::to_string(number);
            if (::access(path_.c_str(), F_OK) != 0) break;
            loop_ = Fd::open(path_, O_RDWR);
            loop_config config{};
            config.fd = static_cast<std::uint32_t>(backing_.get());
            config.block_size = block;
            config.info.lo_flags = flags;
            if (::ioctl(loop_.get(), LOOP_CONFIGURE, &config) == 0) return;
            if (errno != EBUSY) break;
        }
        throw std::runtime_error("no loop device to be had");
    }

    Fd backing_;
    Fd loop_;
    std::string path_;
};

}  // namespace wearout::test
