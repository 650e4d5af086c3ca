#pragma once

#include "health/answer.h"
#include "health/catalogue.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace wearout::health {

/// What a row finds in the drive's log pages. Nothing where the log is missing, blank, given twice or too
/// short, where an item is missing or there are several of its id, where a field of several bytes is all FFh
/// ("not reported"), and where the number does not fit 63 bits.
[[nodiscard]] std::optional<std::int64_t> log_number(const LogField& field, const NvmeLogs& logs);
/// Whether it has those bytes at all.
[[nodiscard]] bool has_log_field(const LogField& field, const NvmeLogs& logs);
/// The number in full: decimal, or hexadecimal where it is longer than 63 bits.
[[nodiscard]] std::string log_text(const LogField& field, const NvmeLogs& logs);

/// Whether a drive of that number and model is one of those that the family names.
[[nodiscard]] bool names_drive(const Family& family, PciId pci, const std::string& model);
/// The same for the drive that answered. Where the family asks for logs one of these must have come, and they
/// must hold what its `when` asks for.
[[nodiscard]] bool suits_logs(const Family& family, const Answer& answer);

/// A log page that is understood (its item is `whole_log`), or one item of it.
using KnownLogs = std::set<std::pair<int, int>>;
inline constexpr int whole_log = -1;
/// What is in the logs that nothing decodes: whole logs, and items of the lists.
[[nodiscard]] std::vector<UnknownField> unknown_in_logs(const NvmeLogs& logs,
                                                        const std::vector<const Family*>& families,
                                                        const KnownLogs& known);

}  // namespace wearout::health
