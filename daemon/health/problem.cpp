#include "health/problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// Why there is no data: bit 0 or 1 of the exit status.
std::string no_data_problem(const Answer& answer) {
    if (!answer.exit_status) return "smartctl's answer has no exit status, so nothing in it is believed";
    for (const auto* refusal : {"Permission denied", "Operation not permitted"})
        if (const auto text = message_with(answer, refusal); !text.empty())
            return fmt::format(
                "no permission to ask for SMART ({}); it takes root, or the capabilities of wearoutd's unit",
                text);
    for (const auto* stranger : {"Unable to detect device type", "USB bridge"})
        if (const auto text = message_with(answer, stranger); !text.empty())
            return fmt::format("no SMART here: smartctl does not know how to ask this device ({})", text);
    if (const auto text = message_with(answer, ""); !text.empty())
        return fmt::format("smartctl can't ask this device: {}", text);
    return fmt::format("smartctl could not open or identify the device (its exit status is {})",
                       *answer.exit_status);
}

void add_failed_attributes(const Answer& answer, const std::vector<int>& false_alarms,
                           std::vector<std::string>& problems) {
    constexpr std::size_t most_named = 4;
    std::size_t failed = 0;
    for (const auto& attribute : answer.attributes) {
        const auto threshold = attribute.thresh.value_or(0);
        const bool believed =
            threshold > 0 && threshold < 254 &&
            std::find(false_alarms.begin(), false_alarms.end(), attribute.id) == false_alarms.end();
        if (!attribute.failing_now || !believed || ++failed > most_named) continue;
        problems.push_back(fmt::format("attribute {} {} is at {}, with a threshold of {}", attribute.id,
                                       attribute.name, attribute.value.value_or(0), threshold));
    }
}

/// NVMe Base 2.0, figure 208, critical warning. Drives set bit 2 at 100 % used, too, with their spare whole
/// (smartmontools#537), so that both are told beside it.
std::string warning_text(const Answer& answer, std::int64_t warning) {
    constexpr std::array<std::string_view, 6> bits{"its spare is below its threshold",
                                                   "its temperature is past a threshold",
                                                   "its reliability is degraded",
                                                   "it has gone read-only",
                                                   "its backup of volatile memory has failed",
                                                   "its persistent memory region is unreliable"};
    constexpr std::size_t degraded = 2;
    std::vector<std::string> texts;
    for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((static_cast<std::uint64_t>(warning) >> bit & 1U) == 0) continue;
        texts.push_back(bit < bits.size() ? std::string(bits.at(bit)) : fmt::format("bit {}", bit));
        const auto used = answer.number_text("nvme_smart_health_information_log.percentage_used");
        const auto spare = answer.number_text("nvme_smart_health_information_log.available_spare");
        if (bit == degraded && used && spare)
            texts.back() += fmt::format(" (at {} % used, with {} % of its spare)", printable(*used, 20),
                                        printable(*spare, 20));
    }
    return fmt::format("critical warning 0x{:02x}: {}", warning, fmt::join(texts, ", "));
}

void add_critical_warning(const Answer& answer, std::vector<std::string>& problems) {
    const auto text = answer.number_text("nvme_smart_health_information_log.critical_warning");
    const auto warning = text ? parse_integer(*text) : std::nullopt;
    if (warning && *warning > 0 && *warning < 256) problems.push_back(warning_text(answer, *warning));
}

}  // namespace

std::string message_with(const Answer& answer, std::string_view part) {
    std::string found;
    for (const auto& message : answer.json.at_path("smartctl.messages").items) {
        const auto text = message["string"].string();
        if (text.find(part) == std::string_view::npos) continue;
        if (message["severity"].string() == "error") return printable(text, 200);
        if (found.empty()) found = printable(text, 200);
    }
    return found;
}

bool says_failing(const Answer& answer) {
    constexpr std::int64_t disk_failing = 8;
    const auto& passed = answer.json.at_path("smart_status.passed");
    return passed.is(Json::Kind::boolean) ? !passed.truth
                                          : (answer.exit_status.value_or(0) & disk_failing) != 0;
}

std::vector<std::string> problems_in(const Answer& answer, const std::vector<int>& false_alarms) {
    if (answer.exit_status && !message_with(answer, "STANDBY").empty())
        return {"the drive is in standby and was not woken for its SMART counters"};
    if (!answer.has_data()) return {no_data_problem(answer)};
    constexpr std::int64_t command_failed = 4;
    constexpr std::int64_t self_test_failed = 128;
    std::vector<std::string> problems;
    if (says_failing(answer)) problems.emplace_back("the drive says that it is FAILING");
    add_critical_warning(answer, problems);
    add_failed_attributes(answer, false_alarms, problems);
    if ((*answer.exit_status & command_failed) != 0) {
        const auto text = message_with(answer, "");
        problems.push_back(fmt::format("a SMART command failed or a checksum was wrong{}; the rest is used",
                                       text.empty() ? std::string() : fmt::format(" ({})", text)));
    }
    if ((*answer.exit_status & self_test_failed) != 0)
        problems.emplace_back("the drive's self-test log has a failed test");
    if (answer.stray_lines > 0)
        problems.push_back(
            fmt::format("{} line(s) of smartctl's answer are no JSON and were left out", answer.stray_lines));
    return problems;
}

}  // namespace wearout::health
