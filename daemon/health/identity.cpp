#include "health/identity.h"

#include "health/text_values.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace wearout::health {
namespace {

std::optional<ToldTime> time_of(const Answer& answer) {
    const std::string text = printable(answer.json.at_path("local_time.asctime").string());
    if (const auto exact = answer.json.at_path("local_time.time_t").integer())
        return ToldTime{*exact, true, text};
    const auto local = parse_local_time(text);
    if (!local) return std::nullopt;
    return ToldTime{local->seconds, false, text};
}

}  // namespace

bool is_hidden(std::string_view serial) {
    std::string bare;
    for (const char c : serial)
        if (c != ' ' && c != '-' && c != '.' && c != ':')
            bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::all_of(bare.begin(), bare.end(), [&](char c) { return c == bare.front(); })) return true;
    if (serial.find("..") != std::string_view::npos) return true;
    constexpr std::array<std::string_view, 6> signs = {"redacted", "removed", "hidden",
                                                       "censored", "xxxx",    "****"};
    return std::any_of(signs.begin(), signs.end(),
                       [&](std::string_view sign) { return bare.find(sign) != std::string::npos; });
}

Identity identify(const Answer& answer) {
    Identity identity;
    identity.model = answer.model;
    if (!is_hidden(answer.serial)) identity.serial = answer.serial;
    if (!is_hidden(answer.wwn.substr(answer.wwn.starts_with("0x") ? 2 : 0))) identity.wwn = answer.wwn;
    identity.firmware = answer.firmware;
    identity.drivedb_family = answer.drivedb_family;
    identity.capacity_bytes = answer.json.at_path("user_capacity.bytes").integer();
    if (!identity.capacity_bytes) identity.capacity_bytes = answer.json["nvme_total_capacity"].integer();
    identity.time = time_of(answer);
    return identity;
}

}  // namespace wearout::health
