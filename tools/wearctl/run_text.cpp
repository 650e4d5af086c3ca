#include "tools/wearctl/run_text.h"

#include "base/quantity.h"
#include "facts/metric.h"
#include "tools/wearctl/text.h"

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::optional<std::int64_t> value_of(const WearValues& wear, Metric metric) {
    const auto found = wear.find(std::string(metric_names[metric]));
    return found == wear.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<std::int64_t> wear_percent(const WearValues& wear) {
    if (const auto used = value_of(wear, Metric::percentage_used)) return used;
    if (const auto left = value_of(wear, Metric::life_left_percent)) return 100 - *left;
    return std::nullopt;
}

std::string wear_text(const WearValues& wear) {
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (const auto used = wear_percent(wear)) add(fmt::format("{} % worn", *used));
    if (const auto average = value_of(wear, Metric::erase_count_avg))
        add(fmt::format("{} P/E cycles on average", grouped(*average)));
    if (const auto retired = value_of(wear, Metric::retired_blocks))
        add(fmt::format("{} blocks retired", grouped(*retired)));
    if (const auto spare = value_of(wear, Metric::spare_percent)) add(fmt::format("{} % spare", *spare));
    if (const auto errors = value_of(wear, Metric::uncorrectable); errors && *errors > 0)
        add(fmt::format("{} uncorrectable sectors", grouped(*errors)));
    if (const auto errors = value_of(wear, Metric::media_errors); errors && *errors > 0)
        add(fmt::format("{} media errors", grouped(*errors)));
    if (const auto degrees = value_of(wear, Metric::temperature_c))
        add(fmt::format("{} degrees C", *degrees));
    return text.empty() ? "nothing that is known here" : text;
}

std::string pass_text(const control::RunStatus& run) {
    if (run.pass == 0) return "-";
    return run.pass_limit ? fmt::format("{}/{}", run.pass, *run.pass_limit) : fmt::format("{}", run.pass);
}

std::string eta_text(const std::optional<double>& seconds) {
    constexpr double ten_years = 10 * 366 * 86'400.0;
    if (!seconds || *seconds < 0 || *seconds > ten_years) return "-";
    return format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000)));
}

std::string drive_text(const control::RunStatus& run) {
    return !run.model.empty() ? run.model : !run.serial.empty() ? run.serial : run.drive_key;
}

}  // namespace wearout::tools
