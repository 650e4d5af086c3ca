#include "base/error.h"
#include "failing_vfs.h"
#include "store/database.h"
#include "support.h"

#include <cstdio>
#include <sched.h>
#include <sys/mount.h>

#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

const std::string key = some_drive().key;

RunBatch batch(std::uint32_t n) {
    return {checkpoint(n), {finding(n)}, {}};
}

Sample numbered_sample(std::uint32_t n) {
    auto taken = sample(n, {reading(Metric::power_on_hours, n)});
    taken.raw = "{\"answer\": " + std::to_string(n) + "}";
    return taken;
}

/// Tries until it is stored; how often the storage was not available.
template <typename Body>
int until_stored(FailingVfs& vfs, const Body& store_it) {
    for (int failures = 0;; ++failures) {
        try {
            store_it();
            return failures;
        } catch (const StorageUnavailable& error) {
            CHECK(std::string(error.what()).find("wearout.db") != std::string::npos);
            REQUIRE(vfs.mend());
        }
    }
}

std::string integrity(const std::string& path) {
    Database database(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    auto row = database.query("PRAGMA integrity_check");
    std::string answer;
    if (row.next()) row >> answer;
    return answer;
}

}  // namespace

TEST_CASE("wherever the disk fails, nothing is half stored, and all goes on when it is mended") {
    FailingVfs vfs;
    for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC}) {
        constexpr std::uint32_t batches = 4;
        bool failed = true;
        int tries = 0;
        for (; failed; ++tries) {
            CAPTURE(code);
            CAPTURE(tries);
            const Folder folder;
            RunId run;
            {
                Store store(folder.file(), OpenMode::read_write);
                store.remember_drive(some_drive(), false);
                run = store.add_run(key, some_spec(), checkpoint(0), at(0));
                vfs.fail_after(tries, code);
                int failures = 0;
                for (std::uint32_t n = 1; n <= batches; ++n) {
                    failures += until_stored(vfs, [&] { store.commit(run, batch(n), at(n)); });
                    failures += until_stored(vfs, [&] { store.add_sample(key, run, numbered_sample(n)); });
                    CHECK(store.run(run)->checkpoint == checkpoint(n));
                    CHECK(store.findings(run).size() == n);
                    CHECK(store.last_sample(key)->raw == numbered_sample(n).raw);
                }
                vfs.mend();
                failed = failures > 0;
                CHECK(failures <= 1);
            }
            const Store store(folder.file(), OpenMode::read_only);
            CHECK(store.run(run)->checkpoint == checkpoint(batches));
            CHECK(store.series(key).at(0).points.size() == batches);
            CHECK(integrity(folder.file()) == "ok");
        }
        MESSAGE("code " << code << ": failed at each of " << tries - 1 << " places");
        CHECK(tries > 10);
    }
}

TEST_CASE("after a failed write what was there is still read") {
    FailingVfs vfs;
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto run = store.add_run(key, some_spec(), checkpoint(0), at(0));
    store.commit(run, batch(1), at(1));
    for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC}) {
        vfs.fail_after(0, code);
        for (int again = 0; again < 3; ++again)
            CHECK_THROWS_AS(store.commit(run, batch(2), at(2)), StorageUnavailable);
        CHECK_THROWS_AS(store.add_sample(key, run, numbered_sample(1)), StorageUnavailable);
        CHECK(store.run(run)->checkpoint == checkpoint(1));
        CHECK(store.findings(run).size() == 1);
        CHECK(vfs.mend());
    }
    store.commit(run, batch(2), at(2));
    CHECK(store.run(run)->checkpoint == checkpoint(2));
}

TEST_CASE("a disk that is full when the database is made is told, and one that is mended serves") {
    FailingVfs vfs;
    const Folder folder;
    for (int operations = 0; operations < 5; ++operations) {
        vfs.fail_after(operations, SQLITE_FULL);
        CHECK_THROWS_AS(Store(folder.file(), OpenMode::read_write), Failure);
        CHECK(vfs.mend());
    }
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    CHECK(store.drives().size() == 1);
}

TEST_CASE("a database that another program holds is unavailable until it lets go") {
    const Folder folder;
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    {
        Database other(folder.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
        other.execute("BEGIN IMMEDIATE");
        CHECK_THROWS_AS(store.remember_drive(some_drive("file:b"), false), StorageUnavailable);
        CHECK(store.drives().size() == 1);
    }
    store.remember_drive(some_drive("file:b"), false);
    CHECK(store.drives().size() == 2);
}

TEST_CASE("a file system that really is full, and then has room again") {
    constexpr int no_mount = 77;
    const Folder folder;
    const int result = in_child([&] {
        // A mount of its own, which nobody else sees and which ends with this process.
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0)
            return no_mount;
        Store store(folder.file(), OpenMode::read_write);
        store.remember_drive(some_drive(), false);
        const auto run = store.add_run(key, some_spec(), checkpoint(0), at(0));
        spill(folder.file("filler"), std::string(1U << 20U, 'x'));
        std::uint32_t n = 1;
        try {
            for (;; ++n) {
                RunBatch large = batch(n);
                large.findings[0].actual_bytes.resize(16'384, std::byte{3});
                store.commit(run, large, at(n));
            }
        } catch (const StorageUnavailable& error) {
            if (std::string(error.what()).find("no space left") == std::string::npos) return 1;
        }
        if (n < 3 || store.run(run)->checkpoint != checkpoint(n - 1)) return 2;
        std::remove(folder.file("filler").c_str());
        for (const auto end = n + 5; n < end; ++n)
            store.commit(run, batch(n), at(n));
        return store.run(run)->checkpoint == checkpoint(n - 1) && store.findings(run).size() == n - 1 ? 0 : 3;
    });
    if (result == no_mount)
        MESSAGE("skipped: needs the right to mount a file system");
    else
        CHECK(result == 0);
}
