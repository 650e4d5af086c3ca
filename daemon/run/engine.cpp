#include "run/engine.h"

#include "base/error.h"
#include "run/engine_impl.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wearout::run {

namespace {

/// Throws a Failure (usage) for what no engine can work with.
void check(const RunSpec& spec, const Checkpoint& checkpoint, const block::BlockDevice& device) {
    const std::uint64_t units = (device.geometry().capacity.value + unit_bytes - 1) / unit_bytes;
    if (spec.range.count == 0 || spec.range.first.value >= units ||
        spec.range.count > units - spec.range.first.value)
        throw usage_error(fmt::format("the range of units {}+{} does not lie on the drive, which has {}",
                                      spec.range.first.value, spec.range.count, units));
    if (spec.transfer_bytes == 0 || spec.transfer_bytes % unit_bytes != 0 ||
        spec.transfer_bytes > device.buffer_bytes())
        throw usage_error(fmt::format("transfers of {} bytes: they must be a multiple of {} and at most {}",
                                      spec.transfer_bytes, unit_bytes, device.buffer_bytes()));
    if (spec.queue_depth == 0) throw usage_error("a queue depth of 0: it must be at least 1");
    const MediaState& media = checkpoint.media;
    if (media.flushed_to > media.issued_to || media.issued_to > spec.range.count ||
        checkpoint.verify_position > spec.range.count || media.generation.value == 0)
        throw usage_error("the run's checkpoint contradicts itself");
    if (checkpoint.phase != RunState::writing && checkpoint.phase != RunState::verifying)
        throw usage_error("the run's checkpoint says neither writing nor verifying");
    if (spec.reads_only && checkpoint.phase == RunState::writing)
        throw usage_error("a run that only reads can't write");
}

Checkpoint after_restart(Checkpoint checkpoint) {
    if (!is_over(checkpoint.state))
        checkpoint.media.restart_mark = std::max(checkpoint.media.restart_mark, checkpoint.media.flushed_to);
    return checkpoint;
}

}  // namespace

Engine::Impl::Impl(RunSpec spec, Checkpoint checkpoint, block::BlockDevice& device, Journal& journal,
                   Clock& clock, EngineOptions options)
    : spec_(std::move(spec)),
      now_((check(spec_, checkpoint, device), std::move(checkpoint))),
      device_(device),
      clock_(clock),
      options_(options),
      walk_(spec_.range, device.geometry().capacity, spec_.transfer_bytes),
      log_(now_.counters, options.max_stored_findings),
      checkpointer_(now_, log_, journal, clock),
      limit_(spec_.bytes_per_second),
      queue_depth_(std::min(spec_.queue_depth, device.queue_depth())),
      completions_(queue_depth_),
      last_checkpoint_(clock.steady()),
      last_tick_(last_checkpoint_) {
    if (now_.state == RunState::waiting_drive) move(Event::drive_back);
    if (now_.state == RunState::waiting_storage) move(Event::storage_back);
    if (now_.pass.started == WallTime{}) checkpointer_.begin_pass(now_.phase);
    begin_pass();
}

void Engine::Impl::pause() {
    (void)transition(now_.state, Event::pause, now_.phase);
    if (ending_) throw usage_error("the run is about to end: it can't be paused");
    come_to_rest();
    if (is_over(now_.state)) return;
    move(Event::pause);
    (void)save(findings_certain());
}

void Engine::Impl::resume() {
    move(Event::resume);
    last_checkpoint_ = last_tick_ = clock_.steady();
    (void)save(findings_certain());
}

void Engine::Impl::suspend() {
    if (is_over(now_.state)) return;
    if (ending_) {
        end(ending_->event, ending_->reason);
        return;
    }
    if (now_.state == RunState::waiting_storage) {
        retry_storage();
    } else {
        come_to_rest();
        if (!is_over(now_.state)) (void)save(findings_certain());
    }
}

Progress Engine::Impl::progress() const {
    Progress progress;
    progress.checkpoint = now_;
    progress.checkpoint.counters.findings = log_.counts();
    progress.checkpoint.pass = checkpointer_.current_pass();
    progress.position = pass_->done_to();
    progress.positions = walk_.positions();
    progress.bytes_per_second = active() ? meter_.per_second() : 0;
    progress.written = now_.counters.written;
    progress.verified = now_.counters.verified;
    return progress;
}

Engine::Engine(RunSpec spec, Checkpoint checkpoint, bool resumed, block::BlockDevice& device,
               Journal& journal, Clock& clock, EngineOptions options)
    : impl_(std::make_unique<Impl>(std::move(spec),
                                   resumed ? after_restart(std::move(checkpoint)) : std::move(checkpoint),
                                   device, journal, clock, options)) {}

Engine::~Engine() = default;

RunState Engine::work(std::chrono::milliseconds slice) {
    return impl_->work(slice);
}

void Engine::pause() {
    impl_->pause();
}

void Engine::resume() {
    impl_->resume();
}

void Engine::stop(const std::string& reason) {
    impl_->end(Event::stop, reason);
}

void Engine::finish(const std::string& reason) {
    impl_->end(Event::limit_reached, reason);
}

void Engine::suspend() {
    impl_->suspend();
}

Progress Engine::progress() const {
    return impl_->progress();
}

Checkpoint initial_checkpoint(const RunSpec& spec, const Checkpoint* subject) {
    Checkpoint checkpoint;
    if (!spec.reads_only) return checkpoint;
    if (subject == nullptr)
        throw usage_error("a run that only reads needs to know which run wrote what is on the drive");
    checkpoint.state = checkpoint.phase = RunState::verifying;
    checkpoint.media = subject->media;
    return checkpoint;
}

}  // namespace wearout::run
