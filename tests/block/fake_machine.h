#pragma once

#include "block/system.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wearout::test {

/// A machine made of a temporary folder: a sysfs, proc and dev tree in the kernel's layout, and answers to
/// what only a living kernel could say. It begins with a proc that has `/` on a file system in memory and no
/// swap. The folder goes away with it.
class FakeMachine : public block::System {
  public:
    FakeMachine();
    ~FakeMachine() override;

    struct DiskSpec {
        std::string name;
        std::string bus;  ///< Where below sys/devices: "pci0000:00/…/ata1/…"; "virtual" for the kernel's own.
        block::DeviceNumber number;
        std::uint64_t sectors = 2097152;
    };
    /// Makes a whole disk with its usual attributes, its links and its node.
    void add_disk(const DiskSpec& spec);
    void add_partition(const std::string& disk, const std::string& name, block::DeviceNumber number);
    /// Stacks `upper` on `lower`, by both links.
    void stack(const std::string& lower, const std::string& upper);
    /// Writes an attribute of a disk or partition ("device/model").
    void set(const std::string& name, const std::string& attribute, const std::string& text);
    void mount(block::DeviceNumber number, const std::string& source, const std::string& target,
               const std::string& type = "ext4", const std::string& options = "rw");
    /// Adds a mount that only process 1 has.
    void mount_elsewhere(block::DeviceNumber number, const std::string& source, const std::string& target);
    void swap_on(const std::string& path, bool is_file);
    /// Says which file system a path is on, and whether it is a file or a folder.
    void place(const std::string& path, block::DeviceNumber file_system,
               block::FileType type = block::FileType::directory, std::uint64_t inode = 0);
    /// The id of the mount that was added last.
    [[nodiscard]] std::uint64_t last_mount_id() const { return mount_id_; }

    [[nodiscard]] std::filesystem::path folder(const std::string& name) const;
    [[nodiscard]] std::string node(const std::string& name) const { return dev() + "/" + name; }
    void by_id(const std::string& link, const std::string& name);
    void write(const std::filesystem::path& file, const std::string& text, bool append = false) const;

    std::map<std::string, block::PathFacts> paths;
    std::map<std::string, int> open_errors;
    std::map<std::string, std::vector<block::Signature>> marks;
    std::map<std::string, block::PathFacts> loops;
    std::map<block::DeviceNumber, std::map<std::string, std::string>> udev;
    std::map<std::string, int> write_errors;

    [[nodiscard]] block::PathFacts stat(const std::string& path) const override;
    [[nodiscard]] int try_exclusive_open(const std::string& node) const override;
    [[nodiscard]] std::optional<block::PathFacts> loop_backing(const std::string& node) const override;
    [[nodiscard]] std::vector<block::Signature> signatures(const std::string& node) const override;
    [[nodiscard]] std::map<std::string, std::string> udev_properties(
        block::DeviceNumber number) const override;
    [[nodiscard]] int try_write_access(const std::string& path) const override;

  private:
    explicit FakeMachine(const std::filesystem::path& root);
    void publish(const std::filesystem::path& folder, block::DeviceNumber number);
    [[nodiscard]] std::optional<block::DeviceNumber> block_node(const std::filesystem::path& real) const;
    [[nodiscard]] std::string mount_line(block::DeviceNumber number, const std::string& source,
                                         const std::string& target, const std::string& type,
                                         const std::string& options);

    std::filesystem::path root_;
    std::uint64_t mount_id_ = 20;
};

/// Whether one of the lines contains the text.
[[nodiscard]] bool any_has(const std::vector<std::string>& lines, const std::string& text);
/// The lines as one text, for a failure's message.
[[nodiscard]] std::string joined(const std::vector<std::string>& lines);

}  // namespace wearout::test
