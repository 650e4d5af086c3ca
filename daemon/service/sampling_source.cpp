#include "service/sampling_source.h"

#include "base/error.h"
#include "health/nvme_source.h"
#include "health/usb_source.h"
#include "service/log.h"

#include <utility>

#include <fmt/format.h>

namespace wearout::service {

namespace {

health::SmartctlOptions smartctl_options(const std::string& drive_key, const Asking& asking) {
    return {.program = asking.config.smartctl,
            .extra_arguments = {},
            .timeout = asking.config.smartctl_timeout,
            .stop = asking.stop,
            .limits = {},
            .drive_key = drive_key,
            .may_sleep = asking.idle};
}

health::TypeMemory type_memory(const std::string& drive_key, store::Store& store) {
    return {.known = store.device_type(drive_key), .remember = [&store, drive_key](const std::string& type) {
                log(LogLevel::info,
                    type.empty()
                        ? fmt::format("{}: the device type for smartctl does not work any more", drive_key)
                        : fmt::format("{}: smartctl can ask it as '{}'", drive_key, type));
                try {
                    store.remember_device_type(drive_key, type);
                } catch (const StorageUnavailable& error) {
                    log(LogLevel::warning, fmt::format("{}: its device type for smartctl is not kept: {}",
                                                       drive_key, error.what()));
                }
            }};
}

}  // namespace

std::shared_ptr<health::HealthSource> make_health_source(const block::OpenTarget& target,
                                                         const Asking& asking) {
    if (target.device_path.empty()) return nullptr;
    const Drive& drive = target.drive;
    auto expected = health::expected_of(drive);
    auto options = smartctl_options(drive.key, asking);
    if (const auto* given = find_smart_device(asking.config.smart_devices, drive)) {
        options.extra_arguments = {"-d", given->type};
        // A controller's volume has a name of its own, which says nothing of the drive in it.
        if (!given->serial.empty()) expected = {.serial = given->serial, .wwn = {}, .capacity = {}};
        return health::same_drive_source(health::smartctl_source(given->path, std::move(options)),
                                         std::move(expected), true);
    }
    if (drive.transport == "usb")
        return health::same_drive_source(
            health::usb_source(target.device_path, std::move(options), expected,
                               type_memory(drive.key, asking.store), asking.clock),
            expected);
    const health::NvmeSourceOptions for_logs{
        .timeout = options.timeout, .stop = options.stop, .drive_key = drive.key};
    return health::same_drive_source(
        health::with_nvme_logs(health::smartctl_source(target.device_path, std::move(options)),
                               target.device_path, for_logs),
        std::move(expected));
}

}  // namespace wearout::service
