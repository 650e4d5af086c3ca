#pragma once

#include "control/api.h"
#include "facts/checkpoint.h"
#include "facts/metric.h"
#include "facts/run_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::tools {

enum class VerdictResult { pass, fail, running, aborted, insufficient_data };
inline constexpr EnumNames<VerdictResult, 5> verdict_names{
    {"pass", "fail", "running", "aborted", "insufficient-data"}};

struct Verdict {
    VerdictResult result = VerdictResult::insufficient_data;
    std::vector<std::string> reasons;  ///< At least one line.
};

/// What a verdict depends on.
struct VerdictFacts {
    std::optional<RunState> state;  ///< Absent: one that this program does not know, which is no end.
    std::string reason;             ///< The run's own words on how it ended or why it waits.
    bool reads_only = false;
    /// No limit was set: the run was meant to end when the drive takes no more writes.
    bool open_ended = false;
    FindingCounts findings;
    Bytes verified;
    /// Written to the drive in its life: by its own count where it has one, else by our runs.
    Bytes drive_written;
    std::optional<Bytes> rating;
};

/// The rules, the first that fits:
///   1. Data that came back wrong or not at all (any class but write-error and host-memory): fail, also while
///      the run goes on.
///   2. An open-ended run that ended because the drive takes no more writes (state failed, with write
///   errors):
///      that is how it was meant to end. Fail below the rating, pass from the rating on; without a rating
///      pass, and the reason says that none is known.
///   3. Write errors, or another failed end: fail.
///   4. Not over: running. Stopped by the user: aborted.
///   5. Finished, but host-memory findings (right when read again: this machine, not the drive, is at fault)
///      or nothing was verified: insufficient data.
///   6. Finished: pass.
[[nodiscard]] Verdict judge(const VerdictFacts& facts);

[[nodiscard]] VerdictFacts verdict_facts(const control::RunStatus& run);

/// 0 only for pass, 1 for fail, 5 for all that is no answer yet.
[[nodiscard]] ExitCode exit_code(VerdictResult result);

}  // namespace wearout::tools
