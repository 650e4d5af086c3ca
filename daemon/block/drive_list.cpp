#include "block/drive_list.h"

#include "base/error.h"
#include "block/identity.h"
#include "block/safety_check.h"
#include "block/text.h"

#include <algorithm>
#include <array>

namespace wearout::block {
namespace {

/// What the kernel calls a disk and nobody a drive.
bool is_listed(const System& system, const BlockNode& node) {
    constexpr std::array<std::string_view, 11> never{"dm-", "md",     "zram", "ram",      "sr", "fd",
                                                     "zd",  "bcache", "drbd", "mtdblock", "rbd"};
    const std::string_view name = node.name;
    if (std::any_of(never.begin(), never.end(), [&](auto prefix) { return name.starts_with(prefix); }))
        return false;
    if (name.starts_with("loop")) return loop_file(node).has_value();
    if (name.starts_with("nbd")) return capacity_of(node) != 0;
    const auto slaves = stacked(system, node, "slaves");
    return !is_special_area(name) && (!slaves || slaves->empty());
}

}  // namespace

std::vector<ListedDrive> list_drives(const std::vector<std::string>& protected_paths, const System& system) {
    SafetyOptions options;
    options.protected_paths = protected_paths;
    const auto disks = all_disks(system);
    if (!disks) throw_errno("cannot list the drives: " + system.sys() + "/block");
    const SafetyCheck check(system, options);
    std::vector<ListedDrive> drives;
    for (const auto& node : *disks)
        if (is_listed(system, node))
            drives.push_back(
                {identify_node(system, node), device_path(system, node), check.reasons_against(node)});
    std::sort(drives.begin(), drives.end(),
              [](const auto& a, const auto& b) { return natural_less(a.path, b.path); });
    return drives;
}

std::string find_drive(const std::string& key, const System& system) {
    std::string found;
    for (const auto& node : all_disks(system).value_or(std::vector<BlockNode>{})) {
        if (identify_node(system, node).key != key) continue;
        if (!found.empty()) return {};
        found = device_path(system, node);
    }
    return found;
}

}  // namespace wearout::block
