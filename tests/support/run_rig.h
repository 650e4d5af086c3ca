#pragma once

#include "base/clock.h"
#include "block/memory_device.h"
#include "pattern/pattern.h"
#include "run/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace wearout::test {

using namespace std::chrono_literals;

/// A journal in memory that keeps what a database would keep, can be made to fail, and refuses batches that
/// contradict what is there.
class MemoryJournal final : public run::Journal {
  public:
    explicit MemoryJournal(Checkpoint first) : last(std::move(first)) {}

    /// Another run begins.
    void begin(const Checkpoint& first) {
        last = first;
        findings.clear();
        passes.clear();
    }

    void commit(const RunBatch& batch) override {
        ++attempts;
        if (fails && fails(attempts)) throw StorageUnavailable("the disk is full");
        const Checkpoint& next = batch.checkpoint;
        check(next.media.flushed_to <= next.media.issued_to);
        check(next.media.unknown.size() <= MediaState::max_unknown);
        check(next.media.generation >= last.media.generation);
        check(next.counters.written >= last.counters.written);
        check(next.counters.verified >= last.counters.verified);
        check(next.counters.active >= last.counters.active);
        check(next.counters.findings.total() >= last.counters.findings.total());
        check(next.counters.last_finding_sequence >= last.counters.last_finding_sequence);
        for (const Finding& finding : batch.findings) {
            check(finding.sequence >= 1 && finding.sequence <= next.counters.last_finding_sequence);
            const auto old = findings.find(finding.sequence);
            check(old == findings.end() ? finding.sequence > last.counters.last_finding_sequence
                                        : finding.sectors > old->second.sectors);
            findings[finding.sequence] = finding;
        }
        check(findings.size() == next.counters.last_finding_sequence);
        passes.insert(passes.end(), batch.passes.begin(), batch.passes.end());
        last = next;
        ++commits;
    }

    Checkpoint last;
    std::map<std::uint32_t, Finding> findings;
    std::vector<PassRecord> passes;
    std::uint64_t attempts = 0;
    std::uint64_t commits = 0;
    std::function<bool(std::uint64_t attempt)> fails;

  private:
    static void check(bool holds) {
        if (!holds) throw std::logic_error("a batch contradicts what was committed before");
    }
};

/// Lets through only what the last durable checkpoint allows: each write ends at or before issued_to, and is
/// exactly what the pattern makes for its generation.
class GuardedDevice final : public block::BlockDevice {
  public:
    GuardedDevice(block::BlockDevice& inner, const RunSpec& spec, const MemoryJournal& journal)
        : inner_(inner), spec_(spec), journal_(journal) {}

    [[nodiscard]] const block::Geometry& geometry() const noexcept override { return inner_.geometry(); }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return inner_.queue_depth(); }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return inner_.buffer_bytes(); }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override {
        return inner_.buffer(index);
    }
    void submit(const block::IoRequest& request) override {
        ++submitted;
        requests.push_back(request);
        if (request.offset % geometry().logical_block != 0 ||
            request.length % geometry().logical_block != 0 || request.length == 0)
            throw std::logic_error("not in logical blocks");
        const std::uint64_t begin = spec_.range.first.byte_offset();
        if (request.offset < begin || request.offset + request.length > spec_.range.end() * unit_bytes)
            throw std::logic_error("outside the range");
        if (request.kind == block::IoKind::write) check_write(request);
        ++under_way;
        inner_.submit(request);
    }
    std::size_t reap(std::span<block::IoCompletion> out, std::chrono::milliseconds timeout) override {
        const std::size_t count = inner_.reap(out, timeout);
        under_way -= count;
        return count;
    }
    [[nodiscard]] block::IoOutcome flush() override {
        ++flushes;
        return inner_.flush();
    }

    std::vector<block::IoRequest> requests;
    std::uint64_t submitted = 0;
    std::uint64_t under_way = 0;
    std::uint64_t flushes = 0;

  private:
    void check_write(const block::IoRequest& request) {
        const MediaState& media = journal_.last.media;
        if (spec_.reads_only) throw std::logic_error("a run that only reads writes");
        const std::uint64_t end = request.offset + request.length - spec_.range.first.byte_offset();
        if (end > media.issued_to * unit_bytes)
            throw std::logic_error("a write beyond what the last durable checkpoint allows");
        if (!pattern::matches(spec_.pattern, {request.offset / sector_bytes}, media.generation,
                              inner_.buffer(request.buffer).first(request.length)))
            throw std::logic_error("a write of something else than the generation's pattern");
    }

    block::BlockDevice& inner_;
    const RunSpec& spec_;
    const MemoryJournal& journal_;
};

