#include "base/error.h"
#include "base/quantity.h"
#include "run/engine_impl.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::run {

using block::DriveGone;
using block::IoFailed;

namespace {

/// So many flushes failing one after the other, each after everything was written again, end the run.
constexpr std::uint32_t max_flush_failures = 5;

}  // namespace

void Engine::Impl::move(Event event, const std::string& reason) {
    now_.state = transition(now_.state, event, now_.phase);
    now_.reason = reason;
    meter_.reset();
}

bool Engine::Impl::save(bool findings) {
    const bool saved = checkpointer_.commit(pass_.get(), findings);
    // Nobody looked for completions meanwhile.
    if (options_.gaps != nullptr) options_.gaps->interrupted();
    if (saved) {
        if (write_ != nullptr) write_->allow_up_to(checkpointer_.durable_issued_to());
        return true;
    }
    if (!active()) return false;
    drain();
    if (pass_->gone())
        lost_drive();
    else
        move(Event::storage_lost, "can't save: " + checkpointer_.problem());
    return false;
}

bool Engine::Impl::findings_certain() const {
    return write_ == nullptr || write_->done_to() == now_.media.flushed_to;
}

bool Engine::Impl::secure() {
    const std::uint64_t flushed_before = now_.media.flushed_to;
    const block::IoOutcome outcome = pass_->secure();
    if (const auto* failed = std::get_if<IoFailed>(&outcome)) {
        flush_failed(failed->error);
        return false;
    }
    if (std::holds_alternative<DriveGone>(outcome)) {
        lost_drive();
        return false;
    }
    if (now_.media.flushed_to != flushed_before) flush_failures_ = 0;
    return true;
}

void Engine::Impl::flush_failed(int error) {
    drain();
    if (pass_->gone()) {
        lost_drive();
        return;
    }
    // What was found since then is found again, when all of it is written again.
    log_.drop_uncommitted();
    write_->note_flush_error(error);
    write_->go_back();
    if (++flush_failures_ >= max_flush_failures) {
        end(Event::give_up, errno_text("the drive takes no more writes: its flush fails", error) +
                                ", after " + format_bytes(now_.counters.written) + " written");
        return;
    }
    (void)save(true);
}

void Engine::Impl::checkpoint() {
    last_checkpoint_ = clock_.steady();
    if (!secure()) return;
    if (write_ != nullptr)
        now_.media.issued_to =
            std::max(now_.media.issued_to,
                     std::min(walk_.positions(),
                              write_->issued() + units_ahead(meter_.per_second(), options_.issue_ahead,
                                                             spec_.transfer_bytes, queue_depth_)));
    (void)save(true);
}

void Engine::Impl::move_ahead() {
    const std::uint64_t ahead =
        units_ahead(meter_.per_second(), options_.issue_ahead, spec_.transfer_bytes, queue_depth_);
    now_.media.issued_to =
        std::max(now_.media.issued_to, std::min(walk_.positions(), write_->issued() + ahead));
    (void)save(findings_certain());
}

void Engine::Impl::retry_storage() {
    if (ending_) {
        end(ending_->event, ending_->reason);
        return;
    }
    if (now_.state != RunState::waiting_storage) {
        (void)save(findings_certain());
        return;
    }
    move(Event::storage_back);
    last_checkpoint_ = last_tick_ = clock_.steady();
    if (secure()) (void)save(true);
}

/// Nothing in flight, everything that is done secured, and no more said to be issued than was.
void Engine::Impl::come_to_rest() {
    if (!active()) return;
    tick();
    drain();
    if (pass_->gone()) {
        lost_drive();
        return;
    }
    if (secure()) pass_->settle();
}

void Engine::Impl::lost_drive() {
    drain();
    const int error = pass_->gone().value_or(ENODEV);
    if (write_ == nullptr) (void)pass_->secure();
    pass_->settle();
    move(Event::drive_gone, errno_text("the drive is gone", error));
    (void)save(findings_certain());
}

void Engine::Impl::end(Event event, const std::string& reason) {
    (void)transition(now_.state, event, now_.phase);
    ending_ = Ending{event, reason};
    if (active()) {
        tick();
        drain();
    }
    if (pass_->gone() && event == Event::give_up && active()) {
        ending_.reset();
        lost_drive();
        return;
    }
    if (!pass_->gone()) {
        pass_->abandon();
        const block::IoOutcome outcome = pass_->secure();
        if (const auto* failed = std::get_if<IoFailed>(&outcome)) {
            write_->note_flush_error(failed->error);
            write_->go_back();
        }
    } else if (write_ == nullptr) {
        (void)pass_->secure();
    }
    pass_->settle();
    const RunState before = now_.state;
    move(event, reason);
    if (save(true)) {
        ending_.reset();
        return;
    }
    now_.state = before;
    move(Event::storage_lost, "can't save: " + checkpointer_.problem());
}

bool Engine::Impl::ended_by_itself() {
    if (pass_->gone()) {
        lost_drive();
        return true;
    }
    const RunCounters& done = now_.counters;
    if (const auto error = pass_->dead(); error && write_ != nullptr) {
        end(Event::give_up, errno_text("the drive takes no more writes", *error) + ", after " +
                                format_bytes(done.written) + " written");
    } else if (spec_.on_finding == OnFinding::stop && log_.counts().total() > 0) {
        end(Event::give_up, "something was found, and the run was to stop at that");
    } else if (pass_->complete()) {
        end_pass();
    } else if (spec_.limits.written && done.written >= *spec_.limits.written) {
        end(Event::limit_reached, format_bytes(done.written) + " written");
    } else if (spec_.limits.active_time && done.active >= *spec_.limits.active_time) {
        end(Event::limit_reached, "ran for " + format_duration(done.active));
    } else {
        return false;
    }
    return true;
}

void Engine::Impl::end_pass() {
    if (!secure()) return;
    PassRecord record = checkpointer_.current_pass();
    record.ended = clock_.wall();
    checkpointer_.record(record);
    std::uint32_t passes = 0;
    if (write_ != nullptr) {
        passes = ++now_.counters.write_passes;
        if (spec_.verify) {
            now_.phase = RunState::verifying;
            now_.verify_position = 0;
            move(Event::verify_next);
            checkpointer_.begin_pass(now_.phase);
            begin_pass();
            (void)save(true);
            return;
        }
    } else {
        passes = ++now_.counters.verify_passes;
    }
    if (spec_.reads_only) {
        end(Event::limit_reached, "everything was read");
        return;
    }
    if (spec_.limits.passes && passes >= *spec_.limits.passes) {
        end(Event::limit_reached, fmt::format("{} {} done", passes, passes == 1 ? "pass" : "passes"));
        return;
    }
    std::vector<UnitRange> unknown = std::move(now_.media.unknown);
    now_.media = {};
    now_.media.generation = {record.generation.value + 1};
    now_.media.unknown = std::move(unknown);
    now_.media.issued_to =
        std::min(walk_.positions(), units_ahead(0, options_.issue_ahead, spec_.transfer_bytes, queue_depth_));
    now_.verify_position = 0;
    now_.phase = RunState::writing;
    move(Event::write_next);
    checkpointer_.begin_pass(now_.phase);
    begin_pass();
    (void)save(true);
}

}  // namespace wearout::run
