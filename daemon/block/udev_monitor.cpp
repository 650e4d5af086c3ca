#include "block/udev_monitor.h"

#include "base/error.h"
#include "block/identity.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <string_view>

#include <libudev.h>

namespace wearout::block {
namespace {

/// Bytes. A shelf of drives that is switched on sends hundreds of events at once, about 1 KiB each.
constexpr int receive_buffer = 8 << 20;

std::string_view text_or_empty(const char* text) {
    return text != nullptr ? text : "";
}

std::optional<DeviceEvent::Action> action_of(udev_device* device) {
    const auto action = text_or_empty(udev_device_get_action(device));
    if (action == "add") return DeviceEvent::Action::added;
    if (action == "remove") return DeviceEvent::Action::removed;
    if (action == "change") return DeviceEvent::Action::changed;
    return std::nullopt;
}

}  // namespace

void UdevMonitor::Unref::operator()(udev* context) const noexcept {
    udev_unref(context);
}

void UdevMonitor::Unref::operator()(udev_monitor* monitor) const noexcept {
    udev_monitor_unref(monitor);
}

UdevMonitor::UdevMonitor(const System& system) : system_(system), context_(udev_new()) {
    if (!context_) throw_errno("cannot reach udev");
    udev_queue* queue = udev_queue_new(context_.get());
    const bool has_daemon = queue != nullptr && udev_queue_get_udev_is_active(queue) != 0;
    udev_queue_unref(queue);
    monitor_.reset(udev_monitor_new_from_netlink(context_.get(), has_daemon ? "udev" : "kernel"));
    if (!monitor_) throw_errno("cannot listen for devices that come and go");
    // Without leave to go above the system's limit the buffer stays smaller; then events may be missed, which
    // is told.
    udev_monitor_set_receive_buffer_size(monitor_.get(), receive_buffer);
    if (udev_monitor_filter_add_match_subsystem_devtype(monitor_.get(), "block", "disk") < 0 ||
        udev_monitor_enable_receiving(monitor_.get()) < 0)
        throw_errno("cannot listen for devices that come and go");
    // After listening has begun, so that none is missed in between.
    for (const auto& node : all_disks(system).value_or(std::vector<BlockNode>{}))
        keys_[device_path(system, node)] = identify_node(system, node).key;
}

UdevMonitor::~UdevMonitor() = default;

int UdevMonitor::fd() const noexcept {
    return udev_monitor_get_fd(monitor_.get());
}

std::string UdevMonitor::key_of(const std::string& path) const {
    try {
        return identify_device(path, system_).key;
    } catch (const Failure&) {  // Gone again already.
        return {};
    }
}

std::optional<DeviceEvent> UdevMonitor::next(std::chrono::milliseconds timeout) {
    pollfd waiting{.fd = fd(), .events = POLLIN, .revents = 0};
    const auto bounded = std::clamp<std::int64_t>(timeout.count(), 0, INT32_MAX);
    if (::poll(&waiting, 1, static_cast<int>(bounded)) <= 0) return std::nullopt;
    errno = 0;
    const std::unique_ptr<udev_device, decltype(&udev_device_unref)> device(
        udev_monitor_receive_device(monitor_.get()), &udev_device_unref);
    if (!device) {
        if (errno == ENOBUFS) return DeviceEvent{};
        return std::nullopt;
    }
    const auto action = action_of(device.get());
    const std::string path(text_or_empty(udev_device_get_devnode(device.get())));
    if (!action || path.empty()) return std::nullopt;
    if (*action == DeviceEvent::Action::removed) {
        const auto known = keys_.extract(path);
        return DeviceEvent{*action, path, known ? known.mapped() : std::string()};
    }
    // An event may be older than what sysfs says now: a drive that is gone again keeps its key for its
    // removal.
    const std::string key = key_of(path);
    if (!key.empty()) keys_[path] = key;
    return DeviceEvent{*action, path, key};
}

}  // namespace wearout::block
