#include "fake_machine.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::test {
namespace {

namespace fs = std::filesystem;
using block::DeviceNumber;

fs::path make_folder() {
    // Hundreds of small files: in memory where there is such a place.
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    std::string name =
        (in_memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "wearout-machine-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    return fs::canonical(name);
}

std::string octal(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == ' ' ? "\\040" : std::string(1, c);
    return out;
}

}  // namespace

FakeMachine::FakeMachine() : FakeMachine(make_folder()) {}

FakeMachine::FakeMachine(const fs::path& root)
    : System(root / "sys", root / "proc", root / "dev"), root_(root) {
    for (const char* below : {"sys/block", "sys/class/block", "sys/dev/block", "sys/devices", "proc/self",
                              "proc/1", "dev/disk/by-id"})
        fs::create_directories(root / below);
    write(root_ / "proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
    mount({0, 2}, "rootfs", "/", "tmpfs");
    place("/", {0, 2});
}

FakeMachine::~FakeMachine() {
    std::error_code error;
    fs::remove_all(root_, error);
}

void FakeMachine::write(const fs::path& file, const std::string& text, bool append) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file, append ? std::ios::app : std::ios::trunc) << text;
}

void FakeMachine::publish(const fs::path& folder, DeviceNumber number) {
    const std::string name = folder.filename();
    write(folder / "dev", number.text() + "\n");
    fs::create_directories(folder / "holders");
    fs::create_directory_symlink(folder, fs::path(sys()) / "class/block" / name);
    fs::create_directory_symlink(folder, fs::path(sys()) / "dev/block" / number.text());
    write(fs::path(dev()) / name, "");
}

void FakeMachine::add_disk(const DiskSpec& spec) {
    const fs::path folder = fs::path(sys()) / "devices" / spec.bus / "block" / spec.name;
    fs::create_directories(folder / "slaves");
    write(folder / "size", fmt::format("{}\n", spec.sectors));
    write(folder / "ro", "0\n");
    write(folder / "queue/logical_block_size", "512\n");
    publish(folder, spec.number);
    fs::create_directory_symlink(folder, fs::path(sys()) / "block" / spec.name);
}

void FakeMachine::add_partition(const std::string& disk, const std::string& name, DeviceNumber number) {
    const fs::path folder = this->folder(disk) / name;
    fs::create_directories(folder);
    write(folder / "partition", "1\n");
    write(folder / "size", "2048\n");
    write(folder / "ro", "0\n");
    publish(folder, number);
}

fs::path FakeMachine::folder(const std::string& name) const {
    return fs::canonical(fs::path(sys()) / "class/block" / name);
}

void FakeMachine::stack(const std::string& lower, const std::string& upper) {
    fs::create_directory_symlink(folder(upper), folder(lower) / "holders" / upper);
    fs::create_directory_symlink(folder(lower), folder(upper) / "slaves" / lower);
}

void FakeMachine::set(const std::string& name, const std::string& attribute, const std::string& text) {
    write(folder(name) / attribute, text);
}

std::string FakeMachine::mount_line(DeviceNumber number, const std::string& source, const std::string& target,
                                    const std::string& type, const std::string& options) {
    return fmt::format("{} 1 {} / {} rw,relatime shared:1 - {} {} {}\n", ++mount_id_, number.text(),
                       octal(target), type, octal(source), options);
}

void FakeMachine::mount(DeviceNumber number, const std::string& source, const std::string& target,
                        const std::string& type, const std::string& options) {
    write(root_ / "proc/self/mountinfo", mount_line(number, source, target, type, options), true);
}

void FakeMachine::mount_elsewhere(DeviceNumber number, const std::string& source, const std::string& target) {
    write(root_ / "proc/1/mountinfo", mount_line(number, source, target, "ext4", "rw"), true);
}

void FakeMachine::swap_on(const std::string& path, bool is_file) {
    write(root_ / "proc/swaps",
          fmt::format("{}\t{}\t\t1024\t\t0\t\t-2\n", octal(path), is_file ? "file" : "partition"), true);
}

void FakeMachine::place(const std::string& path, DeviceNumber file_system, block::FileType type,
                        std::uint64_t inode) {
    block::PathFacts facts;
    facts.type = type;
    facts.file_system = file_system;
    facts.inode = inode != 0 ? inode : 1000 + paths.size();
    paths[path] = facts;
}

void FakeMachine::by_id(const std::string& link, const std::string& name) {
    fs::create_symlink("../../" + name, fs::path(dev()) / "disk/by-id" / link);
}

block::PathFacts FakeMachine::stat(const std::string& path) const {
    if (const auto known = paths.find(path); known != paths.end()) return known->second;
    block::PathFacts facts;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    const auto node = error ? std::nullopt : block_node(real);
    if (!node) {
        facts.error = ENOENT;
        return facts;
    }
    facts.type = block::FileType::block;
    facts.device = *node;
    return facts;
}

std::optional<DeviceNumber> FakeMachine::block_node(const fs::path& real) const {
    if (real.parent_path() != dev()) return std::nullopt;
    std::ifstream file(fs::path(sys()) / "class/block" / real.filename() / "dev");
    DeviceNumber number;
    char colon = 0;
    if (!(file >> number.major >> colon >> number.minor)) return std::nullopt;
    return number;
}

int FakeMachine::try_exclusive_open(const std::string& node) const {
    const auto known = open_errors.find(node);
    return known != open_errors.end() ? known->second : 0;
}

std::optional<block::PathFacts> FakeMachine::loop_backing(const std::string& node) const {
    const auto known = loops.find(node);
    return known != loops.end() ? std::optional(known->second) : std::nullopt;
}

std::vector<block::Signature> FakeMachine::signatures(const std::string& node) const {
    const auto known = marks.find(node);
    return known != marks.end() ? known->second : std::vector<block::Signature>{};
}

std::map<std::string, std::string> FakeMachine::udev_properties(DeviceNumber number) const {
    const auto known = udev.find(number);
    return known != udev.end() ? known->second : std::map<std::string, std::string>{};
}

int FakeMachine::try_write_access(const std::string& path) const {
    const auto known = write_errors.find(path);
    return known != write_errors.end() ? known->second : 0;
}

bool any_has(const std::vector<std::string>& lines, const std::string& text) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(text) != std::string::npos; });
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

}  // namespace wearout::test
