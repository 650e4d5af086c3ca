#pragma once

#include "analysis/curve.h"
#include "facts/alert.h"
#include "facts/metric.h"

#include <optional>
#include <span>
#include <string_view>

namespace wearout::alerts {

/// The rule's name in an Alert, and the one metric that it watches. Factory bad blocks are another metric and
/// never count.
inline constexpr std::string_view retired_block_rule = "retired-block-growth";
inline constexpr Metric retired_block_metric = Metric::retired_blocks;

/// A run's history of `retired_block_metric`, oldest first; its first observation is the baseline. Empty for
/// a drive that does not tell it.
struct RetiredBlockHistory {
    std::string_view drive_key;
    RunId run;
    std::span<const analysis::Observation> observations;
};

/// Grown retired blocks have risen over the run's baseline. Gives the alert to be saved, or none when there
/// is nothing new to say. `previous` is this rule's newest alert for this run, acknowledged or not.
///   - It grew further: the same alert (by id) with the new value, open again if it was acknowledged.
///   - A new epoch restarts the baseline; growth after that is an alert of its own.
///   - `since` is the first observation above the baseline, `updated` the newest one.
[[nodiscard]] std::optional<Alert> retired_block_growth(const RetiredBlockHistory& history,
                                                        const std::optional<Alert>& previous);

}  // namespace wearout::alerts
