#include "health/log_field.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// Where the items of a list begin, those that the log holds in full.
std::vector<std::size_t> item_starts(const ItemList& list, const NvmeLog& log) {
    std::vector<std::size_t> starts;
    for (auto at = list.first; at + list.size <= log.bytes.size(); at += list.size)
        starts.push_back(at);
    return starts;
}

int item_id(const NvmeLog& log, std::size_t start) {
    return static_cast<unsigned char>(log.bytes[start]);
}

/// Where the only item of that id begins.
std::optional<std::size_t> find_item(const ItemList& list, const NvmeLog& log, int id) {
    auto starts = item_starts(list, log);
    std::erase_if(starts, [&](std::size_t start) { return item_id(log, start) != id; });
    return starts.size() == 1 ? std::optional(starts.front()) : std::nullopt;
}

/// The bytes of one of the field's parts; empty where there are none.
std::string_view part_bytes(const LogField& field, std::size_t offset, const NvmeLogs& logs) {
    const auto* log = logs.only(field.id);
    if (log == nullptr || log->is_blank()) return {};
    const auto start = field.item ? find_item(field.list, *log, *field.item) : std::optional<std::size_t>(0);
    if (!start || *start + offset + field.size > log->bytes.size()) return {};
    return std::string_view(log->bytes).substr(*start + offset, field.size);
}

/// A little-endian number. Nothing where it is longer than 63 bits.
std::optional<std::int64_t> little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        if (value >> 56U != 0) return std::nullopt;
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

bool is_not_reported(std::string_view bytes) {
    return bytes.size() > 1 && bytes.find_first_not_of('\xff') == std::string_view::npos;
}

bool holds(const LogCondition& condition, const NvmeLogs& logs) {
    const auto* log = logs.only(condition.id);
    if (log == nullptr || log->is_blank()) return false;
    const auto bytes = std::string_view(log->bytes);
    if (condition.offset + condition.size > bytes.size()) return false;
    const auto found = bytes.substr(condition.offset, condition.size);
    if (!condition.bytes.empty()) return found == condition.bytes;
    const auto number = little_endian(found);
    return number && *number >= condition.min && *number <= condition.max;
}

/// smartctl tells the vendor, and not the device.
PciId pci_of(const Answer& answer) {
    if (answer.nvme.pci) return *answer.nvme.pci;
    const auto vendor = answer.json.at_path("nvme_pci_vendor.id").integer().value_or(0);
    return {vendor > 0 && vendor <= 0xffff ? static_cast<int>(vendor) : 0, 0};
}

std::string shortened(std::string_view bytes) {
    constexpr std::size_t shown = 32;
    return hex_of(bytes.substr(0, shown)) + (bytes.size() > shown ? "..." : "");
}

std::string describe(const NvmeLog& log) {
    if (log.is_blank()) return fmt::format("{} bytes, all {:02x}", log.bytes.size(), item_id(log, 0));
    return fmt::format("{} bytes: {}", log.bytes.size(), shortened(log.bytes));
}

}  // namespace

std::optional<std::int64_t> log_number(const LogField& field, const NvmeLogs& logs) {
    std::int64_t sum = 0;
    for (const auto offset : field.offsets) {
        const auto bytes = part_bytes(field, offset, logs);
        if (bytes.empty() || is_not_reported(bytes)) return std::nullopt;
        const auto number = little_endian(bytes);
        if (!number || __builtin_add_overflow(sum, *number, &sum)) return std::nullopt;
    }
    return sum;
}

bool has_log_field(const LogField& field, const NvmeLogs& logs) {
    return std::none_of(field.offsets.begin(), field.offsets.end(),
                        [&](std::size_t offset) { return part_bytes(field, offset, logs).empty(); });
}

std::string log_text(const LogField& field, const NvmeLogs& logs) {
    if (const auto number = log_number(field, logs)) return std::to_string(*number);
    std::string bytes(part_bytes(field, field.offsets.front(), logs));
    std::reverse(bytes.begin(), bytes.end());
    return "0x" + hex_of(bytes);
}

bool names_drive(const Family& family, PciId pci, const std::string& model) {
    if (family.model && !family.model->matches(model)) return false;
    return family.pci.empty() || std::any_of(family.pci.begin(), family.pci.end(), [&](const PciId& wanted) {
               return wanted.vendor == pci.vendor && (wanted.device == 0 || wanted.device == pci.device);
           });
}

bool suits_logs(const Family& family, const Answer& answer) {
    const auto& logs = answer.nvme.logs;
    const auto came = [&](const LogPage& page) {
        return std::any_of(logs.begin(), logs.end(), [&](const NvmeLog& log) { return log.id == page.id; });
    };
    if (!family.logs.empty() && std::none_of(family.logs.begin(), family.logs.end(), came)) return false;
    return names_drive(family, pci_of(answer), answer.model) &&
           std::all_of(family.when.begin(), family.when.end(),
                       [&](const LogCondition& condition) { return holds(condition, answer.nvme); });
}

std::vector<UnknownField> unknown_in_logs(const NvmeLogs& logs, const std::vector<const Family*>& families,
                                          const KnownLogs& known) {
    std::vector<UnknownField> fields;
    for (const auto& log : logs.logs) {
        if (!known.contains({log.id, whole_log})) {
            const auto group = log.group == 0 ? "" : fmt::format(", endurance group {}", log.group);
            fields.push_back({log_name(log.id) + group, describe(log)});
            continue;
        }
        std::set<std::pair<std::size_t, std::size_t>> lists_seen;
        for (const auto* family : families)
            for (const auto& [id, list] : family->items) {
                if (id != log.id || !lists_seen.insert({list.first, list.size}).second) continue;
                for (const auto start : item_starts(list, log))
                    if (const int item = item_id(log, start); item != 0 && !known.contains({id, item}))
                        fields.push_back(
                            {fmt::format("{}, item {:02X}h", log_name(id), item),
                             hex_of(std::string_view(log.bytes).substr(start + 1, list.size - 1))});
            }
    }
    return fields;
}

}  // namespace wearout::health
