#include "block/safety_check.h"

#include "base/error.h"
#include "block/identity.h"
#include "block/text.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace wearout::block {
namespace {

namespace fs = std::filesystem;
using Reasons = std::vector<std::string>;

void append(Reasons& reasons, Reasons more) {
    std::move(more.begin(), more.end(), std::back_inserter(reasons));
}

/// The path itself or, where it is not made yet, the nearest folder above it that is.
std::pair<std::string, PathFacts> nearest_existing(const System& system, const std::string& path) {
    fs::path at = fs::path(path).lexically_normal();
    PathFacts facts = system.stat(at);
    while (facts.error == ENOENT && !facts.dangling && at.has_relative_path()) {
        at = at.parent_path();
        facts = system.stat(at);
    }
    return {at, facts};
}

}  // namespace

SafetyCheck::SafetyCheck(const System& system, const SafetyOptions& options)
    : system_(system), options_(options), uses_(system), problems_(uses_.problems()) {
    find_protected_drives();
    for (const auto& node : all_disks(system).value_or(std::vector<BlockNode>{})) {
        const std::string key = identify_node(system, node).key;
        // Loop devices on one file are found by the file itself, which has more than one name.
        if (is_lasting_key(key) && !loop_file(node)) keys_[key].push_back(device_path(system, node));
    }
}

void SafetyCheck::find_protected_drives() {
    std::vector<std::string> paths{"/"};
    paths.insert(paths.end(), options_.protected_paths.begin(), options_.protected_paths.end());
    for (const auto& path : paths) {
        const auto [nearest, facts] = nearest_existing(system_, path);
        const auto problem = [&](const std::string& why) {
            problems_.push_back(
                fmt::format("cannot tell which drive holds {}: {}", printable_path(path), why));
        };
        if (facts.error != 0) {
            problem(errno_text(printable_path(nearest), facts.error));
            continue;
        }
        const auto devices = uses_.devices_of(facts);
        const auto all = devices ? uses_.everything_under(*devices) : std::nullopt;
        if (all)
            protected_[path] = *all;
        else
            problem(fmt::format("the device {} of its file system leads nowhere", facts.file_system.text()));
    }
}

std::string SafetyCheck::name_of(const BlockNode& node) const {
    const std::string path = device_path(system_, node);
    const std::string mapped = clean_text(text_attribute(node.folder, "dm/name").value_or(""));
    return mapped.empty() ? path : fmt::format("{} ({})", path, mapped);
}

std::vector<std::string> SafetyCheck::reasons_against(const BlockNode& node) const {
    Reasons reasons = not_a_drive(node);
    if (!reasons.empty()) return reasons;
    const Uses::Tree tree = uses_.everything_on(node);
    append(reasons, problems_);
    if (!tree.problem.empty()) reasons.push_back(tree.problem);
    append(reasons, state(node));
    append(reasons, mounted(tree));
    append(reasons, swapped(tree));
    append(reasons, held(tree));
    append(reasons, carries_protected(node));
    append(reasons, not_alone(node));
    append(reasons, backing_file(node));
    append(reasons, claimed(node));
    if (!options_.overwrite_signature) append(reasons, signatures(node));
    Reasons once;
    for (auto& reason : reasons)
        if (std::find(once.begin(), once.end(), reason) == once.end()) once.push_back(std::move(reason));
    return once;
}

Reasons SafetyCheck::not_a_drive(const BlockNode& node) const {
    const std::string path = device_path(system_, node);
    if (node.is_partition())
        return {
            fmt::format("{} is a partition; name the whole disk, {}", path, device_path(system_, node.disk))};
    if (is_special_area(node.name)) return {path + " is a special area of an eMMC, not a drive"};
    const auto slaves = stacked(system_, node, "slaves");
    if (!slaves) return {fmt::format("cannot tell what {} is made of: {}/slaves", path, node.folder)};
    if (!slaves->empty())
        return {fmt::format("{} is no drive of its own, it lies on {}", name_of(node),
                            device_path(system_, slaves->front()))};
    for (const auto& loop : uses_.loops())
        if (loop.node.number == node.number && loop.backing && loop.backing->type == FileType::block)
            return {fmt::format("{} only stands for {}; name that", path, printable_path(loop.file))};
    return {};
}

Reasons SafetyCheck::state(const BlockNode& node) const {
    Reasons reasons;
    const std::string path = device_path(system_, node);
    if (capacity_of(node) == 0) reasons.push_back(path + " has no capacity: no medium, or it is gone");
    const auto read_only = number_attribute(node.folder, "ro");
    if (!read_only)
        reasons.push_back(fmt::format("cannot tell whether {} is read-only: {}/ro", path, node.folder));
    else if (*read_only != 0)
        reasons.push_back(path + " is read-only");
    return reasons;
}

