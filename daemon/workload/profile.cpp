#include "workload/profile.h"

#include "base/error.h"

#include <array>
#include <string>

namespace wearout::workload {

namespace {

constexpr Limits after_passes(std::uint32_t passes) {
    Limits limits;
    limits.passes = passes;
    return limits;
}

constexpr std::array<Profile, 4> all_profiles = {{
    {.name = "quick",
     .summary = "one write pass over the whole drive, read back and verified",
     .limits = after_passes(1)},
    {.name = "burn-in",
     .summary = "three write passes, each read back and verified: for new drives",
     .limits = after_passes(3)},
    {.name = "endurance",
     .summary = "writes and verifies until the drive takes no more writes, or until stopped",
     .limits = {}},
    {.name = "scan",
     .summary = "reads only: verifies what the last run left on the drive",
     .limits = {},
     .reads_only = true},
}};

}  // namespace

std::span<const Profile> profiles() {
    return all_profiles;
}

const Profile& find_profile(std::string_view name) {
    std::string known;
    for (const Profile& profile : all_profiles) {
        if (profile.name == name) return profile;
        if (!known.empty()) known += ", ";
        known += profile.name;
    }
    throw usage_error("unknown profile '" + std::string(name) + "'; there are: " + known);
}

}  // namespace wearout::workload
