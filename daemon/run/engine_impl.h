#pragma once

#include "run/checkpointer.h"
#include "run/engine.h"
#include "run/finding_log.h"
#include "run/pacing.h"
#include "run/pass.h"
#include "run/state_machine.h"
#include "run/write_pass.h"
#include "workload/sequential.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wearout::run {

/// What engine.h promises. engine.cpp has the orders, engine_work.cpp the slices of work, engine_ends.cpp the
/// checkpoints and everything that ends a pass or the run.
///
/// What holds at every moment, and by it a run survives its own death at any moment:
///   - a transfer is submitted only when it ends at or before the issued_to of the last durable checkpoint;
///   - flushed_to moves only over what had been acknowledged when a flush began that then succeeded;
///   - verify_position, and flushed_to, are committed together with the findings that lie before them, and a
///     finding that lies beyond is not committed, since it will be found again.
class Engine::Impl {
  public:
    Impl(RunSpec spec, Checkpoint checkpoint, block::BlockDevice& device, Journal& journal, Clock& clock,
         EngineOptions options);

    RunState work(std::chrono::milliseconds slice);
    void pause();
    void resume();
    void end(Event event, const std::string& reason);
    void suspend();
    [[nodiscard]] Progress progress() const;

  private:
    // Slices.
    void step(SteadyTime deadline);
    [[nodiscard]] bool ended_by_itself();
    void fill_queue();
    void collect(std::chrono::milliseconds timeout, bool refill);
    void drain();
    void tick();
    [[nodiscard]] bool active() const;

    // Checkpoints.
    void checkpoint();
    [[nodiscard]] bool secure();
    void flush_failed(int error);
    [[nodiscard]] bool wants_ahead() const;
    void move_ahead();
    [[nodiscard]] bool save(bool findings);
    [[nodiscard]] bool findings_certain() const;
    void retry_storage();
    void come_to_rest();

    // Passes, states.
    void begin_pass();
    void end_pass();
    void lost_drive();
    void move(Event event, const std::string& reason = {});

    struct Ending {
        Event event;
        std::string reason;
    };

    RunSpec spec_;
    Checkpoint now_;
    block::BlockDevice& device_;
    Clock& clock_;
    EngineOptions options_;
    workload::Sequential walk_;
    FindingLog log_;
    Checkpointer checkpointer_;
    RateMeter meter_;
    RateLimit limit_;
    std::uint32_t queue_depth_;
    std::unique_ptr<Pass> pass_;
    WritePass* write_ = nullptr;  ///< pass_, when it writes.
    std::vector<block::IoCompletion> completions_;
    std::optional<Ending> ending_;  ///< Decided, but not durable yet.
    std::uint64_t bytes_moved_ = 0;
    std::uint32_t flush_failures_ = 0;  ///< With none between that succeeded.
    SteadyTime last_checkpoint_;
    SteadyTime last_tick_;
    std::chrono::nanoseconds active_rest_{0};
};

}  // namespace wearout::run
