#pragma once

#include "base/clock.h"

#include <cstdint>

namespace wearout::block::sim {

/// The controller's temperature, which follows the rate of data with a delay: from 28 degrees idle to 70 at
/// the 550 MB/s of a SATA link, with a time constant of a minute. Starts cold.
class Thermometer {
  public:
    explicit Thermometer(SteadyTime now) : last_(now) {}

    void add(std::uint64_t bytes) { bytes_ += bytes; }
    /// Brings the temperature up to now. Intervals too short for a rate are left to the next call.
    void advance(SteadyTime now);
    [[nodiscard]] std::int32_t celsius() const;

  private:
    SteadyTime last_;
    std::uint64_t bytes_ = 0;  ///< Since last_.
    double temperature_ = idle;
    static constexpr double idle = 28;
};

}  // namespace wearout::block::sim
