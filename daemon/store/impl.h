#pragma once

#include "base/error.h"
#include "store/opening.h"
#include "store/samples.h"
#include "store/store.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace wearout::store {

class Store::Impl {
  public:
    Impl(const std::string& path, OpenMode mode);

    /// Runs `body(database)` in one transaction on which all of its reads see the same state.
    template <typename Body>
    auto read(Body body) {
        const std::lock_guard guard(mutex_);
        try {
            Transaction transaction(opened_.database, TransactionKind::read);
            return body(opened_.database);
        } catch (const SqlError& error) {
            throw Failure(ExitCode::unreachable, explain(path_, error));
        }
    }

    /// Runs `body(database)` and makes what it did durable, or nothing of it and throws StorageUnavailable.
    template <typename Body>
    auto write(Body body) {
        const std::lock_guard guard(mutex_);
        try {
            Transaction transaction(opened_.database, TransactionKind::write);
            if constexpr (std::is_void_v<decltype(body(opened_.database))>) {
                body(opened_.database);
                transaction.commit();
            } else {
                auto result = body(opened_.database);
                transaction.commit();
                return result;
            }
        } catch (const SqlError& error) {
            memories_.clear();
            throw StorageUnavailable(explain(path_, error));
        } catch (...) {
            memories_.clear();
            throw;
        }
    }

    /// Inside write().
    [[nodiscard]] SampleMemory& memory_of(Database& database, std::int64_t drive) {
        const auto known = memories_.find(drive);
        if (known != memories_.end()) return known->second;
        return memories_.emplace(drive, load_sample_memory(database, drive)).first->second;
    }

  private:
    std::string path_;
    Opened opened_;
    std::mutex mutex_;
    std::map<std::int64_t, SampleMemory> memories_;  ///< By the drive's row.
};

/// The row of a drive or none.
[[nodiscard]] std::optional<std::int64_t> find_drive(Database& database, std::string_view key);
/// The same; a Failure (usage) when there is none.
[[nodiscard]] std::int64_t drive_row(Database& database, std::string_view key);

void save_findings(Database& database, RunId run, const std::vector<Finding>& findings);
void save_finding_counts(Database& database, RunId run, const FindingCounts& counts);
[[nodiscard]] FindingCounts load_finding_counts(Database& database, RunId run);

}  // namespace wearout::store
