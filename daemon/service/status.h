#pragma once

#include "control/api.h"
#include "facts/sample.h"
#include "run/engine.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wearout::service {

/// A sample's metrics by name.
[[nodiscard]] std::map<std::string, std::int64_t> wear_of(const std::optional<Sample>& sample);

/// How a run stands, from what is known of it now.
[[nodiscard]] control::RunStatus status_of(const store::StoredRun& run,
                                           const std::optional<store::StoredDrive>& drive,
                                           const run::Progress& progress,
                                           const std::optional<Sample>& sample);

/// The same for a run that nobody works on: it is over.
[[nodiscard]] control::RunStatus status_of(const store::StoredRun& run,
                                           const std::optional<store::StoredDrive>& drive,
                                           const std::optional<Sample>& sample);

}  // namespace wearout::service
