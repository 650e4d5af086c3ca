#include "block/udev_monitor.h"

#include "base/fd.h"
#include "scratch_disk.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using namespace wearout::test;

namespace {

/// The next event of one device; others on this machine come and go too.
std::optional<DeviceEvent> next_of(UdevMonitor& monitor, const std::string& path,
                                   DeviceEvent::Action action) {
    for (int tries = 0; tries < 200; ++tries)
        if (auto event = monitor.next(std::chrono::milliseconds(100)))
            if (event->path == path && event->action == action) return event;
    return std::nullopt;
}

}  // namespace

TEST_CASE("a device that comes, gets its medium and goes is told") {
    require_loop_devices();
    UdevMonitor monitor;
    CHECK(monitor.fd() >= 0);
    const Fd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    const int number = 1000 + ::getpid() % 100000;
    if (!control || ::ioctl(control.get(), LOOP_CTL_ADD, number) < 0) {
        MESSAGE("no loop device can be added here: left out");
        return;
    }
    const std::string path = "/dev/loop" + std::to_string(number);
    const auto added = next_of(monitor, path, DeviceEvent::Action::added);
    CHECK(added);
    if (added) CHECK(added->key == "path:" + path);

    const ScratchFolder folder;
    make_image(folder.path() + "/image", 1 << 20);
    REQUIRE(shell("losetup " + path + " " + folder.path() + "/image"));
    const auto changed = next_of(monitor, path, DeviceEvent::Action::changed);
    CHECK(changed);
    if (changed) CHECK(changed->key == "loop:" + folder.path() + "/image");
    REQUIRE(shell("losetup -d " + path));

    CHECK(::ioctl(control.get(), LOOP_CTL_REMOVE, number) >= 0);
    const auto removed = next_of(monitor, path, DeviceEvent::Action::removed);
    CHECK(removed);
    if (removed) CHECK_FALSE(removed->key.empty());
}

TEST_CASE("without an event next() returns at once when told not to wait") {
    UdevMonitor monitor;
    int events = 0;
    while (monitor.next(std::chrono::milliseconds(0)) && events < 10000)
        ++events;
    CHECK(events < 10000);
}
