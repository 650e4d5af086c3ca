#include "block/safety.h"

#include "base/error.h"
#include "block/safety_check.h"
#include "block/text.h"

#include <cerrno>

#include <fmt/format.h>

namespace wearout::block {

std::vector<std::string> reasons_not_to_destroy(const TargetSpec& spec, const SafetyOptions& options,
                                                const System& system) {
    if (spec.kind == TargetKind::simulated) return {};
    if (spec.kind == TargetKind::file) return SafetyCheck(system, options).reasons_against_file(spec.path);
    const std::string shown = printable_path(spec.path);
    const PathFacts facts = system.stat(spec.path);
    if (facts.error != 0) return {errno_text(shown, facts.error)};
    if (facts.type != FileType::block) return {shown + " is not a block device"};
    const auto node = find_block(system, facts.device);
    if (!node)
        return {fmt::format("cannot tell what {} is: {}/dev/block/{} cannot be read", shown, system.sys(),
                            facts.device.text())};
    return SafetyCheck(system, options).reasons_against(*node);
}

std::string consent_wanted(const TargetSpec& spec, const Drive& drive, bool file_is_ours,
                           const System& system) {
    switch (spec.kind) {
        case TargetKind::simulated:
            return {};
        case TargetKind::file: {
            const PathFacts facts = system.stat(spec.path);
            const bool made_now = facts.error == ENOENT && !facts.dangling;
            return file_is_ours || made_now ? std::string() : spec.path;
        }
        case TargetKind::block_device:
            break;
    }
    if (!drive.serial.empty()) return drive.serial;
    return drive.by_id.empty() ? spec.path : drive.by_id;
}

}  // namespace wearout::block
