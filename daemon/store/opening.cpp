#include "store/opening.h"

#include "base/error.h"
#include "store/migrations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sqlite3.h>

namespace wearout::store {

namespace fs = std::filesystem;

namespace {

constexpr int busy_ms = 5000;
constexpr unsigned file_mode = 0640;

[[noreturn]] void fail(const std::string& message) {
    throw Failure(ExitCode::unreachable, message);
}

/// Whether there is a file; what can't be a database fails.
bool exists_as_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) return false;
        throw_errno("database " + path);
    }
    if (S_ISDIR(status.st_mode)) fail(path + " is a directory: name a database file in it");
    if (!S_ISREG(status.st_mode)) fail(path + " is no regular file: name another database file");
    return true;
}

void make_durable(const fs::path& folder) {
    const Fd fd = Fd::open(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
    if (::fsync(fd.get()) != 0) throw_errno("cannot sync the folder " + folder.string());
}

void make_file(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, file_mode));
    if (!fd) throw_errno("cannot make the database " + path);
    if (::fchmod(fd.get(), file_mode) != 0) throw_errno("cannot set the mode of " + path);
    make_durable(fs::path(path).parent_path());
}

/// A file of its own, since closing any descriptor of the database itself would drop SQLite's POSIX locks on
/// it (https://www.sqlite.org/howtocorrupt.html, 2.2).
Fd take_lock(const std::string& path) {
    const std::string name = path + ".lock";
    Fd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, file_mode));
    if (!fd) throw_errno("cannot write beside the database: " + name);
    std::array<char, 24> text{};
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) throw_errno("cannot lock " + name);
        const auto size = ::pread(fd.get(), text.data(), text.size(), 0);
        int pid = 0;
        if (size > 0) std::from_chars(text.data(), text.data() + size, pid);
        throw Failure(ExitCode::refused,
                      fmt::format("another wearoutd (process {}) uses {}: stop it, or use another database",
                                  pid, path));
    }
    const auto end = fmt::format_to_n(text.data(), text.size(), "{}\n", ::getpid());
    // Only tells users who holds it: the lock holds without.
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), text.data(), end.size, 0) < 0) return fd;
    return fd;
}

/// The file is as long as its header says. A database in the write-ahead log only grows when that is copied.
void check_length(Database& database, const std::string& path) {
    if (fs::exists(path + "-wal")) return;
    const std::int64_t length = database.number("PRAGMA page_count") * database.number("PRAGMA page_size");
    const auto real = static_cast<std::int64_t>(fs::file_size(path));
    if (real < length) throw_unreadable(fmt::format("it is cut off: {} bytes of {}", real, length));
}

/// Looks whether this is ours and not newer; gives the version. Changes nothing in the file.
std::int64_t inspect(Database& database, const std::string& path, std::size_t known) {
    const std::int64_t version = schema_version(database);
    const std::int64_t application = database.number("PRAGMA application_id");
    const std::int64_t tables = database.number("SELECT count(*) FROM sqlite_schema");
    if (version == 0 && application == 0 && tables == 0) return 0;
    if (application != application_id) fail(path + " is the database of another program: name another file");
    if (version < 1) throw_unreadable("it has no version");
    if (static_cast<std::size_t>(version) > known)
        fail(fmt::format(
            "{} was written by a newer wearoutd (version {} of its tables, this program knows {}): "
            "install the newer program, or name another file",
            path, version, known));
    check_length(database, path);
    return version;
}

/// What every start reads anyway: damage there is told before anything is written.
void glance(Database& database) {
    for (const char* sql :
         {"SELECT count(*), sum(length(key)) FROM drive", "SELECT count(*), sum(length(target)) FROM run",
          "SELECT count(*), sum(length(reason)) FROM checkpoint"})
        static_cast<void>(database.query(sql).next());
}

/// Percent-encodes what has a meaning in a file: URI (https://www.sqlite.org/uri.html).
std::string uri_of(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            uri += c;
    }
    return uri;
}

Database connect_to_read(const std::string& path) {
    constexpr int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    try {
        Database database(uri_of(path), flags);
        database.execute(fmt::format("PRAGMA busy_timeout = {}", busy_ms));
        static_cast<void>(schema_version(database));
        return database;
    } catch (const SqlError& error) {
        // Without a writer SQLite wants to make its -shm file, which an ordinary user may not. With no log
        // there is nothing that the file itself does not hold.
        const bool no_side_files =
            error.primary_code() == SQLITE_CANTOPEN || error.primary_code() == SQLITE_READONLY;
        if (!no_side_files || fs::exists(path + "-wal")) throw;
    }
    Database database(uri_of(path) + "?immutable=1", flags);
    static_cast<void>(schema_version(database));
    return database;
}

void configure_writer(Database& database, const std::string& path) {
    std::string name;
    {
        auto mode = database.query("PRAGMA journal_mode = WAL");
        if (!mode.next()) throw_unreadable("no answer");
        mode >> name;
    }
    if (name != "wal") fail(path + " lies on a file system without write-ahead logging: name another file");
    // FULL: a commit is on the media when it returns, also after a power cut.
    database.execute("PRAGMA synchronous = FULL");
    // After a burst the log is cut back to this many bytes.
    database.execute("PRAGMA journal_size_limit = 16777216");
}

/// SQLite quotes what it reads, which in a damaged file may be anything.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return text;
}

}  // namespace

std::string explain(const std::string& path, const SqlError& error) {
    const std::string why = one_line(error.what());
    switch (error.primary_code()) {
        case SQLITE_NOTADB:
            return path + " is no Wearout database: name another file";
        case SQLITE_CORRUPT:
            return fmt::format(
                "the database {} is damaged ({}): put a copy of it back, or move it away to begin anew", path,
                why);
        case SQLITE_FULL:
            return fmt::format("no space left for the database {}: make room on its file system", path);
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_READONLY:
        case SQLITE_AUTH:
            return fmt::format("no permission to use the database {} or its folder ({})", path, why);
        case SQLITE_BUSY:
            return fmt::format("the database {} is locked by another program: end that program", path);
        default:
            return fmt::format("the database {} cannot be used: {}", path, why);
    }
}

Opened open_to_write(const std::string& path, std::span<const EmbeddedFile> files) {
    const bool existed = exists_as_file(path);
    Fd lock = take_lock(path);
    if (!existed) make_file(path);
    try {
        Database database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
        if (database.read_only()) fail("no permission to write to the database " + path);
        // What a killed writer has left in its log is copied into the file only once we know that it is ours.
        database.checkpoint_on_close(!fs::exists(path + "-wal"));
        database.execute(fmt::format("PRAGMA busy_timeout = {}", busy_ms));
        if (inspect(database, path, files.size()) > 0) glance(database);
        database.checkpoint_on_close(true);
        configure_writer(database, path);
        migrate(database, files);
        return {std::move(lock), std::move(database)};
    } catch (const SqlError& error) {
        fail(explain(path, error));
    }
}

Opened open_to_read(const std::string& path, std::span<const EmbeddedFile> files) {
    if (!exists_as_file(path))
        fail("there is no database " + path + ": start wearoutd, or name another file with --db");
    try {
        Database database = connect_to_read(path);
        const std::int64_t version = inspect(database, path, files.size());
        if (version == 0) fail(path + " is empty: start wearoutd first");
        if (static_cast<std::size_t>(version) < files.size())
            fail(path + " was written by an older wearoutd: start the new one, which brings it up to date");
        glance(database);
        return {Fd(), std::move(database)};
    } catch (const SqlError& error) {
        fail(explain(path, error));
    }
}

}  // namespace wearout::store
