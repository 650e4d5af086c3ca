#include "block/target.h"

#include "base/error.h"
#include "block/identity.h"
#include "block/raw_target.h"
#include "block/sim/sim_target.h"
#include "block/uring_device.h"

#include <fmt/format.h>

namespace wearout::block {

namespace {

constexpr std::uint32_t deepest_queue = 1024;
constexpr std::uint32_t largest_transfer = 64U << 20U;

void check_options(const OpenOptions& options) {
    if (options.queue_depth < 1 || options.queue_depth > deepest_queue)
        throw usage_error(
            fmt::format("a queue depth of {}: 1 to {} is possible", options.queue_depth, deepest_queue));
    if (options.transfer_bytes == 0 || options.transfer_bytes % unit_bytes != 0 ||
        options.transfer_bytes > largest_transfer)
        throw usage_error(fmt::format("transfers of {} bytes: multiples of {} up to {} are possible",
                                      options.transfer_bytes, unit_bytes, largest_transfer));
}

std::unique_ptr<BlockDevice> make_device(RawTarget raw, const OpenOptions& options) {
    return std::make_unique<UringDevice>(
        std::move(raw.fd), raw.geometry,
        UringOptions{options.queue_depth, options.transfer_bytes, !raw.direct});
}

OpenTarget open_file_target(const TargetSpec& spec, const OpenOptions& options) {
    RawTarget raw = open_file(spec, options);
    OpenTarget target;
    target.drive = file_drive(raw.path, raw.geometry);
    target.direct = raw.direct;
    target.created = raw.created;
    target.device = make_device(std::move(raw), options);
    return target;
}

OpenTarget open_disk_target(const TargetSpec& spec, const OpenOptions& options) {
    RawTarget raw = open_disk(spec.path, options);
    OpenTarget target;
    target.drive = identify_device(raw.path);
    check_same(raw.fd, raw.path);
    target.drive.capacity = raw.geometry.capacity;
    target.drive.logical_block_bytes = raw.geometry.logical_block;
    if (!is_virtual_disk(raw.path)) target.device_path = raw.path;
    target.device = make_device(std::move(raw), options);
    return target;
}

Drive describe_disk(const TargetSpec& spec) {
    const std::string path = canonical_path(spec.path);
    check_disk_path(path);
    Drive drive = identify_device(path);
    if (drive.logical_block_bytes > 0)  // As open_disk does.
        drive.capacity.value -= drive.capacity.value % drive.logical_block_bytes;
    return drive;
}

OpenTarget open_simulated_target(const TargetSpec& spec, const OpenOptions& options) {
    SimOpened opened = open_simulated(spec.path, spec.options, options);
    OpenTarget target;
    target.drive = std::move(opened.drive);
    target.device = std::move(opened.device);
    target.created = opened.created;
    return target;
}

}  // namespace

Drive identify(const TargetSpec& spec, const OpenOptions& options) {
    switch (spec.kind) {
        case TargetKind::block_device:
            return describe_disk(spec);
        case TargetKind::file:
            return describe_file(spec, options);
        case TargetKind::simulated:
            return describe_simulated(spec.path, spec.options, options);
    }
    throw usage_error("unknown kind of target");
}

OpenTarget open_target(const TargetSpec& spec, const OpenOptions& options) {
    check_options(options);
    switch (spec.kind) {
        case TargetKind::block_device:
            return open_disk_target(spec, options);
        case TargetKind::file:
            return open_file_target(spec, options);
        case TargetKind::simulated:
            return open_simulated_target(spec, options);
    }
    throw usage_error("unknown kind of target");
}

}  // namespace wearout::block
