#pragma once

#include "control/api.h"
#include "facts/drive.h"
#include "facts/run_spec.h"

namespace wearout::service {

/// What a start request decides for this drive: the profile's decisions with the options laid over them. The
/// pattern's run id is drawn at random here, and the seed unless given. Throws a Failure (usage) that names
/// the option.
[[nodiscard]] RunSpec make_spec(const control::StartRequest& request, const Drive& drive);

}  // namespace wearout::service
