#pragma once

#include "control/api.h"
#include "service/session.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace wearout::service {

/// All runs of this daemon: starts them when everything that keeps a drive safe agrees, goes on with those
/// that were interrupted, and answers for them. Thread-safe: a call that waits for a drive holds up no other.
class Supervisor {
  public:
    explicit Supervisor(Environment environment);
    /// Suspends every run. A drive that hangs in the kernel can't be waited for: see `come_to_rest`.
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    /// Goes on with every run that is not over. Returns how many.
    std::size_t resume_all();

    [[nodiscard]] control::ConsentInfo consent(const std::string& target) const;
    /// Throws a Failure: usage, refused, unreachable.
    RunId start(const control::StartRequest& request);
    control::RunStatus order(RunId run, Session::Order order);
    [[nodiscard]] control::RunStatus status(RunId run) const;
    /// The runs that are going on, and of each drive without one the last that is over.
    [[nodiscard]] std::vector<control::RunStatus> statuses() const;
    [[nodiscard]] std::vector<control::DriveStatus> drives() const;
    void acknowledge_alert(std::int64_t id);

    /// Runs that wait for their drive look again at once. False when another call has the lock: try again.
    bool drives_changed();
    /// Asks all runs to suspend and waits, at most for `timeout`. False when some drive still hangs.
    [[nodiscard]] bool come_to_rest(std::chrono::milliseconds timeout);
    /// "2 runs, 1.2 GB/s": for systemctl status. Never waits, so that nothing keeps the watchdog from being
    /// fed.
    [[nodiscard]] std::string summary() const;

  private:
    /// What is known of a target before it is opened.
    struct Candidate {
        block::TargetSpec spec;
        Drive drive;
        bool ours = false;
        std::string consent;
    };
    /// A drive on which a run is being started: nobody else starts one meanwhile, and the lock is free.
    class Claim {
      public:
        /// Throws a Failure (refused) when a run is on the drive, or is being started.
        Claim(Supervisor& supervisor, const std::string& target, std::string drive_key);
        ~Claim();
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;

      private:
        Supervisor& supervisor_;
        std::string drive_key_;
    };

    // These look at drives, which may take long or hang, and are called without the lock.
    [[nodiscard]] Candidate examine(const std::string& target) const;
    [[nodiscard]] std::vector<std::string> refusals(const Candidate& candidate, bool confirmed,
                                                    bool overwrite_signature) const;
    void check(const Candidate& candidate, const control::StartRequest& request) const;

    // With the lock.
    [[nodiscard]] const Session* session_on(const std::string& drive_key) const;
    /// Why no run may begin on the drive now; empty: it may.
    [[nodiscard]] std::string taken(const std::string& drive_key) const;
    [[nodiscard]] store::StoredRun new_run(const Candidate& candidate,
                                           const control::StartRequest& request) const;
    void forget_sessions_that_are_over();

    const Environment environment_;
    mutable std::mutex mutex_;
    std::map<RunId, std::unique_ptr<Session>> sessions_;
    std::set<std::string> starting_;  ///< Keys of the drives that are claimed.
};

}  // namespace wearout::service
