#pragma once

#include "base/clock.h"
#include "run/journal.h"
#include "store/store.h"

namespace wearout::service {

/// A run's facts into the database, and what an administrator should see of them into the log.
class StoreJournal final : public run::Journal {
  public:
    StoreJournal(store::Store& store, Clock& clock, const store::StoredRun& run)
        : store_(store),
          clock_(clock),
          run_(run.id),
          drive_key_(run.drive_key),
          last_logged_(run.checkpoint.counters.last_finding_sequence) {}
    void commit(const RunBatch& batch) override;

  private:
    void log_findings(const RunBatch& batch);

    store::Store& store_;
    Clock& clock_;
    RunId run_;
    std::string drive_key_;
    std::uint32_t last_logged_;
};

}  // namespace wearout::service
