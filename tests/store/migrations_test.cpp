#include "store/migrations.h"

#include "store/opening.h"
#include "support.h"

#include <charconv>
#include <csignal>

#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

Database open_plain(const std::string& path) {
    return {path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX};
}

constexpr std::array three = {
    EmbeddedFile{"001_a.sql", "CREATE TABLE a (x); INSERT INTO a VALUES (1);"},
    EmbeddedFile{"002_b.sql", "CREATE TABLE b (x); UPDATE a SET x = x + 1;"},
    EmbeddedFile{"003_c.sql", "CREATE TABLE c (x); UPDATE a SET x = x * 10;"},
};
constexpr std::array broken_second = {
    three[0],
    EmbeddedFile{"002_b.sql", "CREATE TABLE b (x); UPDATE a SET x = x + 1; INSERT INTO nowhere VALUES (1);"},
    three[2],
};

}  // namespace

TEST_CASE("migrations are numbered without a gap, in order") {
    REQUIRE_FALSE(migrations().empty());
    for (std::size_t i = 0; i < migrations().size(); ++i) {
        const auto name = migrations()[i].name;
        CAPTURE(name);
        std::size_t number = 0;
        const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
        CHECK(number == i + 1);
        CHECK(end.ptr - name.data() == 3);
        CHECK(*end.ptr == '_');
        CHECK(name.ends_with(".sql"));
    }
}

TEST_CASE("each migration is done once, and those that lack are caught up") {
    const Folder folder;
    auto database = open_plain(folder.file());
    migrate(database, std::span(three).first(1));
    CHECK(schema_version(database) == 1);
    CHECK(database.number("PRAGMA application_id") == application_id);
    migrate(database, three);
    migrate(database, three);
    CHECK(schema_version(database) == 3);
    CHECK(database.number("SELECT x FROM a") == 20);
}

TEST_CASE("one that fails leaves the database at the version before it, and is done later") {
    const Folder folder;
    auto database = open_plain(folder.file());
    CHECK_THROWS_AS(migrate(database, broken_second), SqlError);
    CHECK_FALSE(database.in_transaction());
    CHECK(schema_version(database) == 1);
    CHECK(database.number("SELECT x FROM a") == 1);
    CHECK(database.number("SELECT count(*) FROM sqlite_schema") == 1);
    migrate(database, three);
    CHECK(database.number("SELECT x FROM a") == 20);
}

TEST_CASE("killed inside a migration, it goes on with that one") {
    const Folder folder;
    const auto before = static_cast<std::int64_t>(migrations().size());
    std::vector<EmbeddedFile> longer(migrations().begin(), migrations().end());
    longer.insert(longer.end(), three.begin(), three.end());
    const int ended = in_child([&] {
        auto opened = open_to_write(folder.file(), std::span(longer).first(longer.size() - 2));
        Transaction transaction(opened.database, TransactionKind::write);
        opened.database.execute(std::string(three[1].text));
        ::kill(::getpid(), SIGKILL);
        return 0;
    });
    CHECK(ended == 128 + SIGKILL);
    auto opened = open_to_write(folder.file(), longer);
    CHECK(schema_version(opened.database) == before + 3);
    CHECK(opened.database.number("SELECT x FROM a") == 20);
}
