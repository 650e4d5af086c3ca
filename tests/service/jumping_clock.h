#pragma once

#include "base/clock.h"

#include <atomic>

namespace wearout::test {

/// Time passes only when somebody waits for it, and then at once; before `go` not even so. Thread-safe.
class JumpingClock final : public Clock {
  public:
    [[nodiscard]] SteadyTime steady() const override {
        return SteadyTime(std::chrono::nanoseconds(elapsed_.load()));
    }
    [[nodiscard]] WallTime wall() const override {
        return WallTime(std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}) +
               std::chrono::floor<std::chrono::milliseconds>(steady().time_since_epoch());
    }
    void sleep_for(std::chrono::nanoseconds duration) override { elapsed_ += duration.count(); }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& notified,
                    SteadyTime time) override {
        // Whoever began to wait before `go` looks first whether there is still something to wait for.
        const bool going = going_;
        notified.wait_for(lock, going ? std::chrono::milliseconds(0) : std::chrono::milliseconds(1));
        auto now = elapsed_.load();
        while (going && now < time.time_since_epoch().count() &&
               !elapsed_.compare_exchange_weak(now, time.time_since_epoch().count())) {
        }
    }
    void go() { going_ = true; }

  private:
    std::atomic<bool> going_{false};
    std::atomic<std::chrono::nanoseconds::rep> elapsed_{0};
};

}  // namespace wearout::test
