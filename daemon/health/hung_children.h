#pragma once

#include "health/child.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace wearout::health {

/// Children that were killed and live on, hanging in the kernel over a sick drive, by the key of the drive
/// that they ask. They outlast the source that started them, and two for one drive would only be two that
/// hang. Thread-safe.
class HungChildren {
  public:
    void add(const std::string& drive, ChildProcess child) {
        const std::scoped_lock lock(mutex_);
        children_.insert_or_assign(drive, std::move(child));
    }
    /// The one that still lives; reaps it if it has ended at last.
    [[nodiscard]] std::optional<pid_t> find(const std::string& drive) {
        const std::scoped_lock lock(mutex_);
        const auto found = children_.find(drive);
        if (found == children_.end()) return std::nullopt;
        if (!found->second.reap(std::chrono::milliseconds(0))) return found->second.pid();
        children_.erase(found);
        return std::nullopt;
    }

  private:
    std::mutex mutex_;
    std::map<std::string, ChildProcess> children_;
};

/// The process's own.
inline HungChildren& hung_children() {
    static HungChildren instance;
    return instance;
}

}  // namespace wearout::health
