#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace wearout {

/// Records carry this: UTC, milliseconds since 1970.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
/// Intervals are measured on this; it never goes back.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

/// Time, and waiting for it to pass. Everything that looks at time is given one, so that a year can be tested
/// in milliseconds. Thread-safe.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;
    [[nodiscard]] virtual SteadyTime steady() const = 0;
    [[nodiscard]] virtual WallTime wall() const = 0;
    virtual void sleep_for(std::chrono::nanoseconds duration) = 0;
    /// Waits with `lock` held, as a condition variable does, until notified or until that time; it may return
    /// before.
    virtual void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& notified,
                            SteadyTime time) = 0;
};

/// The machine's own clocks.
[[nodiscard]] Clock& system_clock();

/// A clock that stands still until told to go on, or until somebody sleeps. For one thread.
class ManualClock final : public Clock {
  public:
    [[nodiscard]] SteadyTime steady() const override { return SteadyTime(elapsed_); }
    [[nodiscard]] WallTime wall() const override {
        return start_ + std::chrono::floor<std::chrono::milliseconds>(elapsed_);
    }
    void sleep_for(std::chrono::nanoseconds duration) override { elapsed_ += duration; }
    void wait_until(std::unique_lock<std::mutex>& /*lock*/, std::condition_variable& /*notified*/,
                    SteadyTime time) override {
        if (time > steady()) elapsed_ = time.time_since_epoch();
    }
    void advance(std::chrono::nanoseconds duration) { elapsed_ += duration; }

  private:
    WallTime start_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    std::chrono::nanoseconds elapsed_{0};
};

}  // namespace wearout
