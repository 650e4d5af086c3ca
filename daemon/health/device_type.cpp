#include "health/device_type.h"

#include "health/problem.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace wearout::health {
namespace {

constexpr std::array plain_types = {
    "ata",          "scsi",        "nvme",       "sat",           "sat,auto",      "sat,12",
    "sat,16",       "usbcypress",  "usbjmicron", "usbjmicron,x",  "usbjmicron,p",  "usbjmicron,0",
    "usbjmicron,1", "usbprolific", "usbsunplus", "usbasm1352r,0", "usbasm1352r,1", "sntasmedia",
    "sntjmicron",   "sntrealtek",  "marvell"};

/// A disk behind a RAID controller: the name and so many numbers, "megaraid,3", "areca,2/1".
struct RaidType {
    std::string_view name;
    std::size_t least;
    std::size_t most;
    char separator;
};
constexpr std::array raid_types = {RaidType{"megaraid", 1, 1, ','}, RaidType{"cciss", 1, 1, ','},
                                   RaidType{"3ware", 1, 1, ','},    RaidType{"areca", 1, 2, '/'},
                                   RaidType{"aacraid", 3, 3, ','},  RaidType{"hpt", 2, 3, '/'},
                                   RaidType{"sssraid", 2, 2, ','}};

/// These ask by writing: to a sector of the volume (its LBA 33, which holds our pattern), or to a log of
/// whatever drive is there.
constexpr std::array<std::string_view, 3> writing_types = {"jmb39x", "jms56x", "intelliprop"};

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 4 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_raid_type(std::string_view type) {
    const auto comma = type.find(',');
    const auto* const raid = std::find_if(raid_types.begin(), raid_types.end(), [&](const RaidType& one) {
        return one.name == type.substr(0, comma);
    });
    if (raid == raid_types.end() || comma == std::string_view::npos) return false;
    std::size_t numbers = 0;
    for (auto rest = type.substr(comma + 1);; ++numbers) {
        const auto end = rest.find(raid->separator);
        if (!is_number(rest.substr(0, end))) return false;
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    ++numbers;
    return numbers >= raid->least && numbers <= raid->most;
}

bool is_plain_type(std::string_view type) {
    return std::find(plain_types.begin(), plain_types.end(), type) != plain_types.end();
}

/// What is between the first "[0x" and the colon of "Unknown USB bridge [0x152d:0x0583 (0x214)]".
unsigned usb_vendor(std::string_view message) {
    constexpr std::string_view mark = "[0x";
    const auto at = message.find(mark);
    unsigned vendor = 0;
    if (at != std::string_view::npos)
        (void)std::from_chars(message.data() + at + mark.size(), message.data() + message.size(), vendor, 16);
    return vendor;
}

/// The maker's own commands, for bridges of that maker only: another's may do anything with them. Those that
/// play ATA come first: sent to a SATA bridge of JMicron, the NVMe command is a hardware reset (drivedb.h,
/// at 0x152d:0x0583). None for Cypress, whose command smartctl(8) itself warns of.
std::vector<std::string> types_of_maker(unsigned vendor) {
    switch (vendor) {
        case 0x152d:
            return {"usbjmicron", "sntjmicron"};
        case 0x174c:
            return {"sntasmedia"};
        case 0x0bda:
            return {"sntrealtek"};
        case 0x04fc:
            return {"usbsunplus"};
        case 0x067b:
            return {"usbprolific"};
        default:
            return {};
    }
}

/// The two of "USB bridge [0x…] type is ambiguous: 'sat' or 'sntjmicron'", the standard's before the
/// maker's.
std::vector<std::string> named_types(std::string_view message) {
    std::vector<std::string> types;
    for (auto rest = message; types.size() < 4;) {
        const auto open = rest.find('\'');
        if (open == std::string_view::npos) break;
        const auto close = rest.find('\'', open + 1);
        if (close == std::string_view::npos) break;
        const auto type = rest.substr(open + 1, close - open - 1);
        if (is_plain_type(type)) types.emplace_back(type);
        rest.remove_prefix(close + 1);
    }
    std::stable_partition(types.begin(), types.end(),
                          [](const std::string& type) { return type.starts_with("sat"); });
    return types;
}

}  // namespace

std::string device_type_problem(std::string_view type) {
    for (const auto name : writing_types)
        if (type.find(name) != std::string_view::npos)
            return fmt::format("smartctl asks '{}' drives by writing to them", name);
    const auto plus = type.find('+');
    const auto first = type.substr(0, plus);
    if (plus == std::string_view::npos ? is_plain_type(first) || is_raid_type(first)
                                       : (first == "sat" || first == "sat,auto" || first == "scsi") &&
                                             is_raid_type(type.substr(plus + 1)))
        return {};
    return fmt::format("'{}' is no device type of smartctl", printable(type));
}

std::vector<std::string> device_types_to_try(const Answer& answer) {
    if (answer.has_data()) return {};
    if (const auto ambiguous = message_with(answer, "type is ambiguous"); !ambiguous.empty())
        return named_types(ambiguous);
    const auto unknown = message_with(answer, "Unknown USB bridge");
    if (unknown.empty() && message_with(answer, "Unable to detect device type").empty()) return {};
    // Nearly all bridges of the drive database speak SAT, a few of them in its short form only.
    std::vector<std::string> types{"sat", "sat,12"};
    for (auto& type : types_of_maker(usb_vendor(unknown)))
        types.push_back(std::move(type));
    return types;
}

}  // namespace wearout::health
