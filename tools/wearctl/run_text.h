#pragma once

#include "control/api.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

/// How runs and wear are put into words, in every command the same.
namespace wearout::tools {

using WearValues = std::map<std::string, std::int64_t>;

/// How much of its life the drive says is used up, in percent; absent where it does not tell.
[[nodiscard]] std::optional<std::int64_t> wear_percent(const WearValues& wear);

/// "wear 12 %, 3 retired blocks, …": the few that say how a drive is.
[[nodiscard]] std::string wear_text(const WearValues& wear);

/// "3", "3/10" or "-".
[[nodiscard]] std::string pass_text(const control::RunStatus& run);

/// A duration still to come, or "-": also when it is too long to mean anything.
[[nodiscard]] std::string eta_text(const std::optional<double>& seconds);

/// The model, or what else the drive is called.
[[nodiscard]] std::string drive_text(const control::RunStatus& run);

}  // namespace wearout::tools
