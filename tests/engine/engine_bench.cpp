// What the engine costs: a write pass and a verify pass over a device that moves no byte, beside the
// generator and the checker alone over the same memory. The engine's rate should be that of the pattern,
// nearly.

#include "pattern/pattern.h"
#include "run/engine.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

using namespace wearout;

namespace {

constexpr std::uint32_t transfer = 1U << 20U;
constexpr std::uint32_t depth = 16;
constexpr std::uint64_t range = 256U << 20U;
const PatternId id{1, 2, 3};

/// Completes everything at once. What is read lies in `arena` already, and is handed out from there.
class InstantDevice final : public block::BlockDevice {
  public:
    explicit InstantDevice(std::vector<std::byte>& arena)
        : arena_(arena), own_(static_cast<std::size_t>(depth) * transfer), places_(depth) {
        for (std::uint32_t i = 0; i < depth; ++i)
            places_[i] = own_buffer(i);
    }
    [[nodiscard]] const block::Geometry& geometry() const noexcept override { return geometry_; }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return depth; }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return transfer; }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override {
        return places_[index];
    }
    void submit(const block::IoRequest& request) override {
        if (request.kind == block::IoKind::read)
            places_[request.buffer] = std::span(arena_).subspan(request.offset, request.length);
        done_.push_back({request, block::IoDone{}, {}});
    }
    std::size_t reap(std::span<block::IoCompletion> out, std::chrono::milliseconds /*timeout*/) override {
        std::size_t count = 0;
        for (; count < out.size() && !done_.empty(); ++count) {
            out[count] = done_.front();
            done_.pop_front();
        }
        return count;
    }
    [[nodiscard]] block::IoOutcome flush() override { return block::IoDone{}; }

  private:
    std::span<std::byte> own_buffer(std::uint32_t index) {
        return std::span(own_).subspan(static_cast<std::size_t>(index) * transfer, transfer);
    }
    block::Geometry geometry_{{range}, 512};
    std::vector<std::byte>& arena_;
    std::vector<std::byte> own_;
    std::vector<std::span<std::byte>> places_;
    std::deque<block::IoCompletion> done_;
};

class NoJournal final : public run::Journal {
  public:
    void commit(const RunBatch& batch) override { last = batch.checkpoint; }
    Checkpoint last;
};

std::vector<std::byte>& arena() {
    static std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(range);
        pattern::generate(id, {0}, {1}, made);
        return made;
    }();
    return bytes;
}

RunSpec make_spec() {
    RunSpec spec;
    spec.pattern = id;
    spec.range = {{0}, range / unit_bytes};
    spec.transfer_bytes = transfer;
    spec.queue_depth = depth;
    spec.limits.passes = 1;
    spec.verify = false;
    return spec;
}

void run_engine(benchmark::State& state, const RunSpec& spec, const Checkpoint& start) {
    InstantDevice device(arena());
    NoJournal journal;
    run::IoGaps gaps;
    run::EngineOptions options;
    options.gaps = &gaps;
    for (auto _ : state) {
        run::Engine engine(spec, start, false, device, journal, system_clock(), options);
        while (!is_over(engine.work(std::chrono::milliseconds(100)))) {
        }
    }
    if (journal.last.state != RunState::finished || journal.last.counters.findings.total() != 0)
        state.SkipWithError("the run did not end as it should");
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(range));
}

void generate_alone(benchmark::State& state) {
    std::vector<std::byte> buffers(static_cast<std::size_t>(depth) * transfer);
    for (auto _ : state) {
        for (std::uint64_t at = 0; at < range; at += transfer)
            pattern::generate(id, {at / sector_bytes}, {1},
                              std::span(buffers).subspan(at % buffers.size(), transfer));
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(range));
}

void check_alone(benchmark::State& state) {
    const std::span<const std::byte> bytes = arena();
    for (auto _ : state)
        for (std::uint64_t at = 0; at < range; at += transfer)
            benchmark::DoNotOptimize(
                pattern::matches(id, {at / sector_bytes}, {1}, bytes.subspan(at, transfer)));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(range));
}

void engine_writes(benchmark::State& state) {
    const RunSpec spec = make_spec();
    run_engine(state, spec, run::initial_checkpoint(spec, nullptr));
}

void engine_verifies(benchmark::State& state) {
    RunSpec spec = make_spec();
    Checkpoint written;
    written.media.flushed_to = written.media.issued_to = spec.range.count;
    spec.reads_only = true;
    run_engine(state, spec, run::initial_checkpoint(spec, &written));
}

BENCHMARK(generate_alone)->Unit(benchmark::kMillisecond);
BENCHMARK(engine_writes)->Unit(benchmark::kMillisecond);
BENCHMARK(check_alone)->Unit(benchmark::kMillisecond);
BENCHMARK(engine_verifies)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
