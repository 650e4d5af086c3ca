#include "service/session.h"

#include "base/error.h"
#include "base/quantity.h"
#include "block/drive_list.h"
#include "block/safety.h"
#include "health/smartctl.h"
#include "service/alerting.h"
#include "service/log.h"

#include <utility>

#include <fmt/format.h>

namespace wearout::service {

namespace {

using namespace std::chrono_literals;

constexpr auto slice = 100ms;
/// How long a run waits before it looks again for a drive that is away: at first not long, since a killed
/// daemon's claim on a drive takes a moment to go.
constexpr std::chrono::milliseconds first_drive_retry = 50ms;
constexpr std::chrono::milliseconds longest_drive_retry = 5s;
/// A run does not wait longer than this for the sample that it begins with.
constexpr auto first_sample_wait = 15s;

bool is_live(RunState state) {
    return state == RunState::writing || state == RunState::verifying;
}

Sampler::Settings sampler_settings(const Config& config, const std::optional<store::StoredDrive>& drive) {
    const bool simulated = drive && drive->drive.simulated;
    return {config.sample_interval, simulated ? 0ms : 1000ms};
}

}  // namespace

block::OpenOptions Environment::open_options(const RunSpec& spec) const {
    return {.reads_only = spec.reads_only,
            .queue_depth = spec.queue_depth,
            .transfer_bytes = spec.transfer_bytes,
            .state_dir = config.state_dir};
}

Session::Session(Environment environment, store::StoredRun run, std::optional<block::OpenTarget> target)
    : environment_(std::move(environment)),
      run_(std::move(run)),
      drive_(environment_.store.drive(run_.drive_key)),
      journal_(environment_.store, environment_.clock, run_),
      learner_(environment_.store, run_),
      target_(std::move(target)),
      checkpoint_(run_.checkpoint),
      resumed_(!target_.has_value()),
      last_moved_(environment_.clock.steady()) {
    progress_.checkpoint = checkpoint_;
    progress_.written = checkpoint_.counters.written;
    progress_.verified = checkpoint_.counters.verified;
    sampler_ = std::make_unique<Sampler>(
        sampler_settings(environment_.config, drive_),
        [this] {
            const std::scoped_lock lock(mutex_);
            return progress_.written;
        },
        [this](Sample& sample) { take_sample(sample); }, environment_.clock);
    thread_ = std::thread([this] { work(); });
}

Session::~Session() {
    suspend();
    thread_.join();
}

void Session::order(Order order) {
    {
        const std::scoped_lock lock(mutex_);
        orders_.push_back(order);
    }
    wake_.notify_all();
}

void Session::suspend() {
    {
        const std::scoped_lock lock(mutex_);
        suspending_ = true;
    }
    stop_asking_.request_stop();
    wake_.notify_all();
}

bool Session::is_over() const {
    const std::scoped_lock lock(mutex_);
    return wearout::is_over(progress_.checkpoint.state);
}

void Session::rest(std::chrono::milliseconds duration) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, duration, [&] { return suspending_ || !orders_.empty() || drives_changed_; });
    drives_changed_ = false;
}

void Session::drives_changed() {
    {
        const std::scoped_lock lock(mutex_);
        drives_changed_ = true;
    }
    wake_.notify_all();
}

void Session::work() {
    const auto leaving = [this] {
        const std::scoped_lock lock(mutex_);
        return suspending_;
    };
    auto retry = first_drive_retry;
    while (!leaving() && !wearout::is_over(checkpoint_.state)) {
        if (work_while_drive_is_there()) {
            retry = first_drive_retry;
        } else {
            obey_orders();
            rest(retry);
            retry = std::min(2 * retry, longest_drive_retry);
        }
    }
    at_rest_ = true;
}

bool Session::work_while_drive_is_there() {
    try {
        if (!target_ && !open_drive()) return false;
        start_engine();
        work_on_open_drive();
        if (wearout::is_over(checkpoint_.state)) finish_up();
        close_drive();
        return true;
    } catch (const std::exception& error) {
        // Whatever it is, it concerns this run only: the daemon and the other runs go on.
        close_drive();
        wait_for_drive(fmt::format("the run can't go on: {}", error.what()));
        return false;
    }
}

