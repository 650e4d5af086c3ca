#include "store/database.h"

#include <sqlite3.h>

namespace wearout::store {

namespace {

void check(sqlite3* connection, int code) {
    if (code == SQLITE_OK) return;
    throw SqlError(sqlite3_extended_errcode(connection), sqlite3_errmsg(connection));
}

}  // namespace

void throw_unreadable(const std::string& what) {
    throw SqlError(SQLITE_CORRUPT, what);
}

Query::~Query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

bool Query::next() {
    column_ = 0;
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    throw SqlError(sqlite3_extended_errcode(database_), sqlite3_errmsg(database_));
}

void Query::bind_one(std::nullptr_t) {
    check(database_, sqlite3_bind_null(statement_, ++parameter_));
}

void Query::bind_one(std::string_view text) {
    // A null pointer would bind NULL instead of an empty text.
    const char* data = text.empty() ? "" : text.data();
    check(database_,
          sqlite3_bind_text64(statement_, ++parameter_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Query::bind_one(std::span<const std::byte> bytes) {
    const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
    check(database_, sqlite3_bind_blob64(statement_, ++parameter_, data, bytes.size(), SQLITE_STATIC));
}

void Query::bind_one(double number) {
    check(database_, sqlite3_bind_double(statement_, ++parameter_, number));
}

void Query::bind_integer(std::int64_t number) {
    check(database_, sqlite3_bind_int64(statement_, ++parameter_, number));
}

bool Query::null_column() const {
    return sqlite3_column_type(statement_, column_) == SQLITE_NULL;
}

std::int64_t Query::integer_column() {
    if (sqlite3_column_type(statement_, column_) != SQLITE_INTEGER) throw_unreadable("a number is missing");
    return sqlite3_column_int64(statement_, column_++);
}

std::string_view Query::text_column() {
    if (sqlite3_column_type(statement_, column_) != SQLITE_TEXT) throw_unreadable("a text is missing");
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column_));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_++));
    if (text == nullptr) throw SqlError(SQLITE_NOMEM, "out of memory");
    return {text, size};
}

double Query::real_column() {
    if (sqlite3_column_type(statement_, column_) != SQLITE_FLOAT) throw_unreadable("a number is missing");
    return sqlite3_column_double(statement_, column_++);
}

std::vector<std::byte> Query::blob_column() {
    if (sqlite3_column_type(statement_, column_) != SQLITE_BLOB) throw_unreadable("a blob is missing");
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column_));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_++));
    if (data == nullptr) return {};
    return {data, data + size};
}

void Database::Close::operator()(sqlite3* connection) const noexcept {
    sqlite3_close_v2(connection);
}

void Database::Close::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

Database::Database(const std::string& name, int flags) {
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &connection, flags | SQLITE_OPEN_EXRESCODE, nullptr);
    connection_.reset(connection);
    if (connection == nullptr) throw SqlError(SQLITE_NOMEM, "out of memory");
    check(connection, code);
    // The file may be anybody's: no code in its schema is run, and damaged pages are noticed early.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    execute("PRAGMA cell_size_check = ON");
}

Query Database::query(std::string_view sql) {
    auto& statement = statements_[sql];
    if (!statement) {
        sqlite3_stmt* made = nullptr;
        check(connection_.get(),
              sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                 SQLITE_PREPARE_PERSISTENT, &made, nullptr));
        statement.reset(made);
    }
    return {connection_.get(), statement.get()};
}

void Database::execute(const std::string& sql) {
    check(connection_.get(), sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::number(std::string_view sql) {
    auto one = query(sql);
    std::int64_t result = 0;
    if (!one.next()) throw_unreadable("no answer");
    one >> result;
    return result;
}

std::int64_t Database::last_insert_id() const {
    return sqlite3_last_insert_rowid(connection_.get());
}

bool Database::changed() const {
    return sqlite3_changes64(connection_.get()) > 0;
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(connection_.get()) == 0;
}

bool Database::read_only() const {
    return sqlite3_db_readonly(connection_.get(), "main") == 1;
}

void Database::checkpoint_on_close(bool yes) {
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, yes ? 0 : 1, nullptr);
}

Transaction::Transaction(Database& database, TransactionKind kind) : database_(database) {
    database.query(kind == TransactionKind::write ? "BEGIN IMMEDIATE" : "BEGIN").run();
}

Transaction::~Transaction() {
    // A failed statement may have ended it already; a failed ROLLBACK has left nothing to undo.
    if (!database_.in_transaction()) return;
    try {
        database_.query("ROLLBACK").run();
    } catch (const SqlError&) {
        return;
    }
}

void Transaction::commit() {
    database_.query("COMMIT").run();
}

}  // namespace wearout::store
