#pragma once

#include "base/clock.h"
#include "base/types.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wearout {

/// A rule that came true for a drive: open until acknowledged, and updated while it grows.
struct Alert {
    std::int64_t id = 0;
    std::string drive_key;
    std::optional<RunId> run;
    std::string rule;              ///< "retired-block-growth"
    std::string text;              ///< One line for the user.
    std::int64_t baseline = 0;     ///< The metric's value when the run began,
    std::int64_t value = 0;        ///< and now.
    std::optional<double> per_tb;  ///< Growth per 10^12 bytes written by the run.
    WallTime since;
    WallTime updated;
    std::optional<WallTime> acknowledged;
};

}  // namespace wearout