void Session::start_engine() {
    {
        const std::scoped_lock lock(mutex_);
        notes_.clear();
        if (!target_->direct)
            notes_.emplace_back("no O_DIRECT on this target: the kernel's cache stands between");
    }
    std::shared_ptr<health::HealthSource> source;
    if (const auto* face = block::smart_face(*target_->device)) {
        source = sim_health_ = std::make_shared<SimHealth>(*face);
    } else if (!target_->device_path.empty()) {
        source =
            health::smartctl_source(target_->device_path, {.program = environment_.config.smartctl,
                                                           .extra_arguments = {},
                                                           .timeout = environment_.config.smartctl_timeout,
                                                           .stop = stop_asking_.get_token()});
    }
    sampler_->set_source(std::move(source));
    if (!resumed_) {
        sampler_->request_and_wait(SampleReason::start, first_sample_wait);
    } else {
        sampler_->request(SampleReason::start);
    }
    engine_ = std::make_unique<run::Engine>(
        run_.spec, checkpoint_, resumed_, *target_->device, journal_, environment_.clock,
        run::EngineOptions{.checkpoint_interval = environment_.config.checkpoint_interval});
    resumed_ = true;
}

void Session::work_on_open_drive() {
    for (;;) {
        obey_orders();
        const RunState state = engine_->work(slice);
        publish();
        if (wearout::is_over(state)) return;
        if (state == RunState::waiting_drive) {
            log(LogLevel::error,
                fmt::format("run {}: {}: {}", run_.id.value, run_.drive_key, checkpoint_.reason));
            return;
        }
        {
            const std::scoped_lock lock(mutex_);
            if (suspending_) break;
        }
        check_wear_limit();
        if (!is_live(state)) rest(500ms);
    }
    engine_->suspend();
    publish();
}

void Session::obey_orders() {
    std::vector<Order> orders;
    {
        const std::scoped_lock lock(mutex_);
        orders.swap(orders_);
    }
    for (const Order order : orders) {
        try {
            engine_ == nullptr ? obey_without_drive(order) : obey_with_engine(order);
        } catch (const Failure& failure) {
            // It came when the run was no longer in a state for it.
            log(LogLevel::warning, fmt::format("run {}: {}", run_.id.value, failure.what()));
        }
    }
}

void Session::obey_with_engine(Order order) {
    switch (order) {
        case Order::pause:
            return engine_->pause();
        case Order::resume:
            return engine_->resume();
        case Order::stop:
            return engine_->stop("stopped by the user");
    }
}

void Session::obey_without_drive(Order order) {
    Checkpoint changed = checkpoint_;
    switch (order) {
        case Order::pause:
            changed.state = RunState::paused;
            break;
        case Order::resume:
            changed.state = changed.phase;
            break;
        case Order::stop:
            changed.state = RunState::stopped;
            break;
    }
    changed.reason = order == Order::stop ? "stopped by the user while the drive was away" : "";
    try {
        journal_.commit({.checkpoint = changed, .findings = {}, .passes = {}});
        checkpoint_ = changed;
        const std::scoped_lock lock(mutex_);
        progress_.checkpoint = changed;
    } catch (const StorageUnavailable& error) {
        log(LogLevel::error,
            fmt::format("run {}: the order could not be stored: {}", run_.id.value, error.what()));
    }
}

void Session::check_wear_limit() {
    const auto limit = run_.spec.limits.wear_percent;
    if (!limit) return;
    const auto sample = sampler_->latest();
    if (!sample) return;
    for (const auto& reading : sample->readings)
        if (reading.metric == Metric::percentage_used && reading.value >= std::int64_t{*limit})
            engine_->finish(fmt::format("the drive says {} % used", reading.value));
}

