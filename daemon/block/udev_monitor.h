#pragma once

#include "block/system.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

struct udev;
struct udev_monitor;

namespace wearout::block {

/// A whole block device came, went or changed.
struct DeviceEvent {
    enum class Action {
        added,
        removed,
        changed,
        missed,  ///< The kernel dropped events since nobody took them in time: look at all devices again.
    } action = Action::missed;
    std::string path;  ///< "/dev/sdb"; empty when missed.
    std::string key;   ///< Drive::key; of a removed drive what it was when last seen. Empty where not known.
};

/// Tells of drives that come and go: from udevd, which has then done its own rules and links, or where no
/// udevd runs from the kernel itself. (A network name space of one's own, as systemd's PrivateNetwork= makes,
/// gets no events.) For one thread.
class UdevMonitor {
  public:
    /// Listens from here on. Throws a Failure (unreachable).
    explicit UdevMonitor(const System& system = live_system());
    UdevMonitor(const UdevMonitor&) = delete;
    UdevMonitor& operator=(const UdevMonitor&) = delete;
    ~UdevMonitor();

    /// Readable (poll(2)) when there may be an event to take.
    [[nodiscard]] int fd() const noexcept;

    /// The next event, waiting for at most `timeout` (0: not at all) for something to come. Nothing also
    /// where what came concerns no whole block device.
    [[nodiscard]] std::optional<DeviceEvent> next(std::chrono::milliseconds timeout);

  private:
    struct Unref {
        void operator()(udev* context) const noexcept;
        void operator()(udev_monitor* monitor) const noexcept;
    };
    [[nodiscard]] std::string key_of(const std::string& path) const;

    const System& system_;
    std::unique_ptr<udev, Unref> context_;
    std::unique_ptr<udev_monitor, Unref> monitor_;
    std::map<std::string, std::string> keys_;  ///< Path → key of the devices that are there.
};

}  // namespace wearout::block
