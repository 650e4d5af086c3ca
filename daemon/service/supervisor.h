#pragma once

#include "control/api.h"
#include "service/session.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace wearout::service {

/// All runs of this daemon: starts them when everything that keeps a drive safe agrees, goes on with those
/// that were interrupted, and answers for them. Thread-safe.
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
    /// What drives of a model are rated for; in place of what was set for it before. Throws a Failure
    /// (usage).
    void set_rating(const control::RatingRequest& request);
    void unset_rating(const control::RatingRequest& request);

    /// Runs that wait for their drive look again at once. False when a request is being answered: try again.
    bool drives_changed();
    /// Asks all runs to suspend and waits, at most for `timeout`. False when some drive still hangs.
    [[nodiscard]] bool come_to_rest(std::chrono::milliseconds timeout);
    /// "2 runs, 1.2 GB/s": for systemctl status. Never waits, so that a drive that hangs while it is opened
    /// keeps nobody from feeding the watchdog.
    [[nodiscard]] std::string summary() const;

  private:
    /// What is known of a target before it is opened.
    struct Candidate {
        block::TargetSpec spec;
        Drive drive;
        bool ours = false;
        std::string consent;
    };
    [[nodiscard]] Candidate examine(const std::string& target) const;
    [[nodiscard]] std::vector<std::string> refusals(const Candidate& candidate, bool confirmed,
                                                    bool overwrite_signature) const;
    [[nodiscard]] const Session* session_on(const std::string& drive_key) const;
    [[nodiscard]] store::StoredRun new_run(const Candidate& candidate,
                                           const control::StartRequest& request) const;
    void forget_sessions_that_are_over();

    const Environment environment_;
    mutable std::mutex mutex_;
    std::map<RunId, std::unique_ptr<Session>> sessions_;
};

}  // namespace wearout::service
