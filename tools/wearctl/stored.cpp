#include "tools/wearctl/stored.h"

#include "base/error.h"
#include "tools/wearctl/select.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string keys_of(const std::vector<store::StoredDrive>& drives) {
    std::string list;
    for (const auto& stored : drives)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", stored.drive.key);
    return list;
}

Subject newest_run(const store::Store& store, const store::StoredDrive& drive) {
    const auto runs = store.runs(drive.drive.key);
    if (runs.empty())
        throw Failure(ExitCode::insufficient_data, fmt::format("no run on {} yet", drive.drive.key));
    return {drive, runs.back(), true};
}

std::optional<Subject> numbered_run(const store::Store& store, std::int64_t id) {
    auto run = store.run({id});
    if (!run) return std::nullopt;
    auto drive = store.drive(run->drive_key);
    if (!drive)
        throw Failure(ExitCode::unreachable, fmt::format("the database lacks the drive of run {}", id));
    return Subject{std::move(*drive), std::move(*run), false};
}

}  // namespace

Subject find_subject(const store::Store& store, const std::optional<std::string>& text) {
    const auto drives = store.drives();
    std::vector<store::StoredDrive> found;
    if (text) {
        const auto id = as_run_id(*text);
        if (id)
            if (auto subject = numbered_run(store, *id)) return *subject;
        std::copy_if(drives.begin(), drives.end(), std::back_inserter(found),
                     [&](const auto& stored) { return names_drive(*text, stored.drive); });
        if (found.empty())
            throw Failure(ExitCode::unreachable,
                          fmt::format("no {} '{}' in the database{}", id ? "run or drive" : "drive", *text,
                                      drives.empty() ? "" : "; there are: " + keys_of(drives)));
    } else {
        found = drives;
        if (found.empty()) throw Failure(ExitCode::insufficient_data, "no drive was tested yet");
    }
    if (found.size() > 1)
        throw usage_error(fmt::format("{}; name one: {}",
                                      text ? fmt::format("'{}' fits more than one drive", *text)
                                           : std::string("there is more than one drive"),
                                      keys_of(found)));
    return newest_run(store, found.front());
}

}  // namespace wearout::tools
