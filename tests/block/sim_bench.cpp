#include "block/sim/sim_device.h"

#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>

#include <benchmark/benchmark.h>

/// How fast the simulated drive takes what the host writes, collection included. Each benchmark starts from a
/// drive that is full and in its steady state. "waf" is the write amplification in the measured part.

namespace {

using namespace wearout;
using namespace wearout::block;
using namespace wearout::block::sim;

constexpr std::uint32_t transfer = 1U << 20U;

class Bench {
  public:
    /// arg 0: in memory; 1: in a file below the temporary folder.
    explicit Bench(bool in_file) {
        const SimGeometry geometry = plan_geometry("bench", {{"size", "256MiB"}, {"endurance", "100000"}});
        path_ = (std::filesystem::temp_directory_path() / ("wearout-bench-" + std::to_string(::getpid())))
                    .string();
        OpenOptions options;
        options.queue_depth = 1;
        device_ = std::make_unique<SimDevice>(
            "bench", in_file ? Image::create(path_, geometry) : Image::anonymous(geometry), options,
            system_clock());
        std::mt19937_64 random(1);
        for (std::byte& byte : device_->buffer(0))
            byte = static_cast<std::byte>(random());
    }
    ~Bench() { std::filesystem::remove(path_); }

    void write(std::uint64_t offset, std::uint32_t length) {
        IoCompletion completion;
        device_->submit({IoKind::write, offset, length, 0});
        device_->reap({&completion, 1}, {});
        if (!std::holds_alternative<IoDone>(completion.outcome)) throw std::runtime_error("a write failed");
    }
    [[nodiscard]] std::uint64_t capacity() const { return device_->geometry().capacity.value; }
    [[nodiscard]] SmartFacts facts() const { return device_->facts(); }

  private:
    std::string path_;
    std::unique_ptr<SimDevice> device_;
};

void report(benchmark::State& state, const SmartFacts& before, const SmartFacts& after,
            std::uint32_t length) {
    state.SetBytesProcessed(state.iterations() * length);
    state.counters["waf"] = static_cast<double>(after.flash_written.value - before.flash_written.value) /
                            static_cast<double>(after.host_written.value - before.host_written.value);
}

void sequential_overwrite(benchmark::State& state) {
    Bench bench(state.range(0) != 0);
    std::uint64_t offset = 0;
    for (std::uint64_t i = 0; i < 2 * bench.capacity(); i += transfer)
        bench.write(i % bench.capacity(), transfer);
    const SmartFacts before = bench.facts();
    for (auto _ : state) {
        bench.write(offset, transfer);
        offset = (offset + transfer) % bench.capacity();
    }
    report(state, before, bench.facts(), transfer);
}

void random_4k(benchmark::State& state) {
    Bench bench(state.range(0) != 0);
    std::mt19937_64 random(2);
    const std::uint64_t pages = bench.capacity() / page_bytes;
    for (std::uint64_t i = 0; i < bench.capacity(); i += transfer)
        bench.write(i, transfer);
    for (std::uint64_t i = 0; i < 2 * pages; ++i)
        bench.write(random() % pages * page_bytes, page_bytes);
    const SmartFacts before = bench.facts();
    for (auto _ : state)
        bench.write(random() % pages * page_bytes, page_bytes);
    report(state, before, bench.facts(), page_bytes);
}

}  // namespace

BENCHMARK(sequential_overwrite)->ArgName("file")->Arg(0)->Arg(1);
BENCHMARK(random_4k)->ArgName("file")->Arg(0)->Arg(1);
BENCHMARK_MAIN();
