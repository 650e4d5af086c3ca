#pragma once

#include "store/store.h"

namespace wearout::service {

/// Looks at what the run's stored samples say of retired blocks; a rise becomes a stored alert and a line in
/// the log. Call after each sample. Throws StorageUnavailable.
void watch_retired_blocks(store::Store& store, const store::StoredRun& run);

}  // namespace wearout::service
