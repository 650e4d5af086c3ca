#pragma once

#include "block/safety.h"
#include "block/sysfs.h"
#include "block/system.h"
#include "block/uses.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace wearout::block {

/// Whether devices and files may be overwritten, as things stand at the moment when it is made: mounts, swap,
/// stacking and the drives under the protected paths are read once, then any number of targets is judged. For
/// one thread; make a new one for a new question.
class SafetyCheck {
  public:
    SafetyCheck(const System& system, const SafetyOptions& options);

    /// Reasons against a whole device, or against a partition (which is one).
    [[nodiscard]] std::vector<std::string> reasons_against(const BlockNode& node) const;

    /// Reasons against a file, which need not exist.
    [[nodiscard]] std::vector<std::string> reasons_against_file(const std::string& path) const;

    [[nodiscard]] const Uses& uses() const noexcept { return uses_; }

  private:
    using Reasons = std::vector<std::string>;
    /// Why it is not a drive at all; such a device is not judged further.
    [[nodiscard]] Reasons not_a_drive(const BlockNode& node) const;
    [[nodiscard]] Reasons state(const BlockNode& node) const;
    [[nodiscard]] Reasons mounted(const Uses::Tree& tree) const;
    [[nodiscard]] Reasons swapped(const Uses::Tree& tree) const;
    [[nodiscard]] Reasons held(const Uses::Tree& tree) const;
    [[nodiscard]] Reasons carries_protected(const BlockNode& node) const;
    [[nodiscard]] Reasons not_alone(const BlockNode& node) const;
    [[nodiscard]] Reasons backing_file(const BlockNode& node) const;
    /// Loop devices (but the one whose file it is known to be) and swap on a file.
    [[nodiscard]] Reasons file_in_use(const PathFacts& facts, const std::string& name,
                                      DeviceNumber but = {}) const;
    [[nodiscard]] Reasons claimed(const BlockNode& node) const;
    [[nodiscard]] Reasons signatures(const BlockNode& node) const;
    [[nodiscard]] bool is_protected_file(const std::string& path, const PathFacts& facts) const;
    [[nodiscard]] std::string name_of(const BlockNode& node) const;

    void find_protected_drives();

    const System& system_;
    SafetyOptions options_;
    Uses uses_;
    std::vector<std::string> problems_;
    std::map<std::string, std::set<DeviceNumber>> protected_;  ///< Path → every device under it.
    std::map<std::string, std::vector<std::string>> keys_;     ///< Lasting key → the devices that have it.
};

}  // namespace wearout::block
