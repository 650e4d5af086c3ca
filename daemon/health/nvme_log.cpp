#include "health/nvme_log.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace wearout::health {
namespace {

constexpr std::string_view any_prefix = "nvme-";
constexpr std::string_view pci_prefix = "nvme-pci ";
constexpr std::string_view log_prefix = "nvme-log 0x";

/// Takes what comes before the next space off the front, and the space.
std::string_view next_word(std::string_view& text) {
    const auto length = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return word;
}

std::optional<NvmeLog> parse_log(std::string_view text) {
    const auto id = next_word(text);
    const auto number = parse_unsigned(id, 16, 0xff);
    const auto group = parse_unsigned(next_word(text), 10, 0xffff);
    if (id.size() != 2 || !number || !group || text.size() > 2 * longest_nvme_log) return std::nullopt;
    auto bytes = bytes_from_hex(text);
    if (!bytes || bytes->empty()) return std::nullopt;
    return NvmeLog{*number, *group, std::move(*bytes)};
}

bool read_line(std::string_view line, NvmeLogs& result) {
    if (line.starts_with(pci_prefix)) {
        const auto id = parse_pci_id(line.substr(pci_prefix.size()));
        if (!id || result.pci) return false;
        result.pci = id;
        return true;
    }
    if (!line.starts_with(log_prefix) || result.logs.size() == most_nvme_logs) return false;
    auto log = parse_log(line.substr(log_prefix.size()));
    if (!log) return false;
    result.logs.push_back(std::move(*log));
    return true;
}

/// Where the first line of ours begins.
std::size_t find_lines(std::string_view text) {
    if (text.starts_with(any_prefix)) return 0;
    const auto found = text.find("\nnvme-");
    return found == std::string_view::npos ? text.size() : found + 1;
}

}  // namespace

bool NvmeLog::is_blank() const {
    const auto all = [this](char byte) {
        return std::all_of(bytes.begin(), bytes.end(), [byte](char c) { return c == byte; });
    };
    return all('\0') || all('\xff');
}

const NvmeLog* NvmeLogs::only(int id) const {
    const auto same = [id](const NvmeLog& log) { return log.id == id; };
    const auto found = std::find_if(logs.begin(), logs.end(), same);
    if (found == logs.end() || std::any_of(found + 1, logs.end(), same)) return nullptr;
    return &*found;
}

AnswerParts split_answer(std::string_view text) {
    const auto begin = find_lines(text);
    AnswerParts parts{text.substr(0, begin), {}};
    text.remove_prefix(begin);
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size());
        if (!read_line(text.substr(0, length), parts.nvme)) ++parts.nvme.bad_lines;
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return parts;
}

std::string to_line(const PciId& id) {
    return fmt::format("{}{:04x}:{:04x}\n", pci_prefix, id.vendor, id.device);
}

std::string to_line(const NvmeLog& log) {
    return fmt::format("{}{:02x} {} {}\n", log_prefix, log.id, log.group, hex_of(log.bytes));
}

std::optional<int> parse_unsigned(std::string_view text, int base, int max) {
    unsigned value = 0;  // Of a signed one a '-' would be read as well.
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc() || stop != end || value > static_cast<unsigned>(max)) return std::nullopt;
    return static_cast<int>(value);
}

std::optional<PciId> parse_pci_id(std::string_view text) {
    if (text.size() != 9 || text[4] != ':') return std::nullopt;
    const auto vendor = parse_unsigned(text.substr(0, 4), 16, 0xffff);
    const auto device = parse_unsigned(text.substr(5), 16, 0xffff);
    if (!vendor || !device) return std::nullopt;
    return PciId{*vendor, *device};
}

std::optional<std::string> bytes_from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (; !text.empty(); text.remove_prefix(2)) {
        const auto byte = parse_unsigned(text.substr(0, 2), 16, 0xff);
        if (!byte) return std::nullopt;
        bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
}

std::string hex_of(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes)
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
    return text;
}

std::string log_name(int id) {
    return fmt::format("NVMe log {:02X}h", id);
}

}  // namespace wearout::health
