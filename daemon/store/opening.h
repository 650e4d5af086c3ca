#pragma once

#include "base/embedded_file.h"
#include "base/fd.h"
#include "store/database.h"

#include <span>
#include <string>

namespace wearout::store {

/// A database that is ours, whole as far as a glance can tell, and of this program's version.
struct Opened {
    Fd lock;  ///< Held while the database is written to; none when it is only read.
    Database database;
};

/// Opens for writing: makes the file (0640) where there is none, takes "PATH.lock", and brings the schema up
/// to `files`. Throws a Failure: refused when another process writes to it, else unreachable; an existing
/// file is then left as it was.
[[nodiscard]] Opened open_to_write(const std::string& path, std::span<const EmbeddedFile> files);

/// Opens for reading, beside a process that writes or without one. Throws a Failure (unreachable).
[[nodiscard]] Opened open_to_read(const std::string& path, std::span<const EmbeddedFile> files);

/// One line for the user about a failed call on this database: what is wrong and what to do.
[[nodiscard]] std::string explain(const std::string& path, const SqlError& error);

}  // namespace wearout::store
