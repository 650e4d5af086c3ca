#include "block/identity_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wearout::block {
namespace {

bool is_hex(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_one_character(std::string_view text) {
    return text.find_first_not_of(text.substr(0, 1)) == std::string_view::npos;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// NAA names (SPC-5, 7.7.6.6): 64 or 128 bits, told apart by their first digit, of which 2, 3, 5 and 6 are
/// in use; the rest says who made it and which it is.
std::string normal_naa(const std::string& digits) {
    const bool right_length = digits.size() == 16 || digits.size() == 32;
    if (!right_length || !is_hex(digits)) return {};
    const bool known_kind = std::string_view("2356").find(digits.front()) != std::string_view::npos;
    return known_kind && !is_one_character(std::string_view(digits).substr(1)) ? digits : std::string();
}

std::string normal_eui(const std::string& digits) {
    const bool right_length = digits.size() == 16 || digits.size() == 24 || digits.size() == 32;
    return right_length && is_hex(digits) && !is_one_character(digits) ? "eui." + digits : std::string();
}

std::string normal_uuid(const std::string& text) {
    std::string digits = text;
    std::erase(digits, '-');
    const bool whole = text.size() == 36 && digits.size() == 32;
    return whole && is_hex(digits) && !is_one_character(digits) ? "uuid." + text : std::string();
}

}  // namespace

std::string normal_wwn(std::string_view text) {
    const std::string name = lower(text);
    if (name.starts_with("0x")) return normal_naa(name.substr(2));
    if (name.starts_with("naa.")) return normal_naa(name.substr(4));
    if (name.starts_with("eui.")) return normal_eui(name.substr(4));
    if (name.starts_with("uuid.")) return normal_uuid(name.substr(5));
    return {};
}

bool is_telling_serial(std::string_view serial) {
    constexpr std::string_view counted_in_hex = "0123456789abcdef0123456789abcdef";
    constexpr std::string_view counted = "012345678901234567890123456789";
    constexpr std::size_t shortest_count = 6;
    const std::string text = lower(serial);
    if (text.empty() || is_one_character(text)) return false;
    return text.size() < shortest_count || (counted_in_hex.find(text) == std::string_view::npos &&
                                            counted.find(text) == std::string_view::npos);
}

std::optional<int> by_id_rank(std::string_view name) {
    constexpr std::size_t longest = 255;
    const auto printable = [](char c) { return c > ' ' && c <= '~' && c != '/' && c != '\\'; };
    if (name.empty() || name.size() > longest || !std::all_of(name.begin(), name.end(), printable)) return {};
    // In order: the first that fits.
    constexpr std::array<std::pair<std::string_view, int>, 16> ranks{{
        {"nvme-eui.", 5},
        {"nvme-uuid.", 5},
        {"nvme-nvme.", 5},
        {"nvme-", 0},
        {"ata-", 0},
        {"mmc-", 0},
        {"virtio-", 0},
        {"usb-", 1},
        {"scsi-S", 2},
        {"scsi-1ATA", 3},
        {"scsi-", 4},
        {"wwn-", 6},
        {"dm-", -1},
        {"md-", -1},
        {"lvm-pv-", -1},
        {"", 4},
    }};
    for (const auto& [prefix, rank] : ranks)
        if (name.starts_with(prefix)) return rank >= 0 ? std::optional(rank) : std::nullopt;
    return {};
}

std::string transport_of(std::string_view name, std::string_view sysfs_folder, std::string_view scsi_vendor) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> by_name{{{"nvme", "nvme"},
                                                                                    {"vd", "virtio"},
                                                                                    {"xvd", "xen"},
                                                                                    {"mmcblk", "mmc"},
                                                                                    {"loop", "loop"},
                                                                                    {"zram", "zram"},
                                                                                    {"nbd", "nbd"},
                                                                                    {"dm-", "dm"},
                                                                                    {"md", "md"}}};
    for (const auto& [prefix, transport] : by_name)
        if (name.starts_with(prefix)) return std::string(transport);
    if (!name.starts_with("sd")) return "block";
    // The folder's path runs through the devices that lead to the disk.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> by_path{{{"/usb", "usb"},
                                                                                    {"/ata", "sata"},
                                                                                    {"/session", "iscsi"},
                                                                                    {"/rport-", "fc"},
                                                                                    {"/end_device-", "sas"}}};
    for (const auto& [part, transport] : by_path)
        if (sysfs_folder.find(part) != std::string_view::npos)
            return transport == "sas" && scsi_vendor == "ATA" ? "sata" : std::string(transport);
    return scsi_vendor == "ATA" ? "sata" : "scsi";
}

}  // namespace wearout::block