void Session::publish() {
    run::Progress now = engine_->progress();
    checkpoint_ = now.checkpoint;
    const auto& counters = checkpoint_.counters;
    const std::uint64_t passes = std::uint64_t{counters.write_passes} + counters.verify_passes;
    {
        const std::scoped_lock lock(mutex_);
        const bool moved = now.position != progress_.position || now.written != progress_.written ||
                           checkpoint_.state != progress_.checkpoint.state;
        if (moved) last_moved_ = environment_.clock.steady();
        progress_ = std::move(now);
    }
    if (passes != passes_sampled_ && !wearout::is_over(checkpoint_.state)) {
        if (passes_sampled_ != unsampled) sampler_->request(SampleReason::pass);
        passes_sampled_ = passes;
    }
}

void Session::finish_up() {
    engine_.reset();
    sampler_->request_and_wait(SampleReason::end, environment_.config.smartctl_timeout + 5s);
    log(LogLevel::info,
        fmt::format("run {} on {} is {}: {}; {} written, {} findings", run_.id.value, run_.drive_key,
                    run_state_names[checkpoint_.state], checkpoint_.reason,
                    format_bytes(checkpoint_.counters.written), checkpoint_.counters.findings.total()),
        {{"MESSAGE_ID", std::string(message_id_run_ended)},
         {"WEAROUT_RUN", std::to_string(run_.id.value)},
         {"WEAROUT_DRIVE", run_.drive_key}});
}

bool Session::open_drive() {
    try {
        block::TargetSpec spec = block::parse_target(run_.spec.target);
        if (spec.kind == block::TargetKind::block_device) {
            spec.path = block::find_drive(run_.drive_key);
            if (spec.path.empty()) throw Failure(ExitCode::unreachable, "the drive is not there");
        }
        // Consent is kept with the run, and with it what the drive's signatures are; all else is looked at
        // again.
        const block::SafetyOptions safety{environment_.protected_paths, true, true};
        if (!run_.spec.reads_only) {
            const auto reasons = block::reasons_not_to_destroy(spec, safety);
            if (!reasons.empty()) throw Failure(ExitCode::refused, reasons.front());
        }
        block::OpenOptions options = environment_.open_options(run_.spec);
        options.may_create = false;
        block::OpenTarget opened = block::open_target(spec, options);
        if (opened.drive.key != run_.drive_key)
            throw Failure(ExitCode::refused,
                          fmt::format("another drive ({}) is in its place", opened.drive.key));
        if (drive_ && (opened.drive.capacity != drive_->drive.capacity ||
                       opened.drive.logical_block_bytes != drive_->drive.logical_block_bytes))
            throw Failure(ExitCode::refused, "its size or its block size is not what it was");
        target_ = std::move(opened);
        return true;
    } catch (const Failure& failure) {
        wait_for_drive(failure.what());
        return false;
    }
}

void Session::wait_for_drive(const std::string& reason) {
    const std::scoped_lock lock(mutex_);
    if (checkpoint_.state == RunState::paused) return;
    if (progress_.checkpoint.reason != reason)
        log(LogLevel::warning, fmt::format("run {} waits for {}: {}", run_.id.value, run_.drive_key, reason));
    progress_.checkpoint.state = RunState::waiting_drive;
    progress_.checkpoint.reason = reason;
    progress_.bytes_per_second = 0;
}

void Session::close_drive() {
    sampler_->set_source(nullptr);
    if (sim_health_) sim_health_->detach();
    sim_health_.reset();
    engine_.reset();
    target_.reset();
}

void Session::take_sample(Sample& sample) {
    try {
        learner_.complete(sample);
        environment_.store.add_sample(run_.drive_key, run_.id, sample);
        watch_retired_blocks(environment_.store, run_);
        learner_.learn(sample);
    } catch (const StorageUnavailable& error) {
        log(LogLevel::error,
            fmt::format("run {}: a sample of {} is lost: {}", run_.id.value, run_.drive_key, error.what()));
    }
    if (!sample.problem.empty() && sample.problem != last_health_problem_)
        log(LogLevel::warning, fmt::format("run {}: {}: {}", run_.id.value, run_.drive_key, sample.problem));
    last_health_problem_ = sample.problem;
}

}  // namespace wearout::service
