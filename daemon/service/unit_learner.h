#pragma once

#include "facts/counter_unit.h"
#include "facts/sample.h"
#include "store/store.h"

#include <chrono>
#include <vector>

namespace wearout::service {

/// Holds a drive's own counters of written bytes against what a run writes, and puts to use what that shows.
/// For the sampler's thread. The store and the run outlive it.
class UnitLearner {
  public:
    UnitLearner(store::Store& store, const store::StoredRun& run);

    /// Counts host bytes by a learnt unit, where one is known for a counter that the catalogue gives none, or
    /// a wrong one.
    void complete(Sample& sample) const;
    /// Looks again at what the run's samples show, once in a while and when the run ends. Contradictions and
    /// counters that stand still are told in the log once.
    void learn(const Sample& newest);

  private:
    void tell_news(const std::vector<CounterUnit>& found) const;

    store::Store& store_;
    const store::StoredRun& run_;
    std::vector<CounterUnit> units_;  ///< Of the drive.
    WallTime last_look_{};
};

}  // namespace wearout::service
