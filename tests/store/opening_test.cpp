#include "store/opening.h"

#include "base/error.h"
#include "store/migrations.h"
#include "support.h"

#include <grp.h>
#include <random>
#include <set>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

std::optional<Failure> failure_of(const std::string& path, OpenMode mode) {
    try {
        const Store opened(path, mode);
        return std::nullopt;
    } catch (const Failure& failure) {
        return failure;
    }
}

std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

/// Both ways of opening fail with this in their one line, and leave the file as it was.
void check_refused(const Folder& folder, const std::string& path, const std::string& words) {
    const auto before = slurp(path);
    for (const auto mode : {OpenMode::read_write, OpenMode::read_only}) {
        const auto failure = failure_of(path, mode);
        REQUIRE(failure);
        const std::string line = failure->what();
        CAPTURE(line);
        CHECK(failure->code() == ExitCode::unreachable);
        CHECK(line.find(words) != std::string::npos);
        CHECK(line.find(path) != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(slurp(path) == before);
        // A reader of a database in WAL mode leaves SQLite's empty side files where it may make them.
        if (mode == OpenMode::read_write)
            CHECK(names_in(folder.path()) == std::set<std::string>{"wearout.db", "wearout.db.lock"});
    }
}

/// The rights of an ordinary user, for the rest of the process's life.
bool become_nobody() {
    constexpr unsigned nobody = 65534;
    return ::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
           ::setresuid(nobody, nobody, nobody) == 0;
}

/// A closed database with some of everything.
std::string filled_database(const Folder& folder) {
    Store store(folder.file(), OpenMode::read_write);
    store.remember_drive(some_drive(), false);
    const auto run = store.add_run(some_drive().key, some_spec(), checkpoint(0), at(0));
    RunBatch batch{checkpoint(1), {}, {}};
    for (std::uint32_t i = 1; i <= 40; ++i)
        batch.findings.push_back(finding(i));
    store.commit(run, batch, at(1));
    for (int i = 0; i < 40; ++i) {
        auto taken = sample(i, {reading(Metric::retired_blocks, i), reading(Metric::temperature_c, i % 3)});
        taken.raw = fmt::format("{{\"n\": {}, \"pad\": \"{}\"}}", i, std::string(300, 'x'));
        store.add_sample(some_drive().key, run, taken);
    }
    return folder.file();
}

void with_sqlite(const std::string& path, const std::string& sql) {
    Database database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX);
    database.execute(sql);
}

}  // namespace

