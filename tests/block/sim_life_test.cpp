#include "block/sim/ftl.h"
#include "block/sim/wear_model.h"
#include "tests/block/sim_support.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block::sim;

namespace {

/// What became of a drive that was overwritten in order until it took no more.
struct Life {
    std::uint64_t host_bytes = 0;
    std::uint64_t first_retired_at = 0;  ///< Bytes of the host.
    double cycles_used = 0;              ///< Average erases over rated ones.
    std::uint32_t retired = 0;
    std::uint32_t program_fails = 0;
    std::uint32_t erase_fails = 0;
    bool operator==(const Life&) const = default;
};

Life live(const SimGeometry& geometry) {
    Image image = Image::anonymous(geometry);
    Ftl ftl(image);
    ByteArray naive(geometry.capacity);
    std::vector<std::byte> bytes(64U << 10U);
    Life life;
    std::uint32_t retired = 0;
    for (std::uint64_t turn = 0;; ++turn) {
        const std::uint64_t offset = turn * bytes.size() % geometry.capacity.value;
        fill(bytes, turn);
        const std::uint64_t before = image.counters().host_bytes_written;
        const auto written = ftl.write(offset, bytes);
        const std::uint64_t taken = image.counters().host_bytes_written - before;
        naive.write(offset, std::span(bytes).first(taken));
        REQUIRE(ftl.flash().retired() >= retired);
        retired = ftl.flash().retired();
        if (retired > 0 && life.first_retired_at == 0)
            life.first_retired_at = image.counters().host_bytes_written;
        if (written == Ftl::Written::done) continue;
        REQUIRE(written == Ftl::Written::read_only);
        break;
    }
    check_conservation(image, ftl);
    CHECK(ftl.read_only());
    CHECK(ftl.spare_left() == 0);
    // More than one where several blocks fail in one write.
    CHECK(retired > geometry.spare_blocks());
    CHECK(naive.first_difference(ftl) == geometry.capacity.value);
    Ftl reopened(image);
    CHECK(reopened.read_only());
    CHECK(reopened.write(0, bytes) == Ftl::Written::read_only);
    CHECK(naive.first_difference(reopened) == geometry.capacity.value);
    life.host_bytes = image.counters().host_bytes_written;
    life.cycles_used = static_cast<double>(ftl.flash().total_erases()) /
                       (geometry.blocks() - geometry.factory_bad) / geometry.endurance;
    life.retired = retired;
    life.program_fails = ftl.flash().program_fails();
    life.erase_fails = ftl.flash().erase_fails();
    return life;
}

}  // namespace

TEST_CASE("a life ends read-only, with all data there, at about the rated cycles") {
    for (const char* endurance : {"30", "200"}) {
        const SimGeometry geometry =
            small_drive({{"size", "16MiB"}, {"erase-block", "16KiB"}, {"endurance", endurance}});
        const Life life = live(geometry);
        CAPTURE(endurance);
        MESSAGE("endurance ", endurance, ": dead after ", life.cycles_used, " of the rated cycles, first of ",
                life.retired, " retired at ",
                static_cast<double>(life.first_retired_at) / static_cast<double>(life.host_bytes),
                " of its life, ", life.program_fails, " program fails");
        CHECK(life.retired == geometry.spare_blocks() + 1);
        CHECK(life.cycles_used > 0.85);
        CHECK(life.cycles_used < 1.2);
        CHECK(life.first_retired_at > life.host_bytes / 4);
        CHECK(life.first_retired_at < life.host_bytes * 95 / 100);
        CHECK(life.program_fails > 0);
        CHECK(life.erase_fails > 0);
    }
}

TEST_CASE("a drive with little spare and many failures loses nothing") {
    for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
        CAPTURE(seed);
        live(small_drive(
            {{"size", "1MiB"}, {"erase-block", "16KiB"}, {"endurance", "1"}, {"op", "0"}, {"seed", seed}}));
        live(small_drive(
            {{"size", "1MiB"}, {"erase-block", "128KiB"}, {"endurance", "3"}, {"op", "0"}, {"seed", seed}}));
    }
}

TEST_CASE("a life is its seed's") {
    const Life life = live(small_drive({{"seed", "1"}}));
    CHECK(live(small_drive({{"seed", "1"}})) == life);
    CHECK_FALSE(live(small_drive({{"seed", "2"}})) == life);
}

TEST_CASE("endurance is drawn around the rating") {
    const SimGeometry geometry =
        small_drive({{"size", "256MiB"}, {"endurance", "3000"}, {"factory-bad", "100"}});
    std::vector<BlockRecord> blocks(geometry.blocks());
    draw_blocks(geometry, blocks);
    double sum = 0;
    double squares = 0;
    for (const BlockRecord& block : blocks) {
        const double cycles = block.endurance;
        sum += cycles;
        squares += cycles * cycles;
    }
    const double n = static_cast<double>(blocks.size());
    const double mean = sum / n;
    const double deviation = std::sqrt(squares / n - mean * mean);
    // Five standard errors.
    const double expected = 3000 * endurance_margin;
    CHECK(std::abs(mean - expected) < 5 * endurance_spread * expected / std::sqrt(n));
    CHECK(std::abs(deviation / (endurance_spread * expected) - 1) < 5 / std::sqrt(2 * n));
    CHECK(std::ranges::count(blocks, BlockState::factory_bad, &BlockRecord::state) == 100);
}

TEST_CASE("a block fails within its cycles as a Weibull distribution says, half of it in the erase") {
    const SimGeometry geometry = small_drive();
    constexpr std::uint32_t endurance = 100;
    constexpr std::uint32_t blocks = 4000;
    std::uint32_t erase = 0;
    std::uint32_t dead_by_endurance = 0;
    std::set<std::uint32_t> pages;
    for (std::uint32_t block = 0; block < blocks; ++block) {
        for (std::uint32_t cycle = 0;; ++cycle) {
            const CycleFate fate = cycle_fate(geometry, block, endurance, cycle);
            if (!fate.erase_fails && fate.failing_page == UINT32_MAX) continue;
            REQUIRE(cycle > 0);
            REQUIRE(cycle < 2 * endurance);
            if (cycle <= endurance) ++dead_by_endurance;
            if (fate.erase_fails)
                ++erase;
            else
                pages.insert(fate.failing_page);
            break;
        }
    }
    // 1 - 1/e are dead by the scale; five standard errors of a share.
    const double error = 5 * 0.5 / std::sqrt(static_cast<double>(blocks));
    CHECK(std::abs(dead_by_endurance / static_cast<double>(blocks) - (1 - std::exp(-1.0))) < error);
    CHECK(std::abs(erase / static_cast<double>(blocks) - 0.5) < error);
    CHECK(pages.size() == geometry.pages_per_block());
    CHECK(*pages.rbegin() == geometry.pages_per_block() - 1);
}
