#include "run/finding_log.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::run;

namespace {

Finding garbage(std::uint64_t lba, std::uint64_t sectors) {
    Finding finding;
    finding.cls = FindingClass::garbage;
    finding.lba = {lba};
    finding.sectors = sectors;
    finding.reread = Reread::same;
    finding.pass = 1;
    return finding;
}

std::uint64_t garbage_ranges(const FindingCounts& counts) {
    return counts.ranges[static_cast<std::size_t>(FindingClass::garbage)];
}
std::uint64_t garbage_sectors(const FindingCounts& counts) {
    return counts.sectors[static_cast<std::size_t>(FindingClass::garbage)];
}

RunBatch batch_of(FindingLog& log, bool withhold = false) {
    RunBatch batch;
    log.put_into(batch, withhold);
    if (!withhold) log.committed();
    return batch;
}

}  // namespace

TEST_CASE("adjacent findings are one, across commits too, with the same number") {
    FindingLog log({}, 100);
    log.add(garbage(0, 8));
    log.add(garbage(8, 8));
    RunBatch first = batch_of(log);
    REQUIRE(first.findings.size() == 1);
    CHECK(first.findings[0].sequence == 1);
    CHECK(first.findings[0].sectors == 16);
    log.add(garbage(16, 4));
    log.add(garbage(21, 1));
    RunBatch second = batch_of(log);
    REQUIRE(second.findings.size() == 2);
    CHECK(second.findings[0].sequence == 1);
    CHECK(second.findings[0].sectors == 20);
    CHECK(second.findings[1].sequence == 2);
    CHECK(garbage_ranges(second.checkpoint.counters.findings) == 2);
    CHECK(garbage_sectors(second.checkpoint.counters.findings) == 21);
    CHECK(batch_of(log).findings.empty());
}

TEST_CASE("what differs in its second read or its pass stays apart") {
    FindingLog log({}, 100);
    log.add(garbage(0, 8));
    Finding other = garbage(8, 8);
    other.reread = Reread::different;
    log.add(other);
    other = garbage(16, 8);
    other.reread = Reread::different;
    other.pass = 2;
    log.add(other);
    CHECK(batch_of(log).findings.size() == 3);
}

TEST_CASE("past the cap it only counts, and still joins") {
    FindingLog log({}, 2);
    for (std::uint64_t i = 0; i < 5; ++i)
        log.add(garbage(i * 10, 1));
    log.add(garbage(41, 3));
    CHECK(log.full());
    const RunBatch batch = batch_of(log);
    CHECK(batch.findings.size() == 2);
    CHECK(batch.checkpoint.counters.last_finding_sequence == 2);
    CHECK(garbage_ranges(batch.checkpoint.counters.findings) == 5);
    CHECK(garbage_sectors(batch.checkpoint.counters.findings) == 8);
}

TEST_CASE("the numbers go on where a checkpoint stood") {
    RunCounters counters;
    counters.last_finding_sequence = 7;
    counters.findings.ranges[static_cast<std::size_t>(FindingClass::garbage)] = 9;
    FindingLog log(counters, 100);
    log.add(garbage(0, 1));
    const RunBatch batch = batch_of(log);
    CHECK(batch.findings.at(0).sequence == 8);
    CHECK(garbage_ranges(batch.checkpoint.counters.findings) == 10);
}

TEST_CASE("what is withheld or dropped is not said") {
    FindingLog log({}, 100);
    log.add(garbage(0, 1));
    (void)batch_of(log);
    log.add(garbage(1, 1));
    log.add(garbage(50, 1));
    const RunBatch withheld = batch_of(log, true);
    CHECK(withheld.findings.empty());
    CHECK(garbage_ranges(withheld.checkpoint.counters.findings) == 1);
    CHECK(withheld.checkpoint.counters.last_finding_sequence == 1);
    log.drop_uncommitted();
    CHECK(batch_of(log).findings.empty());
    log.add(garbage(1, 2));
    const RunBatch after = batch_of(log);
    REQUIRE(after.findings.size() == 1);
    CHECK(after.findings[0].sequence == 1);
    CHECK(after.findings[0].sectors == 3);
}
