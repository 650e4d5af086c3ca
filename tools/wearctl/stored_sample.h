#pragma once

#include "health/explain.h"
#include "store/store.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/json_text.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// A sample in the database, its kept answer decoded anew.
namespace wearout::tools {

/// A metric that today's decoder reads otherwise than the one that stored it.
struct Difference {
    Metric metric{};
    std::optional<std::int64_t> stored;
    std::optional<std::int64_t> now;
};

struct ExplainedSample {
    Drive drive;
    std::size_t number = 0;  ///< From 1, of the drive or of the run,
    std::size_t of = 0;      ///< which has so many.
    Sample stored;
    health::Explanation explanation;
    std::vector<Difference> differences;
};

/// The sample that `which` names, of the drive or of one of its runs: its number, or a moment ("2026-05-01
/// 14:03:22", "2026-05-01") for the newest that is not later; without it the newest. Throws a Failure: usage
/// for one that is not there, insufficient_data when there is no sample at all.
[[nodiscard]] ExplainedSample explain_sample(const store::Store& store, const Drive& drive,
                                             std::optional<RunId> run,
                                             const std::optional<std::string>& which);

[[nodiscard]] std::string explained_text(const ExplainedSample& sample, const Screen& screen);
[[nodiscard]] Json explained_json(const ExplainedSample& sample);

/// As of `decode`: findings when the drive says that it fails, insufficient_data when nothing was decoded.
[[nodiscard]] ExitCode explained_exit_code(const ExplainedSample& sample);

}  // namespace wearout::tools
