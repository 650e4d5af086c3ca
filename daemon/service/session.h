#pragma once

#include "base/clock.h"
#include "block/target.h"
#include "control/api.h"
#include "run/engine.h"
#include "service/config.h"
#include "service/sampler.h"
#include "service/sim_health.h"
#include "service/store_journal.h"
#include "service/unit_learner.h"
#include "store/store.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace wearout::service {

/// What all sessions share.
struct Environment {
    const Config& config;
    store::Store& store;
    Clock& clock;
    /// Paths whose drive must never be written.
    std::vector<std::string> protected_paths;

    [[nodiscard]] block::OpenOptions open_options(const RunSpec& spec) const;
};

/// One run on one drive, on a thread of its own: opens the drive, keeps the engine going, asks for wear
/// counters, waits when the drive is away. Orders and questions come from other threads.
class Session {
  public:
    /// `target` is the drive when it is open already (a run that starts now); else the session opens it
    /// itself, and goes on from the checkpoint.
    Session(Environment environment, store::StoredRun run, std::optional<block::OpenTarget> target);
    /// Suspends the run, and waits for that.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    enum class Order { pause, resume, stop };
    void order(Order order);
    /// Asks the run to come to rest at a checkpoint, from which it goes on at the next start of the daemon.
    void suspend();
    /// A drive came or went: a run that waits for its own looks again at once.
    void drives_changed();
    /// The thread is done: the run is over, or suspended.
    [[nodiscard]] bool at_rest() const { return at_rest_.load(); }

    [[nodiscard]] RunId id() const { return run_.id; }
    [[nodiscard]] const std::string& drive_key() const { return run_.drive_key; }
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] control::RunStatus status() const;

  private:
    void work();
    bool work_while_drive_is_there();
    void work_on_open_drive();
    void finish_up();
    bool open_drive();
    void start_engine();
    void close_drive();
    void obey_orders();
    void obey_without_drive(Order order);
    void obey_with_engine(Order order);
    void check_wear_limit();
    void publish();
    void rest(std::chrono::milliseconds duration);
    void take_sample(Sample& sample);
    void wait_for_drive(const std::string& reason);

    const Environment environment_;
    const store::StoredRun run_;
    const std::optional<store::StoredDrive> drive_;
    StoreJournal journal_;
    UnitLearner learner_;  ///< The sampler's thread's.

    // The session's thread's own.
    std::optional<block::OpenTarget> target_;
    std::unique_ptr<run::Engine> engine_;
    std::shared_ptr<SimHealth> sim_health_;  ///< Of a simulated drive that is open.
    Checkpoint checkpoint_;  ///< The last that the engine gave; what a new engine begins with.
    bool resumed_ = false;
    static constexpr std::uint64_t unsampled = UINT64_MAX;
    std::uint64_t passes_sampled_ = unsampled;  ///< How many passes were complete at the last look.

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Order> orders_;
    bool suspending_ = false;
    bool drives_changed_ = false;
    run::Progress progress_;
    std::vector<std::string> notes_;
    bool tells_wear_ = true;  ///< There is something to ask for wear counters.
    SteadyTime last_moved_;   ///< When the run's progress was last seen to change.

    std::string last_health_problem_;  ///< The sampler's thread's own.

    std::stop_source stop_asking_;  ///< Ends a smartctl that is under way when the daemon ends.
    std::atomic<bool> at_rest_{false};
    std::unique_ptr<Sampler> sampler_;
    std::thread thread_;  ///< Last: begins when all the rest is there.
};

}  // namespace wearout::service
