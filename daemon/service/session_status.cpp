#include "base/quantity.h"
#include "service/session.h"
#include "service/status.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace wearout::service {

namespace {

using namespace std::chrono_literals;

/// No progress for so long, though nothing keeps the run from going on: the drive hangs.
constexpr auto stuck_after = 60s;

std::uint64_t range_bytes(const RunSpec& spec, Bytes capacity) {
    const std::uint64_t end = std::min(spec.range.end() * unit_bytes, capacity.value);
    return end - spec.range.first.byte_offset();
}

/// Bytes that are still to be moved (written or read) until a limit ends the run, for the limits that say so.
std::optional<double> bytes_to_go(const RunSpec& spec, const run::Progress& progress, double range) {
    const double share = progress.positions == 0 ? 0
                                                 : static_cast<double>(progress.position) /
                                                       static_cast<double>(progress.positions);
    const bool verifying = progress.checkpoint.phase == RunState::verifying;
    const double pass_rest = range * (1 - share);
    if (spec.reads_only) return pass_rest;
    const double passes_per_generation = spec.verify ? 2 : 1;
    std::optional<double> least;
    const auto consider = [&](double bytes) {
        least = std::min(least.value_or(bytes), std::max(bytes, 0.0));
    };
    if (spec.limits.passes) {
        const double generations_after =
            *spec.limits.passes - static_cast<double>(progress.checkpoint.media.generation.value);
        consider(generations_after * passes_per_generation * range + pass_rest +
                 (spec.verify && !verifying ? range : 0));
    }
    if (spec.limits.written)
        consider(
            (static_cast<double>(spec.limits.written->value) - static_cast<double>(progress.written.value)) *
            passes_per_generation);
    return least;
}

std::optional<double> eta_seconds(const RunSpec& spec, const run::Progress& progress, double range) {
    std::optional<double> least;
    if (progress.bytes_per_second > 0)
        if (const auto bytes = bytes_to_go(spec, progress, range)) least = *bytes / progress.bytes_per_second;
    if (spec.limits.active_time) {
        const std::chrono::duration<double> rest =
            *spec.limits.active_time - progress.checkpoint.counters.active;
        least = std::min(least.value_or(rest.count()), std::max(rest.count(), 0.0));
    }
    return least;
}

void add_progress(control::RunStatus& status, const store::StoredRun& run, const run::Progress& progress,
                  Bytes capacity) {
    const auto& checkpoint = progress.checkpoint;
    status.state = run_state_names[checkpoint.state];
    status.phase = run_state_names[checkpoint.phase];
    status.reason = checkpoint.reason;
    status.pass = checkpoint.media.generation.value;
    status.pass_limit = run.spec.limits.passes;
    status.open_ended = run.spec.limits == Limits{} && !run.spec.reads_only;
    if (progress.positions > 0)
        status.pass_percent =
            100 * static_cast<double>(progress.position) / static_cast<double>(progress.positions);
    status.written_bytes = progress.written.value;
    status.verified_bytes = progress.verified.value;
    status.active_seconds = std::chrono::duration<double>(checkpoint.counters.active).count();
    const auto& counts = checkpoint.counters.findings;
    status.findings_total = counts.total();
    for (std::size_t i = 0; i < finding_class_count; ++i)
        if (counts.ranges.at(i) > 0)
            status.findings[std::string(finding_class_names.names.at(i))] = counts.ranges.at(i);
    if (checkpoint.state == RunState::writing || checkpoint.state == RunState::verifying) {
        status.bytes_per_second = progress.bytes_per_second;
        status.eta_seconds =
            eta_seconds(run.spec, progress, static_cast<double>(range_bytes(run.spec, capacity)));
    }
}

}  // namespace

std::map<std::string, std::int64_t> wear_of(const std::optional<Sample>& sample) {
    std::map<std::string, std::int64_t> wear;
    if (sample)
        for (const auto& reading : sample->readings)
            wear[std::string(metric_names[reading.metric])] = reading.value;
    return wear;
}

control::RunStatus status_of(const store::StoredRun& run, const std::optional<store::StoredDrive>& drive,
                             const run::Progress& progress, const std::optional<Sample>& sample) {
    control::RunStatus status;
    status.id = run.id.value;
    status.drive_key = run.drive_key;
    if (drive) {
        status.model = drive->drive.model;
        status.serial = drive->drive.serial;
    }
    status.target = run.spec.target;
    status.profile = run.spec.profile;
    status.started = format_iso_time(run.started);
    if (run.spec.rating) status.rating_bytes = run.spec.rating->value;
    add_progress(status, run, progress,
                 drive ? drive->drive.capacity : Bytes{run.spec.range.end() * unit_bytes});
    status.wear = wear_of(sample);
    status.health = !sample ? "no wear counters read yet" : sample->problem.empty() ? "ok" : sample->problem;
    return status;
}

control::RunStatus status_of(const store::StoredRun& run, const std::optional<store::StoredDrive>& drive,
                             const std::optional<Sample>& sample) {
    run::Progress progress;
    progress.checkpoint = run.checkpoint;
    progress.written = run.checkpoint.counters.written;
    progress.verified = run.checkpoint.counters.verified;
    return status_of(run, drive, progress, sample);
}

control::RunStatus Session::status() const {
    run::Progress progress;
    std::vector<std::string> notes;
    SteadyTime last_moved;
    bool tells_wear = true;
    {
        const std::scoped_lock lock(mutex_);
        progress = progress_;
        notes = notes_;
        last_moved = last_moved_;
        tells_wear = tells_wear_;
    }
    auto status = status_of(run_, drive_, progress, sampler_->latest());
    status.notes = std::move(notes);
    if (const auto hindrance = sampler_->hindrance(); !hindrance.empty())
        status.health = status.health == "ok" ? hindrance : status.health + "; " + hindrance;
    if (!tells_wear) status.health = "this target has no SMART: no wear counters";
    if (wearout::is_over(progress.checkpoint.state) && !at_rest()) status.state = "ending";
    const bool live =
        progress.checkpoint.state == RunState::writing || progress.checkpoint.state == RunState::verifying;
    const auto still = environment_.clock.steady() - last_moved;
    if (live && still > stuck_after) {
        status.state = "stuck";
        status.reason =
            fmt::format("the drive has not answered for {}",
                        format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(still)));
    }
    return status;
}

}  // namespace wearout::service
