#pragma once

#include "base/clock.h"
#include "facts/checkpoint.h"
#include "run/finding_log.h"
#include "run/journal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wearout::run {

class Pass;

/// Makes a run's facts durable. What could not be committed is kept (it still stands in the checkpoint, in
/// the finding log and here) and goes with the next commit.
class Checkpointer {
  public:
    /// All outlive it. `now`, as it is at this moment, counts as durable.
    Checkpointer(Checkpoint& now, FindingLog& log, Journal& journal, Clock& clock);

    /// A pass is complete; goes with the next commit.
    void record(PassRecord pass) { passes_.push_back(pass); }

    /// Commits where the run stands. `pass` may be null. With `findings` also what was found: only right when
    /// the checkpoint says that all of it lies behind. False: storage took nothing.
    [[nodiscard]] bool commit(const Pass* pass, bool findings);

    /// A new pass begins: what the next record counts from.
    void begin_pass(RunState kind);
    /// The pass that is going on, as its record; with what was found up to now.
    [[nodiscard]] PassRecord current_pass() const;

    /// Of the generation that `now` is in.
    [[nodiscard]] std::uint64_t durable_issued_to() const;
    [[nodiscard]] SteadyTime last_commit() const { return last_commit_; }
    [[nodiscard]] SteadyTime last_attempt() const { return last_attempt_; }
    /// The last attempt failed.
    [[nodiscard]] bool behind() const { return !problem_.empty(); }
    /// Why the last attempt failed; empty: it did not.
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    [[nodiscard]] RunBatch make_batch(const Pass* pass, bool findings) const;

    Checkpoint& now_;
    FindingLog& log_;
    Journal& journal_;
    Clock& clock_;
    std::vector<PassRecord> passes_;
    std::uint64_t ranges_before_pass_ = 0;  ///< Finding ranges; all others are this pass's.
    Generation durable_generation_;
    std::uint64_t durable_issued_to_;
    SteadyTime last_commit_;
    SteadyTime last_attempt_;
    std::string problem_;
};

}  // namespace wearout::run
