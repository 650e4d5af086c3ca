#include "run/pacing.h"

#include "base/types.h"

#include <algorithm>

namespace wearout::run {

namespace {

using Seconds = std::chrono::duration<double>;
using namespace std::chrono_literals;

constexpr auto rate_window = 5s;
constexpr auto rate_step = 200ms;
constexpr auto burst_time = 0.1;  // s

}  // namespace

void RateMeter::update(SteadyTime now, std::uint64_t total) {
    const bool step =
        points_.size() < 2 || points_.back().time - points_[points_.size() - 2].time >= rate_step;
    if (step)
        points_.push_back({now, total});
    else
        points_.back() = {now, total};
    while (points_.size() > 2 && now - points_[1].time >= rate_window)
        points_.pop_front();
}

double RateMeter::per_second() const {
    if (points_.size() < 2) return 0;
    const double seconds = Seconds(points_.back().time - points_.front().time).count();
    if (seconds <= 0) return 0;
    return static_cast<double>(points_.back().total - points_.front().total) / seconds;
}

RateLimit::RateLimit(std::optional<std::uint64_t> bytes_per_second)
    : rate_(static_cast<double>(bytes_per_second.value_or(0))) {}

std::chrono::nanoseconds RateLimit::wait(SteadyTime now) {
    if (rate_ <= 0) return 0ns;
    if (filled_) tokens_ = std::min(tokens_ + rate_ * Seconds(now - *filled_).count(), rate_ * burst_time);
    filled_ = now;
    if (tokens_ >= 0) return 0ns;
    return std::chrono::ceil<std::chrono::nanoseconds>(Seconds(-tokens_ / rate_)) + 1ns;
}

std::uint64_t units_ahead(double bytes_per_second, std::chrono::milliseconds ahead,
                          std::uint32_t transfer_bytes, std::uint32_t queue_depth) {
    constexpr std::uint64_t most = 16ULL << 30U;
    const std::uint64_t least = 4ULL * queue_depth * transfer_bytes;
    const double wanted = bytes_per_second * Seconds(ahead).count();
    const std::uint64_t bytes =
        std::max(least, wanted < static_cast<double>(most) ? static_cast<std::uint64_t>(wanted) : most);
    return (bytes + transfer_bytes - 1) / transfer_bytes * (transfer_bytes / unit_bytes);
}

}  // namespace wearout::run
