#pragma once

#include "base/clock.h"
#include "base/types.h"
#include "facts/sample.h"
#include "health/health_source.h"
#include "run/io_gaps.h"
#include "service/log.h"
#include "service/sampling_schedule.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace wearout::service {

/// Asks one drive for its wear counters, at an interval and on request, on a thread of its own, so that
/// neither a slow smartctl nor a dead drive holds up the run. Never two questions to a drive at once.
class Sampler {
  public:
    using Settings = SamplingSchedule::Settings;
    /// What it is lent. All but `gaps` is called on the sampler's thread, and no more when it has ended.
    struct Owner {
        /// What the run has written up to now.
        std::function<Bytes()> written;
        /// Gets each sample, decoded, and may add to it. A drive that sleeps gives none.
        std::function<void(Sample&)> sink;
        /// What an administrator should know: a clause.
        std::function<void(LogLevel, const std::string&)> tell;
        /// Where the run's completions are told of; null: nowhere.
        std::shared_ptr<run::IoGaps> gaps;
    };

    Sampler(Settings settings, Owner owner, Clock& clock);
    /// Ends within two seconds: a question that is still open then is left to end alone, and its answer is
    /// dropped.
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Where answers come from; none while the drive is away.
    void set_source(std::shared_ptr<health::HealthSource> source);
    void request(SampleReason reason);
    /// The same where there is no hurry, so that many drives are not asked at once.
    void request_soon(SampleReason reason);
    /// Waits for the answer, at most for `timeout`. False when there was none by then.
    bool request_and_wait(SampleReason reason, std::chrono::milliseconds timeout);

    [[nodiscard]] std::optional<Sample> latest() const;
    /// Why the drive is asked less often, or not at all; empty: it is asked as usual.
    [[nodiscard]] std::string hindrance() const;

  private:
    struct State;
    static void serve(const std::shared_ptr<State>& state);
    struct Taken;
    /// Nothing when the Sampler went while the drive was asked.
    static std::optional<Taken> take_sample(State& state, health::HealthSource& source, SampleReason reason);
    std::shared_ptr<State> state_;
};

}  // namespace wearout::service
