#include "service/alerting.h"

#include "alerts/retired_blocks.h"
#include "service/log.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::service {

namespace {

std::vector<analysis::Observation> retired_block_history(const store::Store& store,
                                                         const store::StoredRun& run) {
    std::vector<analysis::Observation> history;
    for (const auto& series : store.series(run.drive_key, run.id, alerts::retired_block_metric))
        for (const auto& point : series.points)
            history.push_back({point.time, point.written, point.value, point.epoch});
    return history;
}

std::optional<Alert> newest_alert(const store::Store& store, RunId run) {
    std::optional<Alert> newest;
    for (auto& alert : store.alerts())
        if (alert.run == run && alert.rule == alerts::retired_block_rule &&
            (!newest || alert.id > newest->id))
            newest = std::move(alert);
    return newest;
}

}  // namespace

void watch_retired_blocks(store::Store& store, const store::StoredRun& run) {
    const auto history = retired_block_history(store, run);
    const auto alert =
        alerts::retired_block_growth({run.drive_key, run.id, history}, newest_alert(store, run.id));
    if (!alert) return;
    const auto id = store.save_alert(*alert);
    log(LogLevel::warning, fmt::format("alert {}: run {}: {}", id, run.id.value, alert->text),
        {{"MESSAGE_ID", std::string(message_id_retired_blocks)},
         {"WEAROUT_RUN", std::to_string(run.id.value)},
         {"WEAROUT_DRIVE", run.drive_key},
         {"WEAROUT_BASELINE", std::to_string(alert->baseline)},
         {"WEAROUT_VALUE", std::to_string(alert->value)}});
}

}  // namespace wearout::service
