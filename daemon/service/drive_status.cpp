#include "block/drive_list.h"
#include "service/status.h"
#include "service/supervisor.h"

#include <set>

#include <fmt/format.h>

namespace wearout::service {

namespace {

control::DriveStatus describe(const Drive& drive, const store::Store& store) {
    control::DriveStatus status;
    status.key = drive.key;
    status.by_id = drive.by_id;
    status.model = drive.model;
    status.serial = drive.serial;
    status.firmware = drive.firmware;
    status.transport = drive.transport;
    status.capacity_bytes = drive.capacity.value;
    status.logical_block_bytes = drive.logical_block_bytes;
    status.simulated = drive.simulated;
    if (const auto known = store.drive(drive.key)) status.written_bytes = known->written.value;
    status.wear = wear_of(store.last_sample(drive.key));
    const auto runs = store.runs(drive.key);
    if (!runs.empty() && runs.back().spec.rating) {
        status.rating_bytes = runs.back().spec.rating->value;
        status.rating_source = runs.back().spec.rating_source;
    }
    return status;
}

}  // namespace

std::vector<control::DriveStatus> Supervisor::drives() const {
    const auto present = block::list_drives(environment_.protected_paths);
    const std::scoped_lock lock(mutex_);
    std::vector<control::DriveStatus> statuses;
    std::set<std::string> seen;
    const auto add = [&](control::DriveStatus status) {
        if (const auto* session = session_on(status.key)) {
            status.run = session->id().value;
            status.reasons = {fmt::format("run {} is on it", session->id().value)};
        }
        seen.insert(status.key);
        statuses.push_back(std::move(status));
    };
    for (const auto& listed : present) {
        auto status = describe(listed.drive, environment_.store);
        status.path = listed.path;
        status.reasons = listed.reasons;
        add(std::move(status));
    }
    // Files and simulated drives are known from their runs only, and drives that are away too.
    for (const auto& known : environment_.store.drives()) {
        if (seen.contains(known.drive.key)) continue;
        auto status = describe(known.drive, environment_.store);
        const auto runs = environment_.store.runs(known.drive.key);
        if (!runs.empty()) status.path = runs.back().spec.target;
        if (known.drive.transport != "file" && !known.drive.simulated)
            status.reasons = {"it is not there now"};
        add(std::move(status));
    }
    return statuses;
}

}  // namespace wearout::service
