#pragma once

#include "facts/sample.h"

#include <chrono>
#include <string>

namespace wearout::health {

/// One answer to "how worn are you?", before anything is decoded.
struct RawAnswer {
    /// The drive's answer as `smartctl --json -x` gives it, and behind it an NVMe drive's further log pages
    /// as lines (nvme_log.h); empty: none.
    std::string text{};
    std::string problem{};  ///< One line for the user: why there is none, or what is wrong with it.
    std::chrono::milliseconds took{0};
    /// The drive is in standby and was not woken; text and problem are empty.
    bool asleep = false;
};

/// Asks a drive. May block for as long as its time-out; called from a thread that has nothing else to do.
class HealthSource {
  public:
    HealthSource() = default;
    HealthSource(const HealthSource&) = delete;
    HealthSource& operator=(const HealthSource&) = delete;
    virtual ~HealthSource() = default;
    [[nodiscard]] virtual RawAnswer ask() = 0;
};

/// Decodes an answer into readings, unknown fields and the decoder's name. Never throws: what can't be read
/// is told in `problem`. Time, reason and run_written are left to the caller.
[[nodiscard]] Sample decode(const RawAnswer& answer);

}  // namespace wearout::health
