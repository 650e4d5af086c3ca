#include "base/clock.h"

#include <thread>

namespace wearout {

namespace {

class SystemClock final : public Clock {
  public:
    [[nodiscard]] SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
    [[nodiscard]] WallTime wall() const override {
        return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    }
    void sleep_for(std::chrono::nanoseconds duration) override { std::this_thread::sleep_for(duration); }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& notified,
                    SteadyTime time) override {
        notified.wait_until(lock, time);
    }
};

}  // namespace

Clock& system_clock() {
    static SystemClock clock;
    return clock;
}

}  // namespace wearout
