#include "block/sim/sim_target.h"

#include "base/error.h"
#include "block/sim/sim_device.h"
#include "block/sim/sim_image.h"
#include "block/sim/sim_options.h"

#include <filesystem>
#include <system_error>

namespace wearout::block {

namespace {

std::filesystem::path folder_of(const OpenOptions& open) {
    if (open.state_dir.empty())
        throw Failure(ExitCode::usage, "a simulated drive needs a state directory to be kept in");
    return std::filesystem::path(open.state_dir) / "sim";
}

std::string path_of(const std::string& name, const OpenOptions& open) {
    return folder_of(open) / (name + ".sim");
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Failure(ExitCode::unreachable, errno_text(folder, error.value()));
}

/// What the drive is, or would be; `exists` says which.
sim::SimGeometry geometry_of(const std::string& name, const sim::Options& options, const OpenOptions& open,
                             bool& exists) {
    sim::check_name(name);
    const auto stored = sim::Image::peek(path_of(name, open));
    exists = stored.has_value();
    if (!stored && !open.may_create)
        throw Failure(ExitCode::unreachable, "sim:" + name + ": there is no such simulated drive");
    if (!stored) return sim::plan_geometry(name, options);
    sim::check_agrees(*stored, name, options);
    return *stored;
}

}  // namespace

SimOpened open_simulated(const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& options,
                         const OpenOptions& open, Clock& clock) {
    bool exists = false;
    const sim::SimGeometry geometry = geometry_of(name, options, open, exists);
    const std::string path = path_of(name, open);
    if (!exists && open.reads_only)
        throw Failure(ExitCode::unreachable, "sim:" + name + ": there is no such simulated drive to read");
    if (!exists) make_folder(folder_of(open));
    sim::Image image = exists ? sim::Image::open(path) : sim::Image::create(path, geometry);
    return {.drive = sim::describe(name, geometry),
            .device = std::make_unique<sim::SimDevice>(name, std::move(image), open, clock),
            .created = !exists};
}

Drive describe_simulated(const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& options,
                         const OpenOptions& open) {
    bool exists = false;
    return sim::describe(name, geometry_of(name, options, open, exists));
}

const SmartFace* smart_face(const BlockDevice& device) {
    return dynamic_cast<const SmartFace*>(&device);
}

}  // namespace wearout::block
