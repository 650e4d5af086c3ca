#pragma once

#include "facts/run_spec.h"

#include <span>
#include <string_view>

namespace wearout::workload {

/// A named set of decisions that `wearctl start --profile` begins from; options given beside it override.
struct Profile {
    std::string_view name;
    std::string_view summary;  ///< One line for the user.
    Limits limits;
    bool reads_only = false;
    bool verify = true;
    OnFinding on_finding = OnFinding::go_on;
};

[[nodiscard]] std::span<const Profile> profiles();

/// Throws a Failure (usage) that names the profiles there are.
[[nodiscard]] const Profile& find_profile(std::string_view name);

}  // namespace wearout::workload
