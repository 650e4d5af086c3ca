#include "health/turn.h"

#include <condition_variable>
#include <mutex>
#include <set>

namespace wearout::health {

namespace {

struct Turns {
    std::mutex mutex;
    std::condition_variable_any given_back;
    std::set<std::string> taken;
};

/// Never destroyed: a question that hangs may outlive main().
Turns& turns() {
    static auto* const all = new Turns;
    return *all;
}

}  // namespace

std::optional<Turn> Turn::take(const std::string& drive, std::chrono::milliseconds patience,
                               const std::stop_token& stop) {
    auto& all = turns();
    std::unique_lock lock(all.mutex);
    const bool is_free =
        all.given_back.wait_for(lock, stop, patience, [&] { return !all.taken.contains(drive); });
    if (!is_free || stop.stop_requested()) return std::nullopt;
    all.taken.insert(drive);
    return Turn(drive);
}

Turn::~Turn() {
    if (drive_.empty()) return;
    auto& all = turns();
    {
        const std::lock_guard lock(all.mutex);
        all.taken.erase(drive_);
    }
    all.given_back.notify_all();
}

}  // namespace wearout::health
