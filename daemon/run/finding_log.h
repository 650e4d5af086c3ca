#pragma once

#include "facts/checkpoint.h"
#include "facts/finding.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wearout::run {

/// Gathers findings in the order of their addresses, joins adjacent ones, numbers and counts them. Past
/// `max_stored` ranges the rest is only counted, so that a drive that returns nothing but garbage fills
/// neither memory nor the disk. What was added since the last commit can be dropped, for when the place is
/// gone over again.
class FindingLog {
  public:
    /// Goes on from what a checkpoint's counters say.
    FindingLog(const RunCounters& counters, std::uint32_t max_stored);

    /// Takes one finding; its sequence is given here. Each comes behind the one before it, but for the start
    /// of a new pass.
    void add(Finding finding);

    /// Puts what is new or has grown since the last commit into the batch, and the numbers beside it. Says
    /// nothing about findings when `withhold`: then the numbers are those of the last commit.
    void put_into(RunBatch& batch, bool withhold) const;
    /// A batch that put_into() filled, without `withhold`, is durable.
    void committed();
    /// Forgets what was added since the last commit.
    void drop_uncommitted();

    [[nodiscard]] const FindingCounts& counts() const { return now_.counts; }
    /// The next range would only be counted: its evidence is not needed.
    [[nodiscard]] bool full() const { return now_.sequence >= max_stored_; }

  private:
    struct State {
        FindingCounts counts;
        std::uint32_t sequence = 0;
        std::optional<Finding> open;  ///< The last range, which may still grow; sequence 0 when only counted.
    };

    State now_;
    State committed_;
    std::vector<Finding> closed_;  ///< New or grown since the last commit, and grows no more.
    bool open_changed_ = false;
    std::uint32_t max_stored_;
};

}  // namespace wearout::run
