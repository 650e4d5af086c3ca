#include "health/problem.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// smartctl's first message that holds `part`; errors before information.
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

/// Why there is no data: bit 0 or 1 of the exit status.
std::string no_data_problem(const Answer& answer) {
    if (!answer.exit_status) return "smartctl's answer has no exit status, so nothing in it is believed";
    if (const auto text = message_with(answer, "STANDBY"); !text.empty())
        return "the drive is in standby and was not woken for its SMART counters";
    for (const auto* refusal : {"Permission denied", "Operation not permitted"})
        if (const auto text = message_with(answer, refusal); !text.empty())
            return fmt::format(
                "no permission to ask for SMART ({}); it takes root, or the capabilities of wearoutd's unit",
                text);
    for (const auto* stranger : {"Unable to detect device type", "Unknown USB bridge"})
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
        const bool believed =
            std::find(false_alarms.begin(), false_alarms.end(), attribute.id) == false_alarms.end();
        if (!attribute.failing_now || !believed || ++failed > most_named) continue;
        problems.push_back(fmt::format("attribute {} {} is at {}, with a threshold of {}", attribute.id,
                                       attribute.name, attribute.value.value_or(0),
                                       attribute.thresh.value_or(0)));
    }
}

}  // namespace

bool says_failing(const Answer& answer) {
    constexpr std::int64_t disk_failing = 8;
    const auto& passed = answer.json.at_path("smart_status.passed");
    return passed.is(Json::Kind::boolean) ? !passed.truth
                                          : (answer.exit_status.value_or(0) & disk_failing) != 0;
}

std::vector<std::string> problems_in(const Answer& answer, const std::vector<int>& false_alarms) {
    if (!answer.has_data()) return {no_data_problem(answer)};
    constexpr std::int64_t command_failed = 4;
    constexpr std::int64_t self_test_failed = 128;
    std::vector<std::string> problems;
    if (says_failing(answer)) problems.emplace_back("the drive says that it is FAILING");
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
