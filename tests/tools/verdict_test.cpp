#include "tools/wearctl/verdict.h"

#include "tools/fake_daemon.h"

#include <initializer_list>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::tools;
using enum VerdictResult;

namespace {

VerdictFacts facts(RunState state, std::initializer_list<FindingClass> findings = {}) {
    VerdictFacts facts;
    facts.state = state;
    facts.verified = {1'000'000};
    facts.drive_written = {100'000'000'000'000};
    for (const FindingClass cls : findings)
        ++facts.findings.ranges.at(static_cast<std::size_t>(cls));
    return facts;
}

VerdictResult result(const VerdictFacts& facts) {
    const Verdict verdict = judge(facts);
    CHECK(!verdict.reasons.empty());
    for (const auto& reason : verdict.reasons)
        CHECK(!reason.empty());
    return verdict.result;
}

}  // namespace

TEST_CASE("a run that reached its limit passes when all came back right") {
    CHECK(result(facts(RunState::finished)) == pass);
    auto unverified = facts(RunState::finished);
    unverified.verified = {};
    CHECK(result(unverified) == insufficient_data);
}

TEST_CASE("data that came back wrong fails the drive, whatever the run does") {
    for (std::size_t i = 0; i < finding_class_count; ++i) {
        const auto cls = static_cast<FindingClass>(i);
        if (cls == FindingClass::host_memory) continue;
        CAPTURE(std::string(finding_class_names[cls]));
        for (const RunState state : {RunState::writing, RunState::verifying, RunState::paused,
                                     RunState::waiting_drive, RunState::finished, RunState::stopped})
            CHECK(result(facts(state, {cls})) == fail);
    }
    const Verdict verdict = judge(
        facts(RunState::writing, {FindingClass::bit_flip, FindingClass::bit_flip, FindingClass::stale}));
    CHECK(verdict.reasons.at(0) == "data came back wrong: 2 bit-flip, 1 stale");
}

TEST_CASE("host-memory findings alone blame the machine: no pass and no fail") {
    CHECK(result(facts(RunState::finished, {FindingClass::host_memory})) == insufficient_data);
    CHECK(result(facts(RunState::writing, {FindingClass::host_memory})) == running);
    CHECK(result(facts(RunState::finished, {FindingClass::host_memory, FindingClass::zeroed})) == fail);
}

TEST_CASE("what is not over is running, what was stopped is aborted") {
    for (const RunState state : {RunState::writing, RunState::verifying, RunState::paused,
                                 RunState::waiting_storage, RunState::waiting_drive})
        CHECK(result(facts(state)) == running);
    CHECK(result(facts(RunState::stopped)) == aborted);
    auto unknown = facts(RunState::writing);
    unknown.state.reset();
    CHECK(result(unknown) == running);
}

TEST_CASE("a drive that takes no more writes is held against its rating") {
    auto death = facts(RunState::failed, {FindingClass::write_error});
    CHECK(result(death) == fail);  // It was to reach a limit.
    death.open_ended = true;
    CHECK(result(death) == pass);
    CHECK(judge(death).reasons.at(1).find("no rating is known") != std::string::npos);
    death.rating = Bytes{300'000'000'000'000};
    CHECK(result(death) == fail);
    CHECK(judge(death).reasons.at(1) == "that is 33 % of its rating of 300 TB, below it");
    death.rating = death.drive_written;
    CHECK(result(death) == pass);
    death.rating = Bytes{50'000'000'000'000};
    CHECK(judge(death).reasons.at(1) == "that is 200 % of its rating of 50.0 TB, beyond it");
    ++death.findings.ranges.at(static_cast<std::size_t>(FindingClass::stale));
    CHECK(result(death) == fail);
}

TEST_CASE("another failed end is no end of life") {
    auto broken = facts(RunState::failed);
    broken.open_ended = true;
    broken.reason = "a stranger is in the slot";
    CHECK(result(broken) == fail);
    CHECK(judge(broken).reasons.at(0).find("stranger") != std::string::npos);
    auto reader = facts(RunState::failed, {FindingClass::write_error});
    reader.open_ended = reader.reads_only = true;
    CHECK(result(reader) == fail);
}

TEST_CASE("only a pass is exit code 0") {
    CHECK(exit_code(pass) == ExitCode::pass);
    CHECK(exit_code(fail) == ExitCode::findings);
    for (const auto none : {running, aborted, insufficient_data})
        CHECK(exit_code(none) == ExitCode::insufficient_data);
}

TEST_CASE("the daemon's status says as much as the database") {
    auto run = test::example_run();
    CHECK(judge(verdict_facts(run)).result == running);
    run.findings = {{"zeroed", 2}};
    CHECK(judge(verdict_facts(run)).result == fail);
    run.findings = {{"some-new-class", 1}};
    CHECK(judge(verdict_facts(run)).result == fail);
    run.findings = {{"write-error", 1}};
    run.state = "failed";
    run.open_ended = true;
    run.wear["host_bytes_written"] = 400'000'000'000'000;
    CHECK(judge(verdict_facts(run)).result == pass);
    run.state = "stuck";
    run.findings.clear();
    CHECK(judge(verdict_facts(run)).result == running);
}
