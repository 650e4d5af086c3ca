#pragma once

#include "base/clock.h"
#include "facts/sample.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace wearout::service {

enum class SamplingOutcome {
    answered,
    asleep,  ///< In standby, and left there.
    failed   ///< No answer that could be used.
};

/// When a drive is asked for its wear counters. Only arithmetic: it is told the time. Not thread-safe.
class SamplingSchedule {
  public:
    struct Settings {
        std::chrono::milliseconds interval{};
        /// No two questions follow each other faster than this, whatever is requested.
        std::chrono::milliseconds min_gap{};
        /// Spreads the questions to many drives: drives of different keys are asked at different moments, one
        /// of the same key always at the same ones. Empty: exactly at the interval.
        std::string spread_by{};
    };

    SamplingSchedule(Settings settings, SteadyTime now);

    void request(SampleReason reason, SteadyTime now);
    /// The same where there is no hurry: within a tenth of the interval, at most ten seconds.
    void request_soon(SampleReason reason, SteadyTime now);
    /// When the next question is due.
    [[nodiscard]] SteadyTime next() const;
    /// It is asked; gives the reason.
    [[nodiscard]] SampleReason begin(SteadyTime now);
    void end(SamplingOutcome outcome, SteadyTime now, std::chrono::nanoseconds took);
    /// Another way to ask has come: earlier failures do not count.
    void forget_failures();

    /// Failures since the last answer.
    [[nodiscard]] std::uint32_t failures() const { return failures_; }
    /// Between two periodic questions, as it is now: doubled with each failure, up to eight times the normal
    /// one or an hour, whichever is less, and never below the normal one.
    [[nodiscard]] std::chrono::milliseconds interval() const;

  private:
    [[nodiscard]] double random_part();  ///< From 0 to 1.
    [[nodiscard]] SteadyTime periodic_after(SteadyTime now, double low, double high);

    Settings settings_;
    std::mt19937 random_;  ///< Seeded by the key.
    std::uint32_t failures_ = 0;
    std::optional<SampleReason> requested_;
    SteadyTime request_due_;
    SteadyTime next_periodic_;
    SteadyTime earliest_;           ///< For what is requested urgently,
    SteadyTime earliest_in_doubt_;  ///< and for what can wait when a drive fails to answer.
};

}  // namespace wearout::service
