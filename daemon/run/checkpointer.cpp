#include "run/checkpointer.h"

#include "run/pass.h"

#include <algorithm>

namespace wearout::run {

Checkpointer::Checkpointer(Checkpoint& now, FindingLog& log, Journal& journal, Clock& clock)
    : now_(now),
      log_(log),
      journal_(journal),
      clock_(clock),
      ranges_before_pass_(now.counters.findings.total() -
                          std::min(now.counters.findings.total(), now.pass.finding_ranges)),
      durable_generation_(now.media.generation),
      durable_issued_to_(now.media.issued_to),
      last_commit_(clock.steady()),
      last_attempt_(last_commit_) {}

void Checkpointer::begin_pass(RunState kind) {
    now_.pass = {};
    now_.pass.kind = kind;
    now_.pass.generation = now_.media.generation;
    now_.pass.started = clock_.wall();
    ranges_before_pass_ = log_.counts().total();
}

PassRecord Checkpointer::current_pass() const {
    PassRecord pass = now_.pass;
    pass.finding_ranges = log_.counts().total() - ranges_before_pass_;
    return pass;
}

std::uint64_t Checkpointer::durable_issued_to() const {
    return durable_generation_ == now_.media.generation ? durable_issued_to_ : 0;
}

RunBatch Checkpointer::make_batch(const Pass* pass, bool findings) const {
    RunBatch batch;
    batch.checkpoint = now_;
    batch.passes = passes_;
    log_.put_into(batch, !findings);
    const std::uint64_t ranges = batch.checkpoint.counters.findings.total();
    batch.checkpoint.pass.finding_ranges = ranges > ranges_before_pass_ ? ranges - ranges_before_pass_ : 0;
    if (pass != nullptr) pass->add_unknown(batch.checkpoint.media.unknown);
    return batch;
}

bool Checkpointer::commit(const Pass* pass, bool findings) {
    last_attempt_ = clock_.steady();
    const RunBatch batch = make_batch(pass, findings);
    try {
        journal_.commit(batch);
    } catch (const StorageUnavailable& unavailable) {
        problem_ = unavailable.what();
        if (problem_.empty()) problem_ = "storage is unavailable";
        return false;
    }
    problem_.clear();
    passes_.clear();
    if (findings) log_.committed();
    durable_generation_ = batch.checkpoint.media.generation;
    durable_issued_to_ = batch.checkpoint.media.issued_to;
    last_commit_ = clock_.steady();
    return true;
}

}  // namespace wearout::run
