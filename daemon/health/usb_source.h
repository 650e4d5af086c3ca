#pragma once

#include "base/clock.h"
#include "health/same_drive.h"
#include "health/smartctl.h"

#include <functional>
#include <memory>
#include <string>

namespace wearout::health {

/// Where the device type that works for a drive is kept.
struct TypeMemory {
    std::string known;  ///< Of the last time; empty: none.
    /// Called on the asking thread, and not after the options' stop was requested. Empty: forget it.
    std::function<void(const std::string&)> remember;
};

/// Asks a drive behind a USB bridge: with the device type that worked last, else as smartctl finds it out,
/// and where it can't, with one type after the other (device_types_to_try), which takes at most the time-out
/// of one question in all. A type is taken when its answer has wear counters and is this drive's; then it is
/// remembered. Types are tried once, and again only after an hour without any answer.
[[nodiscard]] std::unique_ptr<HealthSource> usb_source(std::string device_path, SmartctlOptions options,
                                                       Expected expected, TypeMemory memory, Clock& clock);

}  // namespace wearout::health
