#include "tools/wearctl/report_sampling.h"

#include "tools/wearctl/text.h"

#include <fmt/format.h>

namespace wearout::tools {

namespace {

double milliseconds(std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1000;
}

std::string ms_text(std::chrono::microseconds time) {
    const double ms = milliseconds(time);
    return ms < 10 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

}  // namespace

std::string sampling_text(const store::SamplingCost& cost) {
    if (cost.questions == 0) return "the drive was never asked";
    std::string text =
        fmt::format("{}, median {} ms", counted(cost.questions, "question"), grouped(cost.median.count()));
    if (cost.unanswered > 0)
        text += fmt::format(", {} unanswered", grouped(static_cast<long long>(cost.unanswered)));
    if (!cost.worst) return text;
    const auto& worst = *cost.worst;
    if (worst.caused().count() == 0) return text + ", none held up the run's I/O";
    return text + fmt::format(
                      ", longest stall it caused {} ({} without a completion, where {} was the longest "
                      "just before)",
                      ms_text(worst.caused()), ms_text(worst.longest), ms_text(worst.usual));
}

Json sampling_json(const store::SamplingCost& cost) {
    if (cost.questions == 0) return nullptr;
    Json stall = nullptr;
    if (cost.worst)
        stall = {{"caused_ms", milliseconds(cost.worst->caused())},
                 {"gap_ms", milliseconds(cost.worst->longest)},
                 {"usual_gap_ms", milliseconds(cost.worst->usual)}};
    return {{"questions", cost.questions},
            {"unanswered", cost.unanswered},
            {"median_ms", cost.median.count()},
            {"longest_ms", cost.longest.count()},
            {"worst_stall", std::move(stall)}};
}

}  // namespace wearout::tools
