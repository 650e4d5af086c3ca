#include "health/same_drive.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// What two ways to tell a name have in common.
std::string essence(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

/// Not one that was left blank.
bool tells(const std::string& serial) {
    return serial.size() >= 4 &&
           std::any_of(serial.begin(), serial.end(), [&](char c) { return c != serial.front(); });
}

bool same_serial(const std::string& a, const std::string& b) {
    constexpr std::size_t least = 8;
    if (a == b) return true;
    const auto& [shorter, longer] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
    return shorter.size() >= least && (longer.starts_with(shorter) || longer.ends_with(shorter));
}

/// As Drive has it: 16 lower-case hexadecimal digits. Empty: the answer has none.
std::string wwn_of(const Answer& answer) {
    const auto naa = answer.json.at_path("wwn.naa").integer();
    const auto oui = answer.json.at_path("wwn.oui").integer();
    const auto id = answer.json.at_path("wwn.id").integer();
    if (naa && oui && id) {
        if (*naa < 0 || *naa > 0xf || *oui < 0 || *oui > 0xffffff || *id < 0 || *id > 0xfffffffff) return {};
        return fmt::format("{:x}{:06x}{:09x}", *naa, *oui, *id);
    }
    const auto unit = answer.json.at_path("logical_unit_id").string();
    return unit.starts_with("0x") ? std::string(unit.substr(2)) : std::string();
}

class SameDriveSource final : public HealthSource {
  public:
    SameDriveSource(std::shared_ptr<HealthSource> inner, Expected expected, bool strict)
        : inner_(std::move(inner)), expected_(std::move(expected)), strict_(strict) {}

    RawAnswer ask() override {
        auto raw = inner_->ask();
        const auto result = read_answer(raw.text);
        if (!result.answer || !result.answer->has_data()) return raw;
        const auto same = same_drive(*result.answer, expected_);
        if (same == SameDrive::no || (strict_ && same == SameDrive::unsure)) {
            raw.problem = fmt::format(
                "the answer is {} drive's (serial number {}, wanted {}), so that nothing of it is used",
                same == SameDrive::no ? "another" : "perhaps another", named(result.answer->json),
                expected_.serial.empty() ? "none" : printable(expected_.serial));
            raw.text.clear();
        }
        return raw;
    }

  private:
    static std::string named(const Json& json) {
        const auto serial = json["serial_number"].string();
        return serial.empty() ? "none" : printable(serial);
    }

    std::shared_ptr<HealthSource> inner_;
    Expected expected_;
    bool strict_;
};

}  // namespace

Expected expected_of(const Drive& drive) {
    return {.serial = drive.serial,
            .wwn = drive.wwn,
            .capacity = drive.capacity,
            .own = drive.transport != "usb" || drive.by_id.starts_with("ata-")};
}

SameDrive same_drive(const Answer& answer, const Expected& expected) {
    const auto told = essence(answer.json["serial_number"].string());
    const auto wanted = essence(expected.serial);
    const auto wwn = wwn_of(answer);
    const bool serials = tells(told) && tells(wanted);
    const bool wwns = !wwn.empty() && wwn.size() == expected.wwn.size();
    if ((serials && same_serial(told, wanted)) || (wwns && wwn == expected.wwn)) return SameDrive::yes;
    if (!expected.own || (!serials && !wwns)) return SameDrive::unsure;
    return SameDrive::no;
}

bool fits_capacity(const Answer& answer, const Expected& expected) {
    const auto bytes = answer.json.at_path("user_capacity.bytes").integer();
    return bytes && *bytes > 0 && static_cast<std::uint64_t>(*bytes) == expected.capacity.value;
}

std::unique_ptr<HealthSource> same_drive_source(std::shared_ptr<HealthSource> inner, Expected expected,
                                                bool strict) {
    return std::make_unique<SameDriveSource>(std::move(inner), std::move(expected), strict);
}

}  // namespace wearout::health
