#pragma once

#include "store/store.h"

#include <optional>
#include <string>

/// What a user means, looked up in the database, without the daemon.
namespace wearout::tools {

struct Subject {
    store::StoredDrive drive;
    store::StoredRun run;
    bool whole_drive = false;  ///< The drive was named, not the run: all of its history is meant.
};

/// The run with this number, or the newest run of the drive that `text` names; without text the newest run of
/// the only drive there is. Throws a Failure: usage when several drives fit (it lists them), unreachable when
/// none does, insufficient_data when a drive has no run yet.
[[nodiscard]] Subject find_subject(const store::Store& store, const std::optional<std::string>& text);

}  // namespace wearout::tools
