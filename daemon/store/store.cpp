#include "store/store.h"

#include "store/impl.h"
#include "store/migrations.h"

#include <filesystem>

namespace wearout::store {

namespace {

/// The same file has one lock, whatever path leads to it.
std::string real_path(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(path, error);
    return error ? path : real.string();
}

StoredDrive read_drive(Query& row) {
    StoredDrive stored;
    Drive& drive = stored.drive;
    row >> drive.key >> drive.model >> drive.serial >> drive.wwn >> drive.firmware >> drive.transport >>
        drive.by_id >> drive.capacity >> drive.logical_block_bytes >> drive.simulated >> stored.ours >>
        stored.written;
    return stored;
}

constexpr std::string_view every_drive =
    "SELECT key, model, serial, wwn, firmware, transport, by_id, capacity, logical_block_bytes, simulated, "
    "ours,"
    " (SELECT coalesce(sum(written), 0) FROM run JOIN checkpoint ON run = run.id WHERE drive = drive.id)"
    " FROM drive WHERE key = coalesce(?, key) ORDER BY id";

}  // namespace

std::optional<std::int64_t> find_drive(Database& database, std::string_view key) {
    auto query = database.query("SELECT id FROM drive WHERE key = ?");
    if (!query.bind(key).next()) return std::nullopt;
    std::int64_t id = 0;
    query >> id;
    return id;
}

std::int64_t drive_row(Database& database, std::string_view key) {
    const auto id = find_drive(database, key);
    if (!id) throw usage_error("the database knows no drive '" + std::string(key) + "'");
    return *id;
}

Store::Impl::Impl(const std::string& path, OpenMode mode)
    : path_(real_path(path)),
      opened_(mode == OpenMode::read_write ? open_to_write(path_, migrations())
                                           : open_to_read(path_, migrations())) {}

Store::Store(const std::string& path, OpenMode mode) : impl_(std::make_unique<Impl>(path, mode)) {}

Store::~Store() = default;

void Store::remember_drive(const Drive& drive, bool ours) {
    impl_->write([&](Database& database) {
        database
            .query(
                "INSERT INTO drive (key, model, serial, wwn, firmware, transport, by_id, capacity,"
                " logical_block_bytes, simulated, ours) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET model = excluded.model, serial = excluded.serial,"
                " wwn = excluded.wwn, firmware = excluded.firmware, transport = excluded.transport,"
                " by_id = excluded.by_id, capacity = excluded.capacity,"
                " logical_block_bytes = excluded.logical_block_bytes, simulated = excluded.simulated,"
                " ours = excluded.ours")
            .bind(drive.key, drive.model, drive.serial, drive.wwn, drive.firmware, drive.transport,
                  drive.by_id, drive.capacity, drive.logical_block_bytes, drive.simulated, ours)
            .run();
    });
}

std::optional<StoredDrive> Store::drive(std::string_view key) const {
    return impl_->read([&](Database& database) -> std::optional<StoredDrive> {
        auto row = database.query(every_drive);
        if (!row.bind(key).next()) return std::nullopt;
        return read_drive(row);
    });
}

std::vector<StoredDrive> Store::drives() const {
    return impl_->read([&](Database& database) {
        std::vector<StoredDrive> all;
        auto row = database.query(every_drive);
        row.bind(nullptr);
        while (row.next())
            all.push_back(read_drive(row));
        return all;
    });
}

}  // namespace wearout::store
