#pragma once

#include "base/error.h"
#include "facts/checkpoint.h"

namespace wearout::run {

/// Where a run's facts go. Called from the run's thread.
class Journal {
  public:
    Journal() = default;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    virtual ~Journal() = default;
    /// Durable when it returns: all of the batch in one transaction, or nothing of it and a
    /// StorageUnavailable.
    virtual void commit(const RunBatch& batch) = 0;
};

}  // namespace wearout::run
