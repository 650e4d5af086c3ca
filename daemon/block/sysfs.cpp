#include "block/sysfs.h"

#include "base/fd.h"
#include "block/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <regex>
#include <unistd.h>

namespace wearout::block {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_attribute = 4096;
/// More names than any machine has devices; stops at a folder that does not end.
constexpr std::size_t most_names = 65536;

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<DeviceNumber> parse_number(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto major = parse_whole<std::uint32_t>(text.substr(0, colon));
    const auto minor = parse_whole<std::uint32_t>(text.substr(colon + 1));
    if (!major || !minor) return std::nullopt;
    return DeviceNumber{*major, *minor};
}

std::optional<BlockNode> read_node(const std::string& link) {
    std::error_code error;
    const fs::path folder = fs::canonical(link, error);
    if (error) return std::nullopt;
    const auto number = parse_number(text_attribute(folder, "dev").value_or(""));
    if (!number) return std::nullopt;
    BlockNode node{folder.filename(), folder, *number, folder.filename()};
    if (fs::exists(folder / "partition", error)) node.disk = folder.parent_path().filename();
    return node;
}

/// Of the members of a bcache set, "cache0" and "bdev1" are links into the devices' own folders.
bool is_bcache_member(const std::string& name) {
    static const std::regex member("(cache|bdev)[0-9]+");
    return std::regex_match(name, member);
}

}  // namespace

std::optional<std::string> attribute(const std::string& folder, std::string_view name) {
    const Fd fd(::open((folder + "/" + std::string(name)).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return std::nullopt;
    std::string text(longest_attribute, '\0');
    std::size_t length = 0;
    while (length < text.size()) {
        const ssize_t got = ::read(fd.get(), text.data() + length, text.size() - length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) break;
        length += static_cast<std::size_t>(got);
    }
    text.resize(length);
    return text;
}

std::optional<std::string> text_attribute(const std::string& folder, std::string_view name) {
    auto text = attribute(folder, name);
    if (text && text->ends_with('\n')) text->pop_back();
    return text;
}

std::optional<std::uint64_t> number_attribute(const std::string& folder, std::string_view name) {
    return parse_whole<std::uint64_t>(text_attribute(folder, name).value_or(""));
}

std::optional<std::vector<std::string>> list_folder(const std::string& folder) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) return std::nullopt;
    std::vector<std::string> names;
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
        if (names.size() == most_names) return std::nullopt;
        names.push_back(entries->path().filename());
    }
    if (error) return std::nullopt;
    std::sort(names.begin(), names.end(), natural_less);
    return names;
}

std::optional<BlockNode> find_block(const System& system, DeviceNumber number) {
    const auto node = read_node(system.sys() + "/dev/block/" + number.text());
    return node && node->number == number ? node : std::nullopt;
}

std::optional<BlockNode> find_block(const System& system, const std::string& name) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
        return std::nullopt;
    return read_node(system.sys() + "/class/block/" + name);
}

std::optional<std::vector<BlockNode>> all_disks(const System& system) {
    const auto names = list_folder(system.sys() + "/block");
    if (!names) return std::nullopt;
    std::vector<BlockNode> disks;
    for (const auto& name : *names) {
        auto node = read_node(system.sys() + "/block/" + name);
        if (node && number_attribute(node->folder, "hidden").value_or(0) == 0)
            disks.push_back(std::move(*node));
    }
    return disks;
}

std::string device_path(const System& system, const std::string& name) {
    std::string path = name;
    std::replace(path.begin(), path.end(), '!', '/');
    return system.dev() + "/" + path;
}

std::string device_path(const System& system, const BlockNode& node) {
    return device_path(system, node.name);
}

std::optional<std::vector<BlockNode>> partitions_of(const BlockNode& node) {
    const auto names = list_folder(node.folder);
    if (!names) return std::nullopt;
    std::vector<BlockNode> partitions;
    for (const auto& name : *names) {
        const std::string folder = node.folder + "/" + name;
        std::error_code error;
        if (!name.starts_with(node.name) || !fs::exists(folder + "/partition", error)) continue;
        auto found = read_node(folder);
        if (!found) return std::nullopt;
        partitions.push_back(std::move(*found));
    }
    return partitions;
}

std::optional<std::vector<BlockNode>> stacked(const System& system, const BlockNode& node,
                                              std::string_view direction) {
    const auto names = list_folder(node.folder + "/" + std::string(direction));
    if (!names) return std::nullopt;
    std::vector<BlockNode> nodes;
    for (const auto& name : *names) {
        auto found = find_block(system, name);
        if (!found) return std::nullopt;
        nodes.push_back(std::move(*found));
    }
    return nodes;
}

std::vector<BlockNode> bcache_set(const System& system, const BlockNode& node) {
    std::vector<BlockNode> members;
    for (const char* link : {"set", "cache"}) {  // A cache device has the one, a backing device the other.
        const std::string set = node.folder + "/bcache/" + link;
        for (const auto& name : list_folder(set).value_or(std::vector<std::string>{})) {
            std::error_code error;
            const fs::path target = fs::canonical(set + "/" + name, error);
            if (error || !is_bcache_member(name)) continue;
            if (auto member = find_block(system, target.parent_path().filename().string()))
                members.push_back(std::move(*member));
        }
    }
    return members;
}

std::uint64_t capacity_of(const BlockNode& node) {
    // "size" counts 512-byte sectors whatever the device's block is.
    const std::uint64_t sectors = number_attribute(node.folder, "size").value_or(0);
    return sectors <= std::numeric_limits<std::int64_t>::max() / 512 ? sectors * 512 : 0;
}

std::optional<std::string> loop_file(const BlockNode& node) {
    return text_attribute(node.folder, "loop/backing_file");
}

bool is_special_area(std::string_view name) {
    static const std::regex area("mmcblk[0-9]+(boot[0-9]+|rpmb|gp[0-9]+)");
    return std::regex_match(name.begin(), name.end(), area);
}

}  // namespace wearout::block
