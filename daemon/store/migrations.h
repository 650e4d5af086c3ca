#pragma once

#include "base/embedded_file.h"
#include "store/database.h"

#include <cstdint>
#include <span>

namespace wearout::store {

/// PRAGMA application_id of our databases: "Wear" (https://www.sqlite.org/fileformat2.html, offset 68).
inline constexpr std::int64_t application_id = 0x57656172;

/// The migrations in schema/, in order; the nth makes version n.
[[nodiscard]] std::span<const EmbeddedFile> migrations();

/// PRAGMA user_version; 0: nothing in it yet.
[[nodiscard]] std::int64_t schema_version(Database& database);

/// Applies those that the database lacks, each in a transaction of its own together with its version number,
/// so that one that is interrupted is continued the next time. Throws SqlError.
void migrate(Database& database, std::span<const EmbeddedFile> files);

}  // namespace wearout::store
