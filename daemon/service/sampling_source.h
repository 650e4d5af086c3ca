#pragma once

#include "base/clock.h"
#include "block/target.h"
#include "health/health_source.h"
#include "service/config.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace wearout::service {

/// What asking a drive takes from the daemon.
struct Asking {
    const Config& config;
    store::Store& store;
    Clock& clock;
    std::stop_token stop;
    /// Whether nothing of ours keeps the drive awake. Any thread, at any time.
    std::function<bool()> idle;
};

/// Where an open drive's wear counters come from: smartctl, as the configuration says, or for a drive behind
/// a USB bridge as found out by trying. Null: nowhere, as it is no drive. What is another drive's answer is
/// not handed on.
[[nodiscard]] std::shared_ptr<health::HealthSource> make_health_source(const block::OpenTarget& target,
                                                                       const Asking& asking);

}  // namespace wearout::service