inline RunSpec make_spec(std::uint64_t first, std::uint64_t count) {
    RunSpec spec;
    spec.profile = "test";
    spec.target = "memory";
    spec.pattern = {0x1111222233334444U, 0x5555666677778888U, 42};
    spec.range = {{first}, count};
    spec.transfer_bytes = 8 * unit_bytes;
    spec.queue_depth = 4;
    return spec;
}

/// A run over a drive in memory, with a clock of its own. Each request takes `service_time`.
struct Rig {
    Rig(block::Geometry geometry, RunSpec run_spec, std::uint64_t seed = 1)
        : media(geometry, true, seed),
          spec(std::move(run_spec)),
          journal(run::initial_checkpoint(spec, nullptr)) {
        device_options = {.queue_depth = spec.queue_depth,
                          .transfer_bytes = spec.transfer_bytes,
                          .shuffle_seed = seed,
                          .service_time = 1ms};
        options.checkpoint_interval = 50ms;
        options.issue_ahead = 20ms;
        options.storage_retry = 30ms;
    }

    /// Opens the drive (anew) and makes an engine that goes on from the last durable checkpoint.
    void open(bool resumed) {
        close();
        memory = std::make_unique<block::MemoryDevice>(media, device_options, clock);
        block::BlockDevice& below = wrap ? *(wrapped = wrap(std::move(memory))) : *memory;
        device = std::make_unique<GuardedDevice>(below, spec, journal);
        engine = std::make_unique<run::Engine>(spec, journal.last, resumed, *device, journal, clock, options);
    }
    void close() {
        engine.reset();
        device.reset();
        wrapped.reset();
        memory.reset();
    }

    /// Works until the run is over or waits for something, at most so many slices.
    RunState work_on(int slices = 100'000) {
        RunState state = engine->progress().checkpoint.state;
        for (; slices > 0; --slices) {
            state = engine->work(10ms);
            if (state != RunState::writing && state != RunState::verifying) break;
        }
        return state;
    }
    /// Now a run that only reads what this one left.
    void become_scan() {
        close();
        const Checkpoint subject = journal.last;
        spec.reads_only = true;
        spec.limits = {};
        journal.begin(run::initial_checkpoint(spec, &subject));
    }
    RunState run_to_end() {
        open(false);
        return work_on();
    }

    [[nodiscard]] std::uint64_t range_bytes() const {
        return std::min(spec.range.end() * unit_bytes, media.geometry().capacity.value) -
               spec.range.first.byte_offset();
    }
    [[nodiscard]] const RunCounters& counters() const { return journal.last.counters; }

    block::MemoryMedia media;
    RunSpec spec;
    ManualClock clock;
    MemoryJournal journal;
    block::MemoryOptions device_options;
    run::EngineOptions options;
    /// Puts something between the drive and the engine.
    std::function<std::unique_ptr<block::BlockDevice>(std::unique_ptr<block::MemoryDevice>)> wrap;
    std::unique_ptr<block::MemoryDevice> memory;
    std::unique_ptr<block::BlockDevice> wrapped;
    std::unique_ptr<GuardedDevice> device;
    std::unique_ptr<run::Engine> engine;
};

/// Passes with bytes, for tests to compare at once.
inline std::vector<std::pair<RunState, std::uint64_t>> kinds_and_bytes(
    const std::vector<PassRecord>& passes) {
    std::vector<std::pair<RunState, std::uint64_t>> out;
    out.reserve(passes.size());
    for (const PassRecord& pass : passes)
        out.emplace_back(pass.kind, pass.bytes.value);
    return out;
}

inline std::vector<std::byte> read_media(const block::MemoryMedia& media, std::uint64_t offset,
                                         std::uint64_t length) {
    std::vector<std::byte> bytes(length);
    media.read(offset, bytes);
    return bytes;
}

/// Whether the whole range holds this generation.
inline bool holds(const Rig& rig, std::uint32_t generation) {
    const auto bytes = read_media(rig.media, rig.spec.range.first.byte_offset(), rig.range_bytes());
    return pattern::matches(rig.spec.pattern, rig.spec.range.first.first_lba(), {generation}, bytes);
}

}  // namespace wearout::test
