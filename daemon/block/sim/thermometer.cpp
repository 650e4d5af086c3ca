#include "block/sim/thermometer.h"

#include <algorithm>
#include <cmath>

namespace wearout::block::sim {

namespace {

constexpr double busy = 70;
constexpr double full_rate = 550e6;
constexpr double time_constant = 60;
constexpr double shortest = 0.1;

}  // namespace

void Thermometer::advance(SteadyTime now) {
    const double seconds = std::chrono::duration<double>(now - last_).count();
    if (seconds < shortest) return;
    const double rate = static_cast<double>(bytes_) / seconds;
    const double settled = idle + (busy - idle) * std::min(1.0, rate / full_rate);
    temperature_ += (settled - temperature_) * -std::expm1(-seconds / time_constant);
    last_ = now;
    bytes_ = 0;
}

std::int32_t Thermometer::celsius() const {
    return static_cast<std::int32_t>(std::lround(temperature_));
}

}  // namespace wearout::block::sim
