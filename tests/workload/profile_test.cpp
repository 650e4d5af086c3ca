#include "workload/profile.h"

#include "base/error.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::workload;

TEST_CASE("every profile is found by its name, and no two share one") {
    std::set<std::string_view> names;
    for (const Profile& profile : profiles()) {
        CHECK(&find_profile(profile.name) == &profile);
        CHECK_FALSE(profile.summary.empty());
        CHECK(names.insert(profile.name).second);
    }
    CHECK(names == std::set<std::string_view>{"quick", "burn-in", "endurance", "scan"});
}

TEST_CASE("profiles decide what they are named for") {
    CHECK(find_profile("quick").limits.passes == 1U);
    CHECK(find_profile("burn-in").limits.passes == 3U);
    CHECK(find_profile("endurance").limits == Limits{});
    CHECK(find_profile("scan").reads_only);
    CHECK_FALSE(find_profile("endurance").reads_only);
}

TEST_CASE("an unknown profile is refused, and those there are are named") {
    try {
        (void)find_profile("quik");
        FAIL("accepted");
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        CHECK(std::string(failure.what()) ==
              "unknown profile 'quik'; there are: quick, burn-in, endurance, scan");
    }
}
