#include "service/sampler.h"

#include "base/quantity.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace wearout::service {

/// Shared with the thread, which may outlive the Sampler when a question hangs.
struct Sampler::State {
    State(Settings s, Owner o, Clock& c)
        : settings(std::move(s)), owner(std::move(o)), clock(c), schedule(settings, c.steady()) {}

    const Settings settings;
    const Owner owner;
    Clock& clock;

    std::mutex mutex;
    std::condition_variable changed;
    SamplingSchedule schedule;
    std::shared_ptr<health::HealthSource> source;
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;  ///< The number of `requests` that the newest answer covers.
    std::optional<Sample> latest;
    bool asleep = false;  ///< At the last look.
    bool ending = false;
    bool ended = false;
    std::mutex owner_mutex;  ///< Held while the owner is called; after `ending` is set under it, it is called
                             ///< no more.
};

/// What came of a question.
struct Sampler::Taken {
    SamplingOutcome outcome = SamplingOutcome::failed;
    Sample sample;  ///< Without meaning when asleep.
    std::chrono::nanoseconds took{0};
};

Sampler::Sampler(Settings settings, Owner owner, Clock& clock)
    : state_(std::make_shared<State>(std::move(settings), std::move(owner), clock)) {
    std::thread([state = state_] { serve(state); }).detach();
}

Sampler::~Sampler() {
    {
        const std::scoped_lock owner_lock(state_->owner_mutex);
        const std::scoped_lock lock(state_->mutex);
        state_->ending = true;
    }
    state_->changed.notify_all();
    std::unique_lock lock(state_->mutex);
    state_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return state_->ended; });
}

void Sampler::set_source(std::shared_ptr<health::HealthSource> source) {
    const std::scoped_lock lock(state_->mutex);
    state_->source = std::move(source);
    state_->asleep = false;
    state_->schedule.forget_failures();
}

void Sampler::request(SampleReason reason) {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->schedule.request(reason, state_->clock.steady());
        ++state_->requests;
    }
    state_->changed.notify_all();
}

void Sampler::request_soon(SampleReason reason) {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->schedule.request_soon(reason, state_->clock.steady());
        ++state_->requests;
    }
    state_->changed.notify_all();
}

bool Sampler::request_and_wait(SampleReason reason, std::chrono::milliseconds timeout) {
    request(reason);
    std::unique_lock lock(state_->mutex);
    const auto wanted = state_->requests;
    return state_->changed.wait_for(lock, timeout, [&] { return state_->answered >= wanted; });
}

std::optional<Sample> Sampler::latest() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->latest;
}

std::string Sampler::hindrance() const {
    const std::scoped_lock lock(state_->mutex);
    if (state_->asleep) return "the drive is in standby and is not woken to be asked";
    const auto failures = state_->schedule.failures();
    if (failures == 0) return {};
    return fmt::format("no answer {}, so that it is asked every {} instead of every {}",
                       failures == 1 ? "once" : fmt::format("{} times", failures),
                       format_duration(state_->schedule.interval()),
                       format_duration(state_->settings.interval));
}

std::optional<Sampler::Taken> Sampler::take_sample(State& state, health::HealthSource& source,
                                                   SampleReason reason) {
    const Bytes before = state.owner.written();
    auto* const gaps = state.owner.gaps.get();
    const auto began = state.clock.steady();
    if (gaps != nullptr) gaps->begin_question(began);
    const auto answer = source.ask();
    const auto done = state.clock.steady();
    const auto stall = gaps != nullptr ? gaps->end_question(done) : std::nullopt;
    const std::scoped_lock owner_lock(state.owner_mutex);
    std::uint32_t failures = 0;
    {
        // Where the Sampler is gone, so may be all that this thread was lent.
        const std::scoped_lock lock(state.mutex);
        if (state.ending) return std::nullopt;
        failures = state.schedule.failures();
    }
    Taken taken;
    taken.took = done - began;
    if (answer.asleep) {
        taken.outcome = SamplingOutcome::asleep;
        return taken;
    }
    taken.sample = health::decode(answer);
    taken.sample.time = state.clock.wall();
    taken.sample.reason = reason;
    taken.sample.run_written = before;
    taken.sample.stall = stall;
    // A decoder is named where there was something to decode.
    if (!taken.sample.decoder.empty()) taken.outcome = SamplingOutcome::answered;
    state.owner.sink(taken.sample);
    const auto interval = format_duration(state.settings.interval);
    if (failures == 0 && taken.outcome == SamplingOutcome::failed)
        state.owner.tell(LogLevel::warning,
                         fmt::format("its wear counters are read less and less often than every {} until "
                                     "it answers",
                                     interval));
    if (failures > 0 && taken.outcome == SamplingOutcome::answered)
        state.owner.tell(LogLevel::info, fmt::format("its wear counters are read every {} again", interval));
    return taken;
}

void Sampler::serve(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    while (!state->ending) {
        const auto due = state->schedule.next();
        if (state->clock.steady() < due) {
            state->clock.wait_until(lock, state->changed, due);
            continue;
        }
        const auto reason = state->schedule.begin(state->clock.steady());
        const auto covers = state->requests;
        const auto source = state->source;
        if (source != nullptr) {
            lock.unlock();
            auto taken = take_sample(*state, *source, reason);
            lock.lock();
            if (!taken) break;
            state->schedule.end(taken->outcome, state->clock.steady(), taken->took);
            state->asleep = taken->outcome == SamplingOutcome::asleep;
            if (!state->asleep) state->latest = std::move(taken->sample);
        }
        state->answered = covers;
        state->changed.notify_all();
    }
    state->ended = true;
    state->changed.notify_all();
}

}  // namespace wearout::service
