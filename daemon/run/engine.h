#pragma once

#include "base/clock.h"
#include "block/block_device.h"
#include "facts/checkpoint.h"
#include "facts/run_spec.h"
#include "run/io_gaps.h"
#include "run/journal.h"

#include <chrono>
#include <memory>
#include <string>

namespace wearout::run {

/// How often what was done is made durable, and how far ahead of that writing may go.
struct EngineOptions {
    std::chrono::milliseconds checkpoint_interval{5000};
    /// `issued_to` is moved ahead by about this much work at a time.
    std::chrono::milliseconds issue_ahead{2000};
    std::chrono::milliseconds storage_retry{2000};
    std::uint32_t max_stored_findings = 10'000;
    /// So many writes failing one after the other, with none between that succeeded, end the run: the drive
    /// takes none any more.
    std::uint32_t max_consecutive_write_errors = 64;
    /// Told of every completion, where somebody wants to know; must outlive the engine.
    IoGaps* gaps = nullptr;
};

/// What a status line needs; a copy, taken between two slices of work.
struct Progress {
    Checkpoint checkpoint;
    std::uint64_t position = 0;   ///< In the pass, in units,
    std::uint64_t positions = 0;  ///< of so many.
    double bytes_per_second = 0;  ///< Over the last few seconds.
    Bytes written;                ///< Up to now, beyond the last checkpoint.
    Bytes verified;
};

/// Drives one run over one device: writes, verifies, finds, keeps the checkpoint. For one thread, which calls
/// work() again and again and may give orders between two calls.
class Engine {
  public:
    /// Begins where `checkpoint` stands (a new run's is `initial_checkpoint`). After an interruption the
    /// caller says so with `resumed`, so that the restart mark is set. `device`, `journal` and `clock` must
    /// outlive the engine.
    Engine(RunSpec spec, Checkpoint checkpoint, bool resumed, block::BlockDevice& device, Journal& journal,
           Clock& clock, EngineOptions options = {});
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Works for about `slice` (or until the state changes) and returns the state. When paused, waiting or
    /// over it returns at once; the caller sleeps.
    RunState work(std::chrono::milliseconds slice);

    void pause();
    void resume();
    /// Ends the run for good.
    void stop(const std::string& reason);
    /// A limit that only the caller can see (wear, rating) was reached.
    void finish(const std::string& reason);
    /// Drains, flushes and checkpoints, so that the run can go on later from exactly here; the state stays.
    void suspend();

    [[nodiscard]] Progress progress() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Where a new run stands. For a run that only reads, `subject` is what the run before it left.
[[nodiscard]] Checkpoint initial_checkpoint(const RunSpec& spec, const Checkpoint* subject);

}  // namespace wearout::run