Reasons SafetyCheck::mounted(const Uses::Tree& tree) const {
    Reasons reasons;
    for (const auto& dependent : tree.devices) {
        std::set<std::string> targets;
        for (const auto& [mount, devices] : uses_.mounts())
            if (devices.contains(dependent.node.number)) targets.insert(mount.target);
        if (targets.empty()) continue;
        std::string reason =
            fmt::format("{} is mounted on {}", name_of(dependent.node), printable_path(*targets.begin()));
        if (targets.size() > 1) reason += fmt::format(" and {} more", targets.size() - 1);
        reasons.push_back(std::move(reason));
    }
    return reasons;
}

Reasons SafetyCheck::swapped(const Uses::Tree& tree) const {
    Reasons reasons;
    for (const auto& dependent : tree.devices)
        for (const auto& use : uses_.swaps())
            if (use.devices.contains(dependent.node.number))
                reasons.push_back(use.swap.is_file
                                      ? fmt::format("{} holds the swap file {}", name_of(dependent.node),
                                                    printable_path(use.swap.path))
                                      : name_of(dependent.node) + " is used for swap");
    return reasons;
}

Reasons SafetyCheck::held(const Uses::Tree& tree) const {
    Reasons reasons;
    for (const auto& dependent : tree.devices) {
        const std::string on = device_path(system_, dependent.on);
        if (dependent.how == Dependent::How::holder)
            reasons.push_back(fmt::format("{} is held by {}", on, name_of(dependent.node)));
        if (dependent.how == Dependent::How::loop)
            reasons.push_back(fmt::format("{} is set up on {}", device_path(system_, dependent.node), on));
        // A cache device has no holder link; that it belongs to a set shows here only.
        std::error_code error;
        if (fs::exists(dependent.node.folder + "/bcache/set", error) ||
            fs::exists(dependent.node.folder + "/bcache/cache", error))
            reasons.push_back(device_path(system_, dependent.node) + " belongs to a bcache set in use");
    }
    return reasons;
}

Reasons SafetyCheck::carries_protected(const BlockNode& node) const {
    // A loop device's file may lie on the drive that holds /: the file is destroyed then, not the drive.
    // Asked about is therefore the device itself, never what it lies on.
    Reasons reasons;
    for (const auto& [path, devices] : protected_)
        if (devices.contains(node.number))
            reasons.push_back(fmt::format("{} is the drive that holds {}", device_path(system_, node),
                                          printable_path(path)));
    return reasons;
}

Reasons SafetyCheck::not_alone(const BlockNode& node) const {
    // Either the same drive by two ways, where the other may be in use, or two that cannot be told apart, so
    // that after a restart the wrong one could be written.
    const std::string path = device_path(system_, node);
    const auto same = keys_.find(identify_node(system_, node).key);
    if (same == keys_.end()) return {};
    Reasons reasons;
    for (const auto& other : same->second)
        if (other != path)
            reasons.push_back(fmt::format("{} cannot be told from {}: both say that they are {}", path, other,
                                          same->first));
    return reasons;
}

Reasons SafetyCheck::backing_file(const BlockNode& node) const {
    Reasons reasons;
    for (const auto& loop : uses_.loops()) {
        if (loop.node.number != node.number || !loop.backing) continue;
        if (is_protected_file(loop.file, *loop.backing))
            reasons.push_back(fmt::format("{} is set up on {}, which must not be overwritten",
                                          device_path(system_, node), printable_path(loop.file)));
        append(reasons, file_in_use(*loop.backing, printable_path(loop.file), node.number));
    }
    return reasons;
}

Reasons SafetyCheck::claimed(const BlockNode& node) const {
    const std::string path = device_path(system_, node);
    // Held for an instant only, for reading: nothing is written and no event is made.
    const int error = system_.try_exclusive_open(path);
    if (error == EBUSY)
        return {path + " is in use: a file system, a stacked device or another program has claimed it"};
    if (error != 0) return {errno_text("cannot open " + path, error)};
    return {};
}

Reasons SafetyCheck::signatures(const BlockNode& node) const {
    Reasons reasons;
    std::vector<BlockNode> devices{node};
    const auto partitions = partitions_of(node).value_or(std::vector<BlockNode>{});
    devices.insert(devices.end(), partitions.begin(), partitions.end());
    bool has_table = false;
    for (const auto& device : devices) {
        const std::string path = device_path(system_, device);
        try {
            for (const auto& signature : system_.signatures(path)) {
                reasons.push_back(fmt::format("{} carries {}", path, describe(signature)));
                has_table = has_table || signature.usage == "partition-table";
            }
        } catch (const Failure& failure) {
            reasons.push_back(failure.what());
        }
    }
    if (!partitions.empty() && !has_table)
        reasons.push_back(fmt::format("{} has {} partition{}", device_path(system_, node), partitions.size(),
                                      partitions.size() == 1 ? "" : "s"));
    return reasons;
}

}  // namespace wearout::block
