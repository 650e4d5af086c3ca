#include "pattern/crc.h"
#include "pattern/generator.h"
#include "pattern/kernel.h"
#include "pattern/pattern.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

// Bytes per second of what stands between a drive and its pattern, on one core and in cache. Compare with the
// memcpy row: on a shared machine all rows fall together.

namespace {

using namespace wearout;
using namespace wearout::pattern;

constexpr PatternId id{.run = 0x0123'4567'89ab'cdef, .drive = 0xfedc'ba98'7654'3210, .seed = 42};
constexpr Generation generation{7};

/// Page-aligned, as transfer buffers are.
class Buffer {
  public:
    explicit Buffer(std::size_t size)
        : bytes_(static_cast<std::byte*>(std::aligned_alloc(unit_bytes, size))), size_(size) {
        if (!bytes_) throw std::bad_alloc();
        generate(id, {0}, generation, get());
    }
    [[nodiscard]] std::span<std::byte> get() const { return {bytes_.get(), size_}; }

  private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_;
};

template <typename Work>
void measure(benchmark::State& state, Work work) {
    const Buffer buffer(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        work(buffer.get());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}

void bench_memcpy(benchmark::State& state) {
    const Buffer target(static_cast<std::size_t>(state.range(0)));
    measure(state, [&](auto buffer) { std::memcpy(target.get().data(), buffer.data(), buffer.size()); });
}

void bench_crc(benchmark::State& state) {
    std::vector<std::uint32_t> crcs(static_cast<std::size_t>(state.range(0)) / sector_bytes);
    measure(state, [&](auto buffer) { crc_sectors(buffer, crcs); });
}

void bench_generate(benchmark::State& state) {
    measure(state, [](auto buffer) { generate(id, {0}, generation, buffer); });
}

void bench_matches(benchmark::State& state) {
    measure(state, [&](auto buffer) {
        if (!matches(id, {0}, generation, buffer)) state.SkipWithError("does not match");
    });
}

void bench_examine(benchmark::State& state) {
    measure(state, [&](auto buffer) {
        if (!examine(id, {0}, {.generation = generation, .or_else = {}}, buffer).empty())
            state.SkipWithError("found something");
    });
}

void bench_examine_stale(benchmark::State& state) {
    measure(state, [&](auto buffer) {
        if (examine(id, {0}, {.generation = {generation.value + 1}, .or_else = {}}, buffer).size() != 1)
            state.SkipWithError("is not one finding");
    });
}

void register_kernel(const Kernel& kernel) {
    const Generator generator(id, kernel);
    const std::string name(kernel.name);
    benchmark::RegisterBenchmark(("generate/" + name).c_str(), [generator](benchmark::State& state) {
        measure(state, [&](auto buffer) { generator.fill({0}, generation, buffer); });
    })->Arg(1 << 16);
    benchmark::RegisterBenchmark(("matches/" + name).c_str(), [generator](benchmark::State& state) {
        measure(state, [&](auto buffer) {
            if (!generator.same({0}, generation, buffer)) state.SkipWithError("does not match");
        });
    })->Arg(1 << 16);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    using Named = std::pair<const char*, void (*)(benchmark::State&)>;
    for (const auto& [name, function] :
         {Named{"memcpy", bench_memcpy}, Named{"crc", bench_crc}, Named{"generate", bench_generate},
          Named{"matches", bench_matches}, Named{"examine", bench_examine},
          Named{"examine_stale", bench_examine_stale}})
        benchmark::RegisterBenchmark(name, function)->Arg(1 << 16)->Arg(1 << 20);
    for (const auto& kernel : kernels())
        register_kernel(kernel);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
