#pragma once

#include "control/api.h"
#include "facts/drive.h"
#include "facts/run_spec.h"
#include "health/ratings.h"

#include <optional>

namespace wearout::service {

/// What a start request decides for this drive: the profile's decisions with the options laid over them;
/// `known` is its rating unless one is given. The pattern's run id is drawn at random here, and the seed
/// unless given. Throws a Failure (usage) that names the option.
[[nodiscard]] RunSpec make_spec(const control::StartRequest& request, const Drive& drive,
                                const std::optional<health::Rating>& known);

/// Whether the run's rating was given with --rating.
[[nodiscard]] bool rating_was_given(const RunSpec& spec);

}  // namespace wearout::service
