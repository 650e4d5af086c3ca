#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace wearout::run {

/// How fast something goes, over the last few seconds.
class RateMeter {
  public:
    /// `total` only grows.
    void update(SteadyTime now, std::uint64_t total);
    /// Per second; 0 where nothing can be said yet.
    [[nodiscard]] double per_second() const;
    void reset() { points_.clear(); }

  private:
    struct Point {
        SteadyTime time;
        std::uint64_t total = 0;
    };
    std::deque<Point> points_;  ///< The last one moves on; the others stay for the length of the window.
};

/// A token bucket: lets on average so many bytes a second go, and short bursts.
class RateLimit {
  public:
    /// Without a rate everything goes at once.
    explicit RateLimit(std::optional<std::uint64_t> bytes_per_second);
    /// How long to wait until something may go; 0: now.
    [[nodiscard]] std::chrono::nanoseconds wait(SteadyTime now);
    /// So much went.
    void spend(std::uint64_t bytes) { tokens_ -= static_cast<double>(bytes); }

  private:
    double rate_;  ///< 0: no limit.
    double tokens_ = 0;
    std::optional<SteadyTime> filled_;
};

/// How many units to move issued_to ahead: about `ahead` of work at the measured rate, in whole transfers,
/// and within bounds: some queues full at least, since the rate is not known at first, and 16 GiB at most.
[[nodiscard]] std::uint64_t units_ahead(double bytes_per_second, std::chrono::milliseconds ahead,
                                        std::uint32_t transfer_bytes, std::uint32_t queue_depth);

}  // namespace wearout::run
