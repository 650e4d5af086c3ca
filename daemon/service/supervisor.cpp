#include "service/supervisor.h"

#include "base/error.h"
#include "base/quantity.h"
#include "block/safety.h"
#include "service/log.h"
#include "service/start_request.h"
#include "service/status.h"
#include "workload/profile.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace wearout::service {

namespace {

void refuse_pointless(Session::Order order, const control::RunStatus& now) {
    const bool paused = now.state == run_state_names[RunState::paused];
    if (order == Session::Order::pause && paused)
        throw usage_error(fmt::format("run {} is paused already", now.id));
    if (order == Session::Order::resume && !paused)
        throw usage_error(fmt::format("run {} is not paused: it is {}", now.id, now.state));
}

}  // namespace

Supervisor::Supervisor(Environment environment) : environment_(std::move(environment)) {}

Supervisor::~Supervisor() {
    for (const auto& [id, session] : sessions_)
        session->suspend();
}

std::size_t Supervisor::resume_all() {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (auto& run : environment_.store.unfinished_runs()) {
        const RunId id = run.id;
        log(LogLevel::info, fmt::format("run {} on {} goes on ({}, {} written so far)", id.value,
                                        run.drive_key, run_state_names[run.checkpoint.state],
                                        format_bytes(run.checkpoint.counters.written)));
        sessions_.emplace(id, std::make_unique<Session>(environment_, std::move(run), std::nullopt));
        ++count;
    }
    return count;
}

Supervisor::Candidate Supervisor::examine(const std::string& target) const {
    Candidate candidate;
    candidate.spec = block::parse_target(target);
    candidate.drive = block::identify(candidate.spec, {.state_dir = environment_.config.state_dir});
    const auto known = environment_.store.drive(candidate.drive.key);
    candidate.ours = known && known->ours;
    candidate.consent = block::consent_wanted(candidate.spec, candidate.drive, candidate.ours);
    return candidate;
}

std::vector<std::string> Supervisor::refusals(const Candidate& candidate, bool confirmed,
                                              bool overwrite_signature) const {
    std::vector<std::string> reasons;
    block::SafetyOptions safety{environment_.protected_paths, overwrite_signature,
                                candidate.ours || confirmed};
    auto found = block::reasons_not_to_destroy(candidate.spec, safety);
    if (!overwrite_signature && !found.empty()) {
        safety.overwrite_signature = true;
        const auto always = block::reasons_not_to_destroy(candidate.spec, safety);
        for (auto& reason : found)
            if (std::ranges::find(always, reason) == always.end())
                reason += " (--overwrite-signature overwrites it all the same)";
    }
    std::ranges::move(found, std::back_inserter(reasons));
    return reasons;
}

control::ConsentInfo Supervisor::consent(const std::string& target) const {
    const Candidate candidate = examine(target);
    control::ConsentInfo info;
    info.model = candidate.drive.model;
    info.serial = candidate.drive.serial;
    info.capacity_bytes = candidate.drive.capacity.value;
    info.type_this = candidate.consent;
    // As if the user had consented: what is left is what no consent lifts.
    info.reasons = refusals(candidate, true, false);
    const std::scoped_lock lock(mutex_);
    if (auto reason = taken(candidate.drive.key); !reason.empty())
        info.reasons.insert(info.reasons.begin(), std::move(reason));
    return info;
}

store::StoredRun Supervisor::new_run(const Candidate& candidate, const control::StartRequest& request) const {
    store::StoredRun run;
    run.drive_key = candidate.drive.key;
    run.spec = make_spec(request, candidate.drive);
    run.started = environment_.clock.wall();
    if (!run.spec.reads_only) {
        run.checkpoint = run::initial_checkpoint(run.spec, nullptr);
        return run;
    }
    const auto subject = environment_.store.last_writer(candidate.drive.key);
    if (!subject)
        throw Failure(ExitCode::insufficient_data,
                      "no run has written to this drive yet, so there is nothing to compare it with");
    run.spec.subject = subject->id;
    run.spec.pattern = subject->spec.pattern;
    run.spec.range = subject->spec.range;
    run.checkpoint = run::initial_checkpoint(run.spec, &subject->checkpoint);
    return run;
}

std::string Supervisor::taken(const std::string& drive_key) const {
    if (const auto* session = session_on(drive_key))
        return fmt::format("run {} is on this drive already", session->id().value);
    return starting_.contains(drive_key) ? "a run on this drive is being started just now" : "";
}

Supervisor::Claim::Claim(Supervisor& supervisor, const std::string& target, std::string drive_key)
    : supervisor_(supervisor), drive_key_(std::move(drive_key)) {
    const std::scoped_lock lock(supervisor_.mutex_);
    supervisor_.forget_sessions_that_are_over();
    if (const auto reason = supervisor_.taken(drive_key_); !reason.empty())
        throw Failure(ExitCode::refused, fmt::format("{}: {}", target, reason));
    supervisor_.starting_.insert(drive_key_);
}

Supervisor::Claim::~Claim() {
    const std::scoped_lock lock(supervisor_.mutex_);
    supervisor_.starting_.erase(drive_key_);
}

