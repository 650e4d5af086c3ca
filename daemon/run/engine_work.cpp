#include "run/engine_impl.h"
#include "run/verify_pass.h"

#include <algorithm>
#include <chrono>

namespace wearout::run {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

/// A slice ends after so many steps even where the clock stands still.
constexpr int max_steps = 4096;
constexpr auto longest_wait = 100ms;

}  // namespace

bool Engine::Impl::active() const {
    return now_.state == RunState::writing || now_.state == RunState::verifying;
}

void Engine::Impl::tick() {
    const SteadyTime time = clock_.steady();
    if (active()) {
        active_rest_ += time - last_tick_;
        const auto whole = std::chrono::floor<milliseconds>(active_rest_);
        active_rest_ -= whole;
        now_.counters.active += whole;
        now_.pass.active += whole;
        meter_.update(time, bytes_moved_);
    }
    last_tick_ = time;
}

RunState Engine::Impl::work(milliseconds slice) {
    last_tick_ = clock_.steady();
    const SteadyTime deadline = last_tick_ + slice;
    if (!active() && checkpointer_.behind() &&
        clock_.steady() - checkpointer_.last_attempt() >= options_.storage_retry)
        retry_storage();
    for (int steps = 0; steps < max_steps && active() && clock_.steady() < deadline; ++steps)
        step(deadline);
    tick();
    return now_.state;
}

void Engine::Impl::step(SteadyTime deadline) {
    tick();
    if (ended_by_itself()) return;
    if (clock_.steady() - last_checkpoint_ >= options_.checkpoint_interval) {
        checkpoint();
        if (!active()) return;
    }
    if (wants_ahead()) {
        move_ahead();
        if (!active()) return;
    }
    fill_queue();
    const SteadyTime time = clock_.steady();
    const nanoseconds left = std::max<nanoseconds>(deadline - time, 1ms);
    const nanoseconds until_next = limit_.wait(time);
    if (pass_->in_flight() > 0) {
        nanoseconds wait = std::min<nanoseconds>(left, longest_wait);
        if (until_next > 0ns) wait = std::min(wait, until_next);
        collect(std::chrono::ceil<milliseconds>(wait), true);
    } else if (until_next > 0ns) {
        clock_.sleep_for(std::min(until_next, left));
    }
}

void Engine::Impl::fill_queue() {
    while (limit_.wait(clock_.steady()) == 0ns) {
        const std::uint32_t bytes = pass_->issue_one();
        if (bytes == 0) return;
        limit_.spend(bytes);
    }
}

void Engine::Impl::collect(milliseconds timeout, bool refill) {
    const std::size_t count = device_.reap(completions_, timeout);
    if (count > 0 && options_.gaps != nullptr) options_.gaps->completed(clock_.steady());
    for (std::size_t i = 0; i < count; ++i) {
        const block::IoCompletion& completion = completions_[i];
        if (std::holds_alternative<block::IoDone>(completion.outcome))
            bytes_moved_ += completion.request.length;
        pass_->take(completion);
        // At once, so that the device has work while the next completion is looked at.
        if (refill) fill_queue();
    }
}

void Engine::Impl::drain() {
    while (pass_->in_flight() > 0)
        collect(1s, false);
    tick();
}

void Engine::Impl::begin_pass() {
    const PassContext context{spec_, walk_, device_,      clock_,
                              now_,  log_,  queue_depth_, options_.max_consecutive_write_errors};
    meter_.reset();
    write_ = nullptr;
    if (now_.phase == RunState::writing) {
        auto pass = std::make_unique<WritePass>(context, checkpointer_.durable_issued_to());
        write_ = pass.get();
        write_->allow_up_to(checkpointer_.durable_issued_to());
        pass_ = std::move(pass);
    } else {
        pass_ = std::make_unique<VerifyPass>(context);
    }
}

bool Engine::Impl::wants_ahead() const {
    if (write_ == nullptr || pass_->gone()) return false;
    const std::uint64_t durable = checkpointer_.durable_issued_to();
    const std::uint64_t ahead =
        units_ahead(meter_.per_second(), options_.issue_ahead, spec_.transfer_bytes, queue_depth_);
    return durable < walk_.positions() && durable < write_->issued() + ahead / 2;
}

}  // namespace wearout::run
