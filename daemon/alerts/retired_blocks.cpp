#include "alerts/retired_blocks.h"

#include "analysis/rate.h"
#include "base/quantity.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::alerts {

namespace {

std::string describe(const Alert& alert) {
    const auto grown = alert.value - alert.baseline;
    auto text = fmt::format("{} more retired block{} ({} -> {}) since {}", grown, grown == 1 ? "" : "s",
                            alert.baseline, alert.value, format_time(alert.since));
    if (alert.per_tb) text += fmt::format(", {} per TB written", format_real(*alert.per_tb));
    return text;
}

}  // namespace

std::optional<Alert> retired_block_growth(const RetiredBlockHistory& history,
                                          const std::optional<Alert>& previous) {
    if (history.observations.empty()) return std::nullopt;
    const auto epoch = analysis::newest_epoch(history.observations);
    const auto& baseline = epoch.front();
    const auto& newest = epoch.back();
    const auto above = std::find_if(epoch.begin(), epoch.end(),
                                    [&](const auto& seen) { return seen.value > baseline.value; });
    if (above == epoch.end()) return std::nullopt;

    Alert alert;
    // An alert from before the newest baseline speaks of other counts.
    const bool same = previous && previous->since > baseline.time;
    if (same) {
        if (newest.value <= previous->value) return std::nullopt;
        alert.id = previous->id;
    }
    alert.drive_key = history.drive_key;
    alert.run = history.run;
    alert.rule = retired_block_rule;
    alert.baseline = baseline.value;
    alert.value = newest.value;
    alert.per_tb = analysis::growth(epoch)->per_tb;
    alert.since = above->time;
    alert.updated = newest.time;
    alert.text = describe(alert);
    return alert;
}

}  // namespace wearout::alerts