TEST_CASE("a new database is made for its owner and group only, and reopened") {
    const Folder folder;
    { const Store made(folder.file(), OpenMode::read_write); }
    struct stat status {};
    REQUIRE(::stat(folder.file().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0640);
    Database database(folder.file(), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    CHECK(schema_version(database) == static_cast<std::int64_t>(migrations().size()));
    CHECK(database.number("PRAGMA application_id") == application_id);
    CHECK_FALSE(failure_of(folder.file(), OpenMode::read_write));
    CHECK_FALSE(failure_of(folder.file(), OpenMode::read_only));
}

TEST_CASE("an empty file becomes a database when it is to be written, and is none to read") {
    const Folder folder;
    spill(folder.file(), "");
    const auto failure = failure_of(folder.file(), OpenMode::read_only);
    REQUIRE(failure);
    CHECK(std::string(failure->what()).find("start wearoutd first") != std::string::npos);
    CHECK_FALSE(failure_of(folder.file(), OpenMode::read_write));
}

TEST_CASE("what is no database of ours is refused and left as it was") {
    const Folder folder;
    const std::string path = folder.file();
    SUBCASE("a newer one") {
        filled_database(folder);
        with_sqlite(path, fmt::format("PRAGMA user_version = {}", migrations().size() + 1));
        check_refused(folder, path, "newer wearoutd");
    }
    SUBCASE("text") {
        spill(path, std::string(5000, 'x'));
        check_refused(folder, path, "no Wearout database");
    }
    SUBCASE("a short text") {
        spill(path, "hello");
        check_refused(folder, path, "no Wearout database");
    }
    SUBCASE("another program's database") {
        with_sqlite(path, "CREATE TABLE bookmarks (a); PRAGMA user_version = 1");
        check_refused(folder, path, "another program");
    }
    SUBCASE("a cut-off one") {
        filled_database(folder);
        const auto whole = slurp(path);
        spill(path, whole.substr(0, whole.size() - 4096));
        check_refused(folder, path, "damaged");
    }
    SUBCASE("one whose pages are overwritten") {
        filled_database(folder);
        auto bytes = slurp(path);
        std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
        spill(path, bytes);
        check_refused(folder, path, "damaged");
    }
}

TEST_CASE("an older database is refused to a reader, who is told what to do") {
    const Folder folder;
    filled_database(folder);
    Database database(folder.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    const auto files = std::vector<EmbeddedFile>(migrations().size() + 1);
    CHECK_THROWS_AS((void)open_to_read(folder.file(), files), Failure);
}

TEST_CASE("a folder, a device, a missing file and a missing folder are refused") {
    const Folder folder;
    for (const auto mode : {OpenMode::read_write, OpenMode::read_only}) {
        CHECK(failure_of(folder.path(), mode)->code() == ExitCode::unreachable);
        CHECK(failure_of("/dev/null", mode)->code() == ExitCode::unreachable);
        CHECK(failure_of(folder.path() + "/missing/wearout.db", mode)->code() == ExitCode::unreachable);
    }
    CHECK(std::string(failure_of(folder.path(), OpenMode::read_only)->what()).find("directory") !=
          std::string::npos);
    CHECK(std::string(failure_of(folder.file(), OpenMode::read_only)->what()).find("start wearoutd") !=
          std::string::npos);
    CHECK(names_in(folder.path()).empty());
}

TEST_CASE("only one process writes, the other is told which") {
    const Folder folder;
    const Store first(folder.file(), OpenMode::read_write);
    const auto second = failure_of(folder.file(), OpenMode::read_write);
    REQUIRE(second);
    CHECK(second->code() == ExitCode::refused);
    CHECK(std::string(second->what()).find(fmt::format("process {}", ::getpid())) != std::string::npos);

    std::filesystem::create_symlink(folder.file(), folder.file("other.db"));
    CHECK(failure_of(folder.file("other.db"), OpenMode::read_write)->code() == ExitCode::refused);
}

TEST_CASE("the lock ends with the process that held it") {
    const Folder folder;
    CHECK(in_child([&] {
              const Store store(folder.file(), OpenMode::read_write);
              ::_exit(7);
              return 0;
          }) == 7);
    CHECK_FALSE(failure_of(folder.file(), OpenMode::read_write));
}

TEST_CASE("a reader sees what a writer has committed, while it writes") {
    const Folder folder;
    Store writer(folder.file(), OpenMode::read_write);
    const Store reader(folder.file(), OpenMode::read_only);
    writer.remember_drive(some_drive(), true);
    const auto run = writer.add_run(some_drive().key, some_spec(), checkpoint(0), at(0));
    for (std::uint64_t n = 1; n < 50; ++n) {
        writer.commit(run, {checkpoint(n), {}, {}}, at(1));
        CHECK(reader.run(run)->checkpoint == checkpoint(n));
    }
}

TEST_CASE("a reader cannot write") {
    const Folder folder;
    filled_database(folder);
    Store reader(folder.file(), OpenMode::read_only);
    CHECK_THROWS_AS(reader.remember_drive(some_drive("file:other"), true), StorageUnavailable);
    CHECK(reader.drives().size() == 1);
}

TEST_CASE("an ordinary user reads where nothing may be made") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: needs root, to become an ordinary user");
        return;
    }
    const Folder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    const auto reads = [&] {
        if (!become_nobody()) return 97;
        const Store reader(folder.file(), OpenMode::read_only);
        return reader.runs().empty() ? 1 : 0;
    };
    const auto make_readable = [&] {
        for (const auto& name : names_in(folder.path()))
            std::filesystem::permissions(folder.file(name), std::filesystem::perms(0644));
    };
    SUBCASE("with no writer and no log") {
        filled_database(folder);
        make_readable();
        CHECK(names_in(folder.path()).count("wearout.db-wal") == 0);
        CHECK(in_child(reads) == 0);
    }
    SUBCASE("beside a writer") {
        filled_database(folder);
        Store writer(folder.file(), OpenMode::read_write);
        writer.remember_drive(some_drive("file:other"), true);
        make_readable();
        CHECK(in_child(reads) == 0);
    }
    SUBCASE("after a writer was killed") {
        CHECK(in_child([&] {
                  Store writer(folder.file(), OpenMode::read_write);
                  writer.remember_drive(some_drive(), true);
                  (void)writer.add_run(some_drive().key, some_spec(), checkpoint(0), at(0));
                  ::_exit(0);
                  return 0;
              }) == 0);
        REQUIRE(names_in(folder.path()).count("wearout.db-wal") == 1);
        make_readable();
        CHECK(in_child(reads) == 0);
    }
    SUBCASE("and is told when the file is not for him") {
        filled_database(folder);
        CHECK(in_child([&] {
                  if (!become_nobody()) return 97;
                  const auto failure = failure_of(folder.file(), OpenMode::read_only);
                  const auto writing = failure_of(folder.file(), OpenMode::read_write);
                  if (!failure || !writing) return 1;
                  const bool told = std::string(failure->what()).find("ermission") != std::string::npos;
                  return told && failure->code() == ExitCode::unreachable ? 0 : 2;
              }) == 0);
    }
}

TEST_CASE("no damage to the file ends the program") {
    const Folder folder;
    filled_database(folder);
    const auto whole = slurp(folder.file());
    const auto seed = std::random_device{}();
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    const auto up_to = [&](std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
    };
    int refused = 0;
    constexpr int rounds = 300;
    for (int round = 0; round < rounds; ++round) {
        auto bytes = whole;
        if (round % 3 == 0) bytes.resize(up_to(whole.size()));
        for (std::size_t flips = round % 3 == 0 ? 0 : 1U << up_to(9); flips > 0; --flips) {
            // Half of them where the header, the schema and the roots of the tables are.
            const std::size_t byte = up_to(flips % 2 == 0 ? bytes.size() : 2 * 4096);
            bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << up_to(8)));
        }
        for (const auto mode : {OpenMode::read_only, OpenMode::read_write}) {
            spill(folder.file(), bytes);
            try {
                Store store(folder.file(), mode);
                for (const auto& run : store.runs())
                    (void)store.findings(run.id);
                (void)store.last_sample(some_drive().key);
                (void)store.series(some_drive().key);
                store.raw_answers(some_drive().key, [](WallTime, const std::string&) {});
                if (mode == OpenMode::read_write)
                    store.add_sample(some_drive().key, std::nullopt, sample(99));
            } catch (const Failure& failure) {
                ++refused;
                CHECK(std::string(failure.what()).find('\n') == std::string::npos);
            } catch (const StorageUnavailable&) {
                ++refused;
            }
            for (const char* side : {"wearout.db-wal", "wearout.db-shm", "wearout.db-journal"})
                std::filesystem::remove(folder.file(side));
        }
    }
    MESSAGE(refused << " of " << 2 * rounds << " damaged databases noticed");
    CHECK(refused > rounds);
}
