#pragma once

#include "base/clock.h"
#include "facts/sample.h"

#include <chrono>
#include <mutex>
#include <optional>

namespace wearout::run {

/// How long nothing was completed while a drive's wear counters were asked for, beside how long that is
/// without a question. What the run itself waits for (a database, the change of a pass, a pause) is no gap.
/// Thread-safe: the engine's thread tells of completions, another asks.
class IoGaps {
  public:
    /// The drive has completed something.
    void completed(SteadyTime now);
    /// The time until the next completion is not the drive's.
    void interrupted();

    void begin_question(SteadyTime now);
    /// Nothing when no I/O was going on before or during the question. A gap that is still open counts up to
    /// `now`, and one that was open when the question came from then on.
    [[nodiscard]] std::optional<IoStall> end_question(SteadyTime now);

  private:
    using Longest = std::optional<std::chrono::nanoseconds>;
    void roll(SteadyTime now);

    std::mutex mutex_;
    std::optional<SteadyTime> last_;  ///< Completion, when nothing came between.
    /// The longest gaps without a question, of the stretch of time that is going on and of the one before.
    Longest current_;
    Longest previous_;
    SteadyTime stretch_began_;

    std::optional<SteadyTime> asked_;  ///< When the question came that is open.
    SteadyTime answered_;              ///< When the last one was closed.
    Longest while_asked_;
    Longest usual_;  ///< As it was when the question came.
};

}  // namespace wearout::run
