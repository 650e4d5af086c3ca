#include "service/sampler.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace wearout::service {

/// Shared with the thread, which may outlive the Sampler when a question hangs.
struct Sampler::State {
    State(Settings s, Written w, Sink k, Clock& c)
        : settings(s), written(std::move(w)), sink(std::move(k)), clock(c) {}

    const Settings settings;
    const Written written;
    const Sink sink;
    Clock& clock;

    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<health::HealthSource> source;
    std::optional<SampleReason> requested;
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;  ///< The number of `requests` that the newest answer covers.
    std::optional<Sample> latest;
    bool ending = false;
    bool ended = false;
    std::mutex sink_mutex;  ///< Held while the sink runs; after `ending` is set under it, the sink is called
                            ///< no more.
};

Sampler::Sampler(Settings settings, Written written, Sink sink, Clock& clock)
    : state_(std::make_shared<State>(settings, std::move(written), std::move(sink), clock)) {
    std::thread([state = state_] { serve(state); }).detach();
}

Sampler::~Sampler() {
    {
        const std::scoped_lock sink_lock(state_->sink_mutex);
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
}

void Sampler::request(SampleReason reason) {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->requested = reason;
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

std::optional<Sample> Sampler::take_sample(State& state, health::HealthSource& source, SampleReason reason) {
    const Bytes before = state.written();
    const auto answer = source.ask();
    const std::scoped_lock sink_lock(state.sink_mutex);
    {
        // Where the Sampler is gone, so may be all that this thread was lent.
        const std::scoped_lock lock(state.mutex);
        if (state.ending) return std::nullopt;
    }
    Sample sample = health::decode(answer);
    sample.time = state.clock.wall();
    sample.reason = reason;
    sample.run_written = before;
    state.sink(sample);
    return sample;
}

void Sampler::serve(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    auto next_periodic = std::chrono::steady_clock::now() + state->settings.interval;
    auto earliest = std::chrono::steady_clock::now();
    while (!state->ending) {
        const auto wake = state->requested ? std::min(earliest, next_periodic) : next_periodic;
        if (std::chrono::steady_clock::now() < wake) {
            state->changed.wait_until(lock, wake);
            continue;
        }
        const auto reason = std::exchange(state->requested, std::nullopt).value_or(SampleReason::periodic);
        const auto covers = state->requests;
        const auto source = state->source;
        next_periodic = std::chrono::steady_clock::now() + state->settings.interval;
        if (source != nullptr) {
            lock.unlock();
            auto sample = take_sample(*state, *source, reason);
            lock.lock();
            if (!sample) break;
            state->latest = std::move(sample);
        }
        state->answered = covers;
        earliest = std::chrono::steady_clock::now() + state->settings.min_gap;
        state->changed.notify_all();
    }
    state->ended = true;
    state->changed.notify_all();
}

}  // namespace wearout::service
