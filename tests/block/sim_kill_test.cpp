#include "block/sim/ftl.h"
#include "block/sim/sim_device.h"
#include "block/sim/sim_target.h"
#include "tests/block/sim_support.h"

#include <csignal>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

/// A child writes through a device and tells over a pipe what it is about to write and what was acknowledged;
/// it is killed at a random moment; then the drive is opened and must hold every acknowledged write.

using namespace wearout;
using namespace wearout::block;
using namespace wearout::block::sim;

namespace {

constexpr std::uint64_t drive_bytes = 2U << 20U;
constexpr std::uint32_t sectors = drive_bytes / sector_bytes;
constexpr std::uint32_t max_sectors = 64;

/// What the child tells, in one write each, so that it comes whole or not at all.
struct Word {
    std::uint32_t acknowledged = 0;  ///< 0: about to write.
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t version = 0;
};

OpenOptions options_in(const std::string& folder) {
    OpenOptions options;
    options.state_dir = folder;
    options.queue_depth = 1;
    options.transfer_bytes = max_sectors * sector_bytes;
    return options;
}

SimOpened open_drive(const std::string& folder) {
    return open_simulated("k", {{"size", "2MiB"}, {"erase-block", "32KiB"}, {"endurance", "5000"}},
                          options_in(folder));
}

/// A sector's content names the sector and its version, all over.
void fill_sector(std::span<std::byte> sector, std::uint32_t index, std::uint32_t version) {
    fill(sector, std::uint64_t{version} << 32U | index);
}

bool holds(std::span<const std::byte> sector, std::uint32_t index, std::uint32_t version) {
    std::vector<std::byte> expected(sector_bytes);
    if (version != 0) fill_sector(expected, index, version);
    return std::ranges::equal(sector, expected);
}

[[noreturn]] void write_until_killed(const std::string& folder, int pipe, std::uint64_t seed,
                                     std::uint32_t version) {
    // Nobody must go on writing when the test itself is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        const SimOpened opened = open_drive(folder);
        BlockDevice& device = *opened.device;
        std::mt19937_64 random(seed);
        for (;;) {
            Word word;
            word.first = static_cast<std::uint32_t>(random() % sectors);
            word.count = static_cast<std::uint32_t>(
                1 + random() % std::min<std::uint64_t>(max_sectors, sectors - word.first));
            word.version = ++version;
            for (std::uint32_t i = 0; i < word.count; ++i)
                fill_sector(device.buffer(0).subspan(i * sector_bytes, sector_bytes), word.first + i,
                            version);
            if (::write(pipe, &word, sizeof word) != sizeof word) ::_exit(3);
            device.submit(
                {IoKind::write, word.first * std::uint64_t{sector_bytes}, word.count * sector_bytes, 0});
            IoCompletion completion;
            if (device.reap({&completion, 1}, {}) != 1 || !std::holds_alternative<IoDone>(completion.outcome))
                ::_exit(4);
            word.acknowledged = 1;
            if (::write(pipe, &word, sizeof word) != sizeof word) ::_exit(3);
        }
    } catch (const std::exception&) {
        ::_exit(5);
    }
}

/// What each sector may hold: what was acknowledged last, or what was under way at the kill.
struct Expected {
    std::vector<std::uint32_t> acknowledged = std::vector<std::uint32_t>(sectors);
    Word under_way;
    std::uint32_t last_version = 0;

    void hear(const Word& word) {
        under_way = word;
        last_version = word.version;
        if (word.acknowledged == 0) return;
        for (std::uint32_t i = 0; i < word.count; ++i)
            acknowledged[word.first + i] = word.version;
        under_way.count = 0;
    }
};

/// Runs one child for a random time. Returns its wait status.
int run_and_kill(const std::string& folder, Expected& expected, std::mt19937_64& random) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const std::uint64_t seed = random();
    const std::uint32_t version = expected.last_version;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(ends[0]);
        write_until_killed(folder, ends[1], seed, version);
    }
    ::close(ends[1]);
    // Counted in words that the child told, then a moment more, so that any step of a write is hit.
    const std::uint64_t words = 2 + random() % 1500;
    Word word;
    for (std::uint64_t i = 0; i < words && ::read(ends[0], &word, sizeof word) == sizeof word; ++i)
        expected.hear(word);
    const timespec moment{0, static_cast<long>(random() % 60'000)};
    ::nanosleep(&moment, nullptr);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    while (::read(ends[0], &word, sizeof word) == sizeof word)
        expected.hear(word);
    ::close(ends[0]);
    return status;
}

/// How many sectors hold what they may not; takes over what the interrupted write left.
std::uint32_t wrong_sectors(BlockDevice& device, Expected& expected) {
    std::uint32_t wrong = 0;
    for (std::uint32_t first = 0; first < sectors; first += max_sectors) {
        device.submit({IoKind::read, first * std::uint64_t{sector_bytes}, max_sectors * sector_bytes, 0});
        IoCompletion completion;
        REQUIRE(device.reap({&completion, 1}, {}) == 1);
        for (std::uint32_t i = first; i < first + max_sectors; ++i) {
            const auto sector = device.buffer(0).subspan((i - first) * sector_bytes, sector_bytes);
            if (holds(sector, i, expected.acknowledged[i])) continue;
            const Word& way = expected.under_way;
            if (i >= way.first && i < way.first + way.count && holds(sector, i, way.version))
                expected.acknowledged[i] = way.version;
            else
                ++wrong;
        }
    }
    expected.under_way.count = 0;
    return wrong;
}

}  // namespace

TEST_CASE("a killed process leaves every acknowledged write") {
    const std::uint64_t seed = std::random_device()();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const ScratchFolder folder;
    Expected expected;
    std::uint64_t interrupted = 0;
    constexpr std::uint64_t kills = 120;
    for (std::uint64_t round = 1; round <= kills; ++round) {
        CAPTURE(round);
        const int status = run_and_kill(folder.path(), expected, random);
        REQUIRE(WIFSIGNALED(status));
        REQUIRE(WTERMSIG(status) == SIGKILL);
        if (expected.under_way.count > 0) ++interrupted;
        {
            Image image = Image::open(folder.path() + "/sim/k.sim");
            const Ftl ftl(image);
            const Counters& counters = image.counters();
            // At most one page a kill was programmed and then neither mapped nor counted as anything.
            const std::uint64_t accounted =
                counters.host_pages + counters.moved_pages + ftl.flash().program_fails();
            CHECK(counters.flash_pages >= accounted);
            CHECK(counters.flash_pages <= accounted + round);
        }
        const SimOpened opened = open_drive(folder.path());
        REQUIRE(wrong_sectors(*opened.device, expected) == 0);
        const SmartFacts facts = dynamic_cast<const SimDevice&>(*opened.device).facts();
        CHECK(facts.unsafe_shutdowns == round);
        CHECK(facts.power_cycles == 2 * round);
    }
    MESSAGE(kills, " kills, ", interrupted, " of them in the middle of a write, ", expected.last_version,
            " writes, seed ", seed);
    CHECK(interrupted > 0);
}
