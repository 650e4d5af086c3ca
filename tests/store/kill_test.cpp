#include "base/fd.h"
#include "store/database.h"
#include "support.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/prctl.h>
#include <thread>

#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

const std::string key = some_drive().key;

/// Commits numbered batches for ever, and tells each one after it is stored.
[[noreturn]] void commit_for_ever(const std::string& path, RunId run, int report) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Store store(path, OpenMode::read_write);
    auto n = static_cast<std::uint32_t>(store.findings(run).size());
    for (;;) {
        ++n;
        auto state = checkpoint(n);
        state.counters.last_finding_sequence = n;
        state.counters.findings.ranges[1] = n;
        PassRecord pass{RunState::writing, {n}, at(n), at(n + 1), std::chrono::seconds(1), {n}, 0};
        store.commit(run, {state, {finding(n)}, {pass}}, at(n));
        auto taken = sample(n, {reading(Metric::power_on_hours, n)});
        taken.raw = "{\"n\": " + std::to_string(n) + "}";
        store.add_sample(key, run, taken);
        if (::write(report, &n, sizeof n) != sizeof n) ::_exit(1);
    }
}

/// The last batch that was told before the child was killed.
std::uint32_t last_told(int report, std::uint32_t before) {
    std::uint32_t n = before;
    std::uint32_t told = before;
    while (::read(report, &n, sizeof n) == sizeof n)
        told = n;
    return told;
}

/// `told`: the last batch that was told to be stored; `before`: how many there were before this life.
void check_whole(const Store& store, RunId run, std::uint32_t told, std::uint32_t before) {
    const auto findings = store.findings(run);
    const auto n = static_cast<std::uint32_t>(findings.size());
    CHECK(n >= std::max(told, before));
    CHECK(n <= std::max(told, before) + 1);
    if (n == 0) return;
    const auto state = store.run(run)->checkpoint;
    CHECK(state.counters.last_finding_sequence == n);
    CHECK(state.counters.findings.ranges[1] == n);
    CHECK(state.media == checkpoint(n).media);
    CHECK(store.passes(run).size() == n);
    CHECK(findings.back().sequence == n);
    const auto last = store.last_sample(key);
    if (told == 0 && !last) return;
    REQUIRE(last);
    const auto sampled = last->readings.at(0).value;
    CHECK(sampled >= told);
    CHECK(sampled <= n);
    CHECK(last->raw == "{\"n\": " + std::to_string(sampled) + "}");
}

}  // namespace

TEST_CASE("killed at any moment, all that was told is there, and nothing by halves") {
    const auto seed = std::random_device{}();
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> microseconds(500, 60'000);
    const Folder folder;
    RunId run;
    {
        Store store(folder.file(), OpenMode::read_write);
        store.remember_drive(some_drive(), false);
        run = store.add_run(key, some_spec(), checkpoint(0), at(0));
    }
    std::uint32_t told = 0;
    std::uint32_t stored = 0;
    for (int round = 0; round < 30; ++round) {
        int pipe[2];
        REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) commit_for_ever(folder.file(), run, pipe[1]);
        ::close(pipe[1]);
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
        ::kill(child, SIGKILL);
        told = last_told(pipe[0], told);
        ::close(pipe[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));

        const Store store(folder.file(), OpenMode::read_only);
        check_whole(store, run, told, stored);
        stored = static_cast<std::uint32_t>(store.findings(run).size());
        Database behind(folder.file(), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
        auto row = behind.query("PRAGMA integrity_check");
        std::string answer;
        REQUIRE(row.next());
        row >> answer;
        CHECK(answer == "ok");
    }
    MESSAGE(told << " batches in 30 lives");
    CHECK(told > 0);
}

TEST_CASE("a commit costs about one sync of the disk") {
    using Clock = std::chrono::steady_clock;
    const Folder folder(std::filesystem::temp_directory_path());
    constexpr std::uint32_t rounds = 100;
    const auto median_ms = [](auto&& body) {
        std::vector<double> times;
        for (std::uint32_t n = 1; n <= rounds; ++n) {
            const auto begin = Clock::now();
            body(n);
            times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
        }
        std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
        return times[rounds / 2];
    };
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto run = store.add_run(key, some_spec(), checkpoint(0), at(0));
    const double commit = median_ms([&](std::uint32_t n) {
        store.commit(run, {checkpoint(n), {}, {}}, at(n));
    });

    const Fd plain = Fd::open(folder.file("plain"), O_RDWR | O_CREAT);
    const std::string page(4096, 'x');
    const double sync = median_ms([&](std::uint32_t) {
        CHECK(::write(plain.get(), page.data(), page.size()) == 4096);
        CHECK(::fdatasync(plain.get()) == 0);
    });
    MESSAGE("median of a commit " << commit << " ms, of appending and syncing one page " << sync << " ms");
}
