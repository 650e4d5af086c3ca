#include "store/migrations.h"

#include <embedded/migrations.h>
#include <string>

#include <fmt/format.h>

namespace wearout::store {

std::span<const EmbeddedFile> migrations() {
    return embedded::migrations;
}

std::int64_t schema_version(Database& database) {
    return database.number("PRAGMA user_version");
}

void migrate(Database& database, std::span<const EmbeddedFile> files) {
    for (auto version = static_cast<std::size_t>(schema_version(database)); version < files.size();
         ++version) {
        Transaction transaction(database, TransactionKind::write);
        database.execute(std::string(files[version].text));
        database.execute(
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, version + 1));
        transaction.commit();
    }
}

}  // namespace wearout::store
