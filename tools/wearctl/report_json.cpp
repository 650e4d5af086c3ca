#include "base/quantity.h"
#include "tools/wearctl/report.h"
#include "tools/wearctl/report_sampling.h"
#include "tools/wearctl/wear_json.h"

namespace wearout::tools {

namespace {

Json drive_json(const Drive& drive) {
    return {{"model", drive.model},
            {"serial", drive.serial},
            {"wwn", drive.wwn},
            {"firmware", drive.firmware},
            {"capacity_bytes", drive.capacity.value},
            {"logical_block_bytes", drive.logical_block_bytes},
            {"transport", drive.transport},
            {"simulated", drive.simulated},
            {"key", drive.key}};
}

Json run_json(const store::StoredRun& run) {
    const RunCounters& counters = run.checkpoint.counters;
    return {{"id", run.id.value},
            {"profile", run.spec.profile},
            {"workload", "sequential"},
            {"seed", run.spec.pattern.seed},
            {"state", run_state_names[run.checkpoint.state]},
            {"started", format_iso_time(run.started)},
            {"ended", run.ended ? Json(format_iso_time(*run.ended)) : Json(nullptr)},
            {"active_seconds", static_cast<double>(counters.active.count()) / 1000},
            {"passes", run.spec.reads_only ? counters.verify_passes : counters.write_passes},
            {"target", run.spec.target}};
}

Json tbw_json(const Tbw& tbw) {
    return {{"written_bytes", tbw.written.value},
            {"verified_bytes", tbw.verified.value},
            {"host_bytes_by_drive", or_null(tbw.host_bytes_by_drive)},
            {"rated_bytes", or_null(tbw.rated)},
            {"rating_source", tbw.rating_source.empty() ? Json(nullptr) : Json(tbw.rating_source)},
            {"rated_dwpd",
             tbw.rated_dwpd_milli ? Json(static_cast<double>(*tbw.rated_dwpd_milli) / 1000) : Json(nullptr)},
            {"warranty_years", or_null(tbw.warranty_years)},
            {"rated_used_percent", or_null(tbw.rated_used_percent)}};
}

Json findings_json(const FindingCounts& counts) {
    Json by_class = Json::object();
    for (std::size_t i = 0; i < finding_class_count; ++i)
        by_class[std::string(finding_class_names.names[i])] = counts.ranges[i];
    return {{"total", counts.total()}, {"by_class", std::move(by_class)}};
}

Json counters_json(const std::vector<CounterUnit>& units) {
    Json all = Json::array();
    for (const CounterUnit& unit : units) {
        const bool measured = unit.bytes_per_step > 0;
        all.push_back(
            {{"field", unit.field},
             {"metric", metric_names[unit.metric]},
             {"verdict", counter_verdict_names[unit.verdict]},
             {"catalogue_step_bytes", or_null(unit.catalogue_step)},
             {"step_bytes", or_null(unit.step)},
             {"measured_step_bytes", measured ? Json(unit.bytes_per_step) : Json(nullptr)},
             {"low", measured ? Json(unit.low) : Json(nullptr)},
             {"high", measured ? Json(unit.high) : Json(nullptr)},
             {"written_bytes", unit.written.value},
             {"steps", unit.grown},
             {"samples", unit.samples},
             {"longest_still_bytes", unit.longest_still.value},
             {"longest_still_seconds", static_cast<double>(unit.longest_still_time.count()) / 1000}});
    }
    return all;
}

}  // namespace

std::string report_json(const Report& report) {
    Json json = {{"schema", 1}};
    json["drive"] = drive_json(report.subject.drive.drive);
    json["run"] = run_json(report.subject.run);
    json["verdict"] = {{"result", verdict_names[report.verdict.result]}, {"reasons", report.verdict.reasons}};
    json["tbw"] = tbw_json(report.tbw);
    json["findings"] = findings_json(report.subject.run.checkpoint.counters.findings);
    json["wear"] = wear_json(report.wear);
    json["waf"] = waf_json(report.waf);
    json["forecast"] = forecast_json(report.forecasts);
    json["curves"] = curves_json(report.curves);
    json["counters"] = counters_json(report.counter_units);
    json["sampling"] = sampling_json(report.sampling);
    return json_text(json);
}

}  // namespace wearout::tools
