#include "run/finding_log.h"

#include "pattern/pattern.h"

#include <utility>

namespace wearout::run {

FindingLog::FindingLog(const RunCounters& counters, std::uint32_t max_stored)
    : now_{counters.findings, counters.last_finding_sequence, {}},
      committed_(now_),
      max_stored_(max_stored) {}

void FindingLog::add(Finding finding) {
    const auto cls = static_cast<std::size_t>(finding.cls);
    now_.counts.sectors.at(cls) += finding.sectors;
    if (now_.open && now_.open->pass == finding.pass && now_.open->reread == finding.reread &&
        pattern::merge(*now_.open, finding)) {
        open_changed_ = true;
        return;
    }
    if (open_changed_ && now_.open->sequence != 0) closed_.push_back(std::move(*now_.open));
    ++now_.counts.ranges.at(cls);
    finding.sequence = full() ? 0 : ++now_.sequence;
    now_.open = std::move(finding);
    open_changed_ = true;
}

void FindingLog::put_into(RunBatch& batch, bool withhold) const {
    const State& said = withhold ? committed_ : now_;
    batch.checkpoint.counters.findings = said.counts;
    batch.checkpoint.counters.last_finding_sequence = said.sequence;
    if (withhold) return;
    batch.findings = closed_;
    if (open_changed_ && now_.open->sequence != 0) batch.findings.push_back(*now_.open);
}

void FindingLog::committed() {
    committed_ = now_;
    closed_.clear();
    open_changed_ = false;
}

void FindingLog::drop_uncommitted() {
    now_ = committed_;
    closed_.clear();
    open_changed_ = false;
}

}  // namespace wearout::run
