#include "tools/wearctl/verdict.h"

#include "base/quantity.h"
#include "tools/wearctl/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::uint64_t count(const FindingCounts& counts, FindingClass cls) {
    return counts.ranges.at(static_cast<std::size_t>(cls));
}

/// "2 bit-flip, 1 stale" over the classes that `wanted` takes.
template <typename Wanted>
std::string by_class(const FindingCounts& counts, Wanted wanted) {
    std::string text;
    for (std::size_t i = 0; i < finding_class_count; ++i) {
        const auto cls = static_cast<FindingClass>(i);
        if (counts.ranges[i] == 0 || !wanted(cls)) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.ranges[i], finding_class_names[cls]);
    }
    return text;
}

bool is_corruption(FindingClass cls) {
    return cls != FindingClass::write_error && cls != FindingClass::host_memory;
}

std::string with_reason(std::string text, const std::string& reason) {
    return reason.empty() ? text : fmt::format("{}: {}", text, reason);
}

Verdict end_of_life(const VerdictFacts& facts) {
    const std::string end = fmt::format("the drive's life ended after {}", format_bytes(facts.drive_written));
    Verdict verdict;
    if (!facts.rating || facts.rating->value == 0) {
        verdict.result = VerdictResult::pass;
        verdict.reasons = {with_reason(end, facts.reason),
                           "no rating is known to compare with; until its end no data came back wrong"};
        return verdict;
    }
    const bool reached = facts.drive_written >= *facts.rating;
    const double percent =
        100 * static_cast<double>(facts.drive_written.value) / static_cast<double>(facts.rating->value);
    verdict.result = reached ? VerdictResult::pass : VerdictResult::fail;
    verdict.reasons = {with_reason(end, facts.reason),
                       fmt::format("that is {:.0f} % of its rating of {}, {} it", percent,
                                   format_bytes(*facts.rating), reached ? "beyond" : "below")};
    if (reached) verdict.reasons.emplace_back("until its end no data came back wrong");
    return verdict;
}

Verdict failed(const VerdictFacts& facts, const std::string& errors) {
    Verdict verdict{VerdictResult::fail, {}};
    if (!errors.empty()) verdict.reasons.push_back(errors);
    if (facts.state == RunState::failed)
        verdict.reasons.push_back(with_reason("the run ended before its limit", facts.reason));
    return verdict;
}

Verdict finished(const VerdictFacts& facts) {
    Verdict verdict;
    if (const auto faults = count(facts.findings, FindingClass::host_memory); faults > 0)
        verdict.reasons.push_back(
            fmt::format("{} came wrong once and right when read again: this machine's memory, controller or "
                        "cable must be "
                        "mended before the drive can be judged",
                        counted(faults, "range")));
    if (facts.verified.value == 0) verdict.reasons.emplace_back("nothing was read back and verified");
    if (!verdict.reasons.empty()) return verdict;
    verdict.result = VerdictResult::pass;
    verdict.reasons = {with_reason("finished", facts.reason),
                       fmt::format("all of {} came back right", format_bytes(facts.verified))};
    return verdict;
}

}  // namespace

Verdict judge(const VerdictFacts& facts) {
    const bool over = facts.state && is_over(*facts.state);
    const std::string corruption = by_class(facts.findings, is_corruption);
    if (!corruption.empty()) {
        Verdict verdict{VerdictResult::fail, {"data came back wrong: " + corruption}};
        if (!over) verdict.reasons.emplace_back("the run still goes on");
        if (facts.state == RunState::failed && !facts.reason.empty()) verdict.reasons.push_back(facts.reason);
        return verdict;
    }
    const auto write_errors = count(facts.findings, FindingClass::write_error);
    if (facts.state == RunState::failed && facts.open_ended && !facts.reads_only && write_errors > 0)
        return end_of_life(facts);
    if (write_errors > 0 || facts.state == RunState::failed)
        return failed(facts,
                      write_errors == 0 ? "" : counted(write_errors, "range") + " could not be written");
    if (!over)
        return {VerdictResult::running,
                {with_reason("the run still goes on", facts.reason), "no data came back wrong so far"}};
    if (facts.state == RunState::stopped)
        return {
            VerdictResult::aborted,
            {with_reason("stopped before its limit", facts.reason), "no data came back wrong until then"}};
    return finished(facts);
}

VerdictFacts verdict_facts(const control::RunStatus& run) {
    VerdictFacts facts;
    facts.state = run_state_names.find(run.state);
    facts.reason = run.reason;
    facts.open_ended = run.open_ended;
    facts.verified = {run.verified_bytes};
    facts.drive_written = {run.written_bytes};
    if (const auto told = run.wear.find(std::string(metric_names[Metric::host_bytes_written]));
        told != run.wear.end() && told->second > 0)
        facts.drive_written = std::max(facts.drive_written, Bytes{static_cast<std::uint64_t>(told->second)});
    if (run.rating_bytes) facts.rating = Bytes{*run.rating_bytes};
    for (const auto& [name, ranges] : run.findings) {
        // A class that this program does not know is no reason to call data right.
        const auto cls = finding_class_names.find(name).value_or(FindingClass::garbage);
        facts.findings.ranges.at(static_cast<std::size_t>(cls)) += ranges;
    }
    return facts;
}

ExitCode exit_code(VerdictResult result) {
    switch (result) {
        case VerdictResult::pass:
            return ExitCode::pass;
        case VerdictResult::fail:
            return ExitCode::findings;
        case VerdictResult::running:
        case VerdictResult::aborted:
        case VerdictResult::insufficient_data:
            return ExitCode::insufficient_data;
    }
    return ExitCode::insufficient_data;
}

}  // namespace wearout::tools
