#pragma once

#include "base/clock.h"
#include "base/types.h"
#include "facts/sample.h"
#include "health/health_source.h"

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
    struct Settings {
        std::chrono::milliseconds interval{};
        /// No two questions follow each other faster than this, whatever is requested.
        std::chrono::milliseconds min_gap{};
    };
    /// What the run has written up to now.
    using Written = std::function<Bytes()>;
    /// Gets each sample, decoded, on the sampler's thread, and may add to it.
    using Sink = std::function<void(Sample&)>;

    Sampler(Settings settings, Written written, Sink sink, Clock& clock);
    /// Ends within two seconds: a question that is still open then is left to end alone, and its answer is
    /// dropped.
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Where answers come from; none while the drive is away.
    void set_source(std::shared_ptr<health::HealthSource> source);
    void request(SampleReason reason);
    /// Waits for the answer, at most for `timeout`. False when there was none by then.
    bool request_and_wait(SampleReason reason, std::chrono::milliseconds timeout);

    [[nodiscard]] std::optional<Sample> latest() const;

  private:
    struct State;
    static void serve(const std::shared_ptr<State>& state);
    /// Nothing when the Sampler went while the drive was asked.
    static std::optional<Sample> take_sample(State& state, health::HealthSource& source, SampleReason reason);
    std::shared_ptr<State> state_;
};

}  // namespace wearout::service