void Supervisor::check(const Candidate& candidate, const control::StartRequest& request) const {
    const bool confirmed = candidate.consent.empty() || request.confirm == candidate.consent;
    const auto reasons = refusals(candidate, confirmed, request.overwrite_signature);
    if (!reasons.empty())
        throw Failure(ExitCode::refused, fmt::format("{}: {}", request.target, fmt::join(reasons, "; ")));
    if (confirmed) return;
    throw Failure(ExitCode::refused,
                  request.confirm.empty()
                      ? fmt::format("{}: everything on it would be destroyed; consent with --confirm '{}'",
                                    request.target, candidate.consent)
                      : fmt::format("{}: '{}' is not what this drive is called ('{}'); nothing was written",
                                    request.target, request.confirm, candidate.consent));
}

RunId Supervisor::start(const control::StartRequest& request) {
    const bool reads_only = workload::find_profile(request.profile).reads_only;
    const Candidate candidate = examine(request.target);
    const Claim claim(*this, request.target, candidate.drive.key);
    if (!reads_only) check(candidate, request);
    store::StoredRun run = new_run(candidate, request);
    block::OpenOptions options = environment_.open_options(run.spec);
    options.may_create = !run.spec.reads_only;
    block::OpenTarget opened = block::open_target(candidate.spec, options);
    if (opened.drive.key != candidate.drive.key || opened.drive.capacity != candidate.drive.capacity)
        throw Failure(ExitCode::refused,
                      fmt::format("{}: another drive came in its place just now", request.target));

    const std::scoped_lock lock(mutex_);
    environment_.store.remember_drive(opened.drive, candidate.ours || opened.created);
    run.id = environment_.store.add_run(run.drive_key, run.spec, run.checkpoint, run.started);
    log(LogLevel::info,
        fmt::format("run {} starts: profile {} on {} ({} {}), seed {}", run.id.value, run.spec.profile,
                    run.drive_key, opened.drive.model, format_capacity(opened.drive.capacity),
                    run.spec.pattern.seed),
        {{"MESSAGE_ID", std::string(message_id_run_started)},
         {"WEAROUT_RUN", std::to_string(run.id.value)},
         {"WEAROUT_DRIVE", run.drive_key}});
    const RunId id = run.id;
    sessions_.emplace(id, std::make_unique<Session>(environment_, std::move(run), std::move(opened)));
    return id;
}

const Session* Supervisor::session_on(const std::string& drive_key) const {
    for (const auto& [id, session] : sessions_)
        if (session->drive_key() == drive_key && !(session->is_over() && session->at_rest()))
            return session.get();
    return nullptr;
}

void Supervisor::forget_sessions_that_are_over() {
    std::erase_if(sessions_,
                  [](const auto& entry) { return entry.second->is_over() && entry.second->at_rest(); });
}

control::RunStatus Supervisor::order(RunId run, Session::Order order) {
    {
        const std::scoped_lock lock(mutex_);
        const auto found = sessions_.find(run);
        if (found != sessions_.end() && !found->second->is_over()) {
            refuse_pointless(order, found->second->status());
            found->second->order(order);
            return found->second->status();
        }
    }
    const auto status_now = status(run);  // Throws when there is no such run.
    throw usage_error(fmt::format("run {} is over ({})", run.value, status_now.state));
}

control::RunStatus Supervisor::status(RunId run) const {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(run);
    if (found != sessions_.end()) return found->second->status();
    const auto stored = environment_.store.run(run);
    if (!stored) throw usage_error(fmt::format("there is no run {}", run.value));
    return status_of(*stored, environment_.store.drive(stored->drive_key),
                     environment_.store.last_sample(stored->drive_key));
}

std::vector<control::RunStatus> Supervisor::statuses() const {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, const store::StoredRun*> last_on;
    const auto runs = environment_.store.runs();
    for (const auto& run : runs)
        last_on[run.drive_key] = &run;
    std::vector<control::RunStatus> statuses;
    for (const auto& run : runs) {
        const auto session = sessions_.find(run.id);
        if (session != sessions_.end()) {
            statuses.push_back(session->second->status());
        } else if (last_on[run.drive_key] == &run) {
            statuses.push_back(status_of(run, environment_.store.drive(run.drive_key),
                                         environment_.store.last_sample(run.drive_key)));
        }
    }
    return statuses;
}

void Supervisor::acknowledge_alert(std::int64_t id) {
    if (!environment_.store.acknowledge_alert(id, environment_.clock.wall()))
        throw usage_error(fmt::format("there is no alert {}", id));
}

bool Supervisor::drives_changed() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    for (const auto& [id, session] : sessions_)
        session->drives_changed();
    return true;
}

bool Supervisor::come_to_rest(std::chrono::milliseconds timeout) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, session] : sessions_)
        session->suspend();
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (const auto& [id, session] : sessions_)
        while (!session->at_rest()) {
            if (std::chrono::steady_clock::now() > deadline) {
                log(LogLevel::error,
                    fmt::format("run {}: {} does not come to rest", id.value, session->drive_key()));
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    return true;
}

std::string Supervisor::summary() const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return "busy with a request";
    double rate = 0;
    std::size_t live = 0;
    for (const auto& [id, session] : sessions_) {
        if (session->is_over()) continue;
        ++live;
        rate += session->status().bytes_per_second;
    }
    if (live == 0) return "idle";
    return fmt::format("{} {}, {}", live, live == 1 ? "run" : "runs", format_rate(rate));
}

}  // namespace wearout::service
