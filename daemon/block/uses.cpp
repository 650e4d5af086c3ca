#include "block/uses.h"

#include "base/error.h"
#include "block/text.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <ranges>

#include <fmt/format.h>

namespace wearout::block {
namespace {

/// An overlay may lie on an overlay; deeper than this the kernel does not go.
constexpr int deepest_overlay = 4;

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

}  // namespace

Uses::Uses(const System& system) : system_(system) {
    read_btrfs();
    read_mount_tables();
    read_loops();
    read_swap_areas();
}

void Uses::read_btrfs() {
    const std::string folder = system_.sys() + "/fs/btrfs";
    for (const auto& name : list_folder(folder).value_or(std::vector<std::string>{})) {
        std::set<DeviceNumber> members;
        for (const auto& device :
             list_folder(folder + "/" + name + "/devices").value_or(std::vector<std::string>{}))
            if (const auto node = find_block(system_, device)) members.insert(node->number);
        if (!members.empty()) btrfs_.push_back(std::move(members));
    }
}

void Uses::read_mount_tables() {
    const std::string own_file = system_.proc() + "/self/mountinfo";
    auto own = read_mounts(own_file);
    if (!own || own->empty()) {
        problems_.push_back("cannot tell what is mounted: " + own_file + " cannot be read");
        return;
    }
    own_mounts_ = std::move(*own);
    std::vector<Mount> all = own_mounts_;
    // Process 1 may be hidden from us or from our container; what only it has mounted still shows as an
    // exclusive claim on the device.
    if (const std::string folder = system_.proc() + "/1"; attribute(folder, "mountinfo")) {
        auto first = read_mounts(folder + "/mountinfo");
        if (!first) problems_.push_back("cannot tell what is mounted: " + folder + "/mountinfo is malformed");
        for (auto& mount : first.value_or(std::vector<Mount>{}))
            all.push_back(std::move(mount));
    }
    for (auto& mount : all) {
        auto devices = devices_of(mount, 0);
        mounts_.push_back({std::move(mount), std::move(devices)});
    }
}

void Uses::read_loops() {
    const auto disks = all_disks(system_);
    if (!disks) {
        problems_.push_back("cannot tell which devices there are: " + system_.sys() +
                            "/block cannot be listed");
        return;
    }
    for (const auto& node : *disks) {
        const auto file = loop_file(node);
        if (!file) continue;
        Loop loop{node, *file, system_.loop_backing(device_path(system_, node)), {}};
        const PathFacts by_path = system_.stat(*file);
        // The kernel's own word does not depend on mount name spaces and renames; the path adds the mount.
        if (by_path.error == 0 && (!loop.backing || loop.backing->same_file(by_path))) loop.backing = by_path;
        if (!loop.backing)
            problems_.push_back(fmt::format("cannot tell what {} is set up on: {}",
                                            device_path(system_, node),
                                            errno_text(printable_path(*file), by_path.error)));
        else if (loop.backing->type == FileType::block)
            loop.lies_on = {loop.backing->device};
        else if (const auto devices = devices_of(*loop.backing))
            loop.lies_on.assign(devices->begin(), devices->end());
        loops_.push_back(std::move(loop));
    }
}

void Uses::read_swap_areas() {
    const auto swaps = read_swaps(system_.proc() + "/swaps");
    if (!swaps) {
        problems_.push_back("cannot tell what is used for swap: " + system_.proc() + "/swaps cannot be read");
        return;
    }
    for (const auto& swap : *swaps) {
        SwapUse use{swap, system_.stat(swap.path), {}};
        if (use.facts.type == FileType::block)
            use.devices = {use.facts.device};
        else if (const auto device = device_named(swap.path))
            use.devices = {*device};
        else if (const auto devices = devices_of(use.facts))
            use.devices = *devices;
        else if (!swap.is_file)  // A file that is not seen from here lies on a mounted, hence claimed,
                                 // device.
            problems_.push_back(
                fmt::format("cannot tell which device the swap area {} is", printable_path(swap.path)));
        swaps_.push_back(std::move(use));
    }
}

std::optional<DeviceNumber> Uses::device_named(const std::string& source) const {
    const std::string folder = system_.dev() + "/";
    if (!source.starts_with(folder)) return std::nullopt;
    const PathFacts facts = system_.stat(source);
    if (facts.error == 0 && facts.type == FileType::block) return facts.device;
    // A container may see the mount and not the node.
    std::string name = source.substr(folder.size());
    std::replace(name.begin(), name.end(), '/', '!');
    const auto node = find_block(system_, name);
    return node ? std::optional(node->number) : std::nullopt;
}

std::set<DeviceNumber> Uses::with_siblings(std::set<DeviceNumber> devices) const {
    for (const auto& members : btrfs_)
        if (std::ranges::any_of(members, [&](const auto& number) { return devices.contains(number); }))
            devices.insert(members.begin(), members.end());
    return devices;
}

std::set<DeviceNumber> Uses::devices_of(const Mount& mount, int depth) const {
    std::set<DeviceNumber> devices;
    if (mount.number.major != 0) devices.insert(mount.number);
    // bcachefs names all its devices, with colons between them.
    for (const auto& source : split(mount.source, ':'))
        if (const auto device = device_named(source)) devices.insert(*device);
    if (mount.type == "overlay" && depth < deepest_overlay)
        // Layers of which nothing is seen here, as in a container, are no obstacle: they lie on a file system
        // that is mounted somewhere, and the kernel's exclusive claim on its devices is seen from everywhere.
        for (const char* layer : {"upperdir", "lowerdir"})
            for (const auto& path : split(mount_option(mount, layer), ':')) {
                if (path.empty()) continue;
                const auto below = devices_of(system_.stat(path), depth + 1);
                if (below) devices.insert(below->begin(), below->end());
            }
    return with_siblings(std::move(devices));
}

std::optional<std::set<DeviceNumber>> Uses::devices_of(const PathFacts& facts) const {
    return devices_of(facts, 0);
}

std::optional<std::set<DeviceNumber>> Uses::devices_of(const PathFacts& facts, int depth) const {
    if (facts.error != 0) return std::nullopt;
    if (facts.file_system.major != 0) {
        if (!find_block(system_, facts.file_system)) return std::nullopt;
        return with_siblings({facts.file_system});
    }
    // By the mount first: a btrfs subvolume's files have another anonymous number than its mount.
    const auto by_id = std::ranges::find_if(
        own_mounts_, [&](const Mount& m) { return facts.mount_id != 0 && m.id == facts.mount_id; });
    if (by_id != own_mounts_.end()) return devices_of(*by_id, depth);
    const auto by_number =
        std::ranges::find_if(own_mounts_, [&](const Mount& m) { return m.number == facts.file_system; });
    if (by_number != own_mounts_.end()) return devices_of(*by_number, depth);
    return std::nullopt;
}

std::optional<std::vector<Dependent>> Uses::directly_on(const BlockNode& node) const {
    using How = Dependent::How;
    std::vector<Dependent> found;
    const auto partitions =
        node.is_partition() ? std::optional(std::vector<BlockNode>{}) : partitions_of(node);
    const auto holders = stacked(system_, node, "holders");
    if (!partitions || !holders) return std::nullopt;
    for (const auto& partition : *partitions)
        found.push_back({partition, node.name, How::partition});
    for (const auto& holder : *holders)
        found.push_back({holder, node.name, How::holder});
    for (const auto& member : bcache_set(system_, node))
        if (member.number != node.number) found.push_back({member, node.name, How::holder});
    for (const auto& loop : loops_)
        if (std::ranges::find(loop.lies_on, node.number) != loop.lies_on.end())
            found.push_back({loop.node, node.name, How::loop});
    return found;
}

Uses::Tree Uses::everything_on(const BlockNode& node) const {
    Tree tree;
    std::set<DeviceNumber> seen{node.number};
    std::deque<Dependent> open{{node, {}, Dependent::How::itself}};
    while (!open.empty()) {
        const Dependent next = std::move(open.front());
        open.pop_front();
        if (auto above = directly_on(next.node)) {
            for (auto& dependent : *above)
                if (seen.insert(dependent.node.number).second) open.push_back(std::move(dependent));
        } else {
            tree.problem = "cannot tell what uses " + device_path(system_, next.node) + ": " +
                           next.node.folder + " cannot be looked at";
        }
        tree.devices.push_back(next);
    }
    return tree;
}

std::optional<std::set<DeviceNumber>> Uses::directly_under(DeviceNumber number) const {
    const auto node = find_block(system_, number);
    if (!node) return std::nullopt;
    std::set<DeviceNumber> found;
    if (node->is_partition()) {
        const auto disk = find_block(system_, node->disk);
        if (!disk) return std::nullopt;
        return std::set{disk->number};
    }
    const auto slaves = stacked(system_, *node, "slaves");
    if (!slaves) return std::nullopt;
    for (const auto& slave : *slaves) {
        found.insert(slave.number);
        for (const auto& member : bcache_set(system_, slave))
            found.insert(member.number);
    }
    for (const auto& loop : loops_)
        if (loop.node.number == number) found.insert(loop.lies_on.begin(), loop.lies_on.end());
    return found;
}

std::optional<std::set<DeviceNumber>> Uses::everything_under(const std::set<DeviceNumber>& devices) const {
    std::set<DeviceNumber> seen = devices;
    std::deque<DeviceNumber> open(devices.begin(), devices.end());
    while (!open.empty()) {
        const auto below = directly_under(open.front());
        if (!below) return std::nullopt;
        for (const auto number : *below)
            if (seen.insert(number).second) open.push_back(number);
        open.pop_front();
    }
    return seen;
}

}  // namespace wearout::block
