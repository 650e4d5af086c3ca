#pragma once

#include "analysis/curve.h"

#include <cstdint>
#include <vector>

namespace wearout::analysis::test {

inline WallTime at(std::int64_t seconds) {
    return WallTime(std::chrono::seconds(seconds));
}

/// `gb`: 10^9 bytes.
inline Observation seen(std::int64_t seconds, std::uint64_t gb, std::int64_t value, std::uint32_t epoch = 0) {
    return {at(seconds), {gb * 1'000'000'000U}, value, epoch};
}

}  // namespace wearout::analysis::test
