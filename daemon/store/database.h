#pragma once

#include "base/clock.h"
#include "base/enum_names.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace wearout::store {

/// An SQLite call that failed, or a row that can't be what this program wrote.
class SqlError : public std::runtime_error {
  public:
    /// `code`: an extended result code of SQLite.
    SqlError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] int primary_code() const noexcept { return code_ & 0xff; }

  private:
    int code_;
};

/// Throws the SqlError for a row that can't be used.
[[noreturn]] void throw_unreadable(const std::string& what);

/// The strong types of base/types.h: one integer member `value`.
template <typename T>
concept StrongInteger = std::is_aggregate_v<T> && requires(T t) {
    requires std::integral<decltype(t.value)>;
};

/// A prepared statement in use: parameters are bound and columns read in their order, from left to right.
/// Goes back to its Database's cache at the end of its life. All members throw SqlError.
class Query {
  public:
    Query(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    /// Texts and blobs must live until the Query ends.
    template <typename... Values>
    Query& bind(const Values&... values) {
        (bind_one(values), ...);
        return *this;
    }
    /// Goes to the next row; false after the last one.
    [[nodiscard]] bool next();
    /// For a statement without rows.
    void run() { static_cast<void>(next()); }

    template <typename T>
    Query& operator>>(T& destination) {
        read_one(destination);
        return *this;
    }
    /// The row's next column, an enumeration by its name.
    template <typename Enum, std::size_t N>
    void read_name(const EnumNames<Enum, N>& names, Enum& destination) {
        const std::string_view name = text_column();
        const auto found = names.find(name);
        if (!found) throw_unreadable("'" + std::string(name) + "' is not known to this version");
        destination = *found;
    }

  private:
    void bind_one(std::nullptr_t);
    void bind_one(std::string_view text);
    void bind_one(const std::string& text) { bind_one(std::string_view(text)); }
    void bind_one(const char* text) { bind_one(std::string_view(text)); }
    void bind_one(std::span<const std::byte> bytes);
    void bind_one(const std::vector<std::byte>& bytes) { bind_one(std::span(bytes)); }
    void bind_one(double number);
    void bind_integer(std::int64_t number);
    template <std::integral T>
    void bind_one(T number) {
        bind_integer(static_cast<std::int64_t>(number));
    }
    template <StrongInteger T>
    void bind_one(const T& number) {
        bind_one(number.value);
    }
    void bind_one(WallTime time) { bind_integer(time.time_since_epoch().count()); }
    void bind_one(std::chrono::milliseconds duration) { bind_integer(duration.count()); }
    template <typename T>
    void bind_one(const std::optional<T>& value) {
        value ? bind_one(*value) : bind_one(nullptr);
    }

    [[nodiscard]] bool null_column() const;  ///< The next column, without passing it.
    [[nodiscard]] std::int64_t integer_column();
    [[nodiscard]] std::string_view text_column();
    [[nodiscard]] double real_column();
    [[nodiscard]] std::vector<std::byte> blob_column();
    void read_one(std::string& text) { text = text_column(); }
    void read_one(double& number) { number = real_column(); }
    void read_one(std::vector<std::byte>& bytes) { bytes = blob_column(); }
    template <std::integral T>
    void read_one(T& number) {
        const std::int64_t value = integer_column();
        if constexpr (sizeof(T) < sizeof value || std::same_as<T, bool>)
            if (!std::in_range<std::conditional_t<std::same_as<T, bool>, unsigned, T>>(value))
                throw_unreadable("a number is out of its range");
        number = static_cast<T>(value);
    }
    template <StrongInteger T>
    void read_one(T& number) {
        read_one(number.value);
    }
    void read_one(WallTime& time) { time = WallTime(std::chrono::milliseconds(integer_column())); }
    void read_one(std::chrono::milliseconds& duration) {
        duration = std::chrono::milliseconds(integer_column());
    }
    template <typename T>
    void read_one(std::optional<T>& value) {
        if (null_column()) {
            value.reset();
            ++column_;
        } else {
            read_one(value.emplace());
        }
    }

    sqlite3* database_;
    sqlite3_stmt* statement_;
    int parameter_ = 0;
    int column_ = 0;
};

/// One SQLite connection. Not thread-safe. All members throw SqlError.
class Database {
  public:
    /// `name`: a path, or a file: URI. `flags`: SQLITE_OPEN_…
    Database(const std::string& name, int flags);

    /// The statement is prepared once and kept. `sql` must outlive the Database (a literal), and not be in
    /// use.
    [[nodiscard]] Query query(std::string_view sql);
    /// Any number of statements, none with parameters.
    void execute(const std::string& sql);
    /// The first column of the first row.
    [[nodiscard]] std::int64_t number(std::string_view sql);
    [[nodiscard]] std::int64_t last_insert_id() const;
    /// Rows that the last statement changed.
    [[nodiscard]] bool changed() const;
    [[nodiscard]] bool in_transaction() const;
    [[nodiscard]] bool read_only() const;
    /// Whether the last connection copies the write-ahead log into the database when it closes.
    void checkpoint_on_close(bool yes);

  private:
    struct Close {
        void operator()(sqlite3* connection) const noexcept;
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    std::unique_ptr<sqlite3, Close> connection_;
    std::unordered_map<std::string_view, std::unique_ptr<sqlite3_stmt, Close>> statements_;
};

enum class TransactionKind { read, write };

/// Rolled back unless committed.
class Transaction {
  public:
    Transaction(Database& database, TransactionKind kind);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

  private:
    Database& database_;
};

}  // namespace wearout::store
