#include "service/unit_learner.h"

#include "analysis/counter_unit.h"
#include "health/write_counters.h"
#include "service/log.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace wearout::service {

namespace {

constexpr auto between_looks = std::chrono::minutes(10);
/// Enough for a line, and taken apart in a tenth of a second.
constexpr std::size_t most_answers = 256;

struct Watched {
    CounterUnit identity;
    std::vector<analysis::CounterPoint> points;
};

std::vector<CounterUnit> find_units(const std::vector<store::StoredAnswer>& answers) {
    std::map<std::string, Watched> watched;
    for (const auto& answer : answers)
        for (const auto& counter : health::write_counters(answer.text)) {
            auto& one = watched[counter.field];
            one.identity.field = counter.field;
            one.identity.metric = counter.metric;
            one.identity.catalogue_step = counter.step;
            one.points.push_back({answer.time, answer.written, counter.raw});
        }
    std::vector<CounterUnit> units;
    units.reserve(watched.size());
    for (auto& [field, one] : watched)
        units.push_back(analysis::learn_unit(one.points, std::move(one.identity)));
    return units;
}

const CounterUnit* find(const std::vector<CounterUnit>& units, const std::string& field) {
    const auto found = std::ranges::find(units, field, &CounterUnit::field);
    return found == units.end() ? nullptr : &*found;
}

/// The unit to count host bytes by, where it is another than the catalogue's.
std::optional<std::int64_t> better_step(const CounterUnit* unit) {
    if (unit == nullptr || unit->metric != Metric::host_bytes_written) return std::nullopt;
    const bool better =
        unit->verdict == CounterVerdict::learnt || unit->verdict == CounterVerdict::contradicts;
    return better ? unit->step : std::nullopt;
}

}  // namespace

UnitLearner::UnitLearner(store::Store& store, const store::StoredRun& run)
    : store_(store), run_(run), units_(store.counter_units(run.drive_key)) {}

void UnitLearner::complete(Sample& sample) const {
    if (std::ranges::none_of(units_, [](const CounterUnit& unit) { return better_step(&unit).has_value(); }))
        return;
    const auto told = std::ranges::find(sample.readings, Metric::host_bytes_written, &Reading::metric);
    for (const auto& counter : health::write_counters(sample.raw)) {
        const auto step = better_step(find(units_, counter.field));
        // A counter whose unit is right is not put aside for one whose unit was learnt.
        if (!step || (told != sample.readings.end() && told->source != counter.field)) continue;
        Reading reading{Metric::host_bytes_written, 0, counter.field + ", unit learnt", Confidence::learnt,
                        told == sample.readings.end() ? sample.decoder : told->decoder};
        if (__builtin_mul_overflow(counter.raw, *step, &reading.value)) continue;
        if (told != sample.readings.end())
            *told = std::move(reading);
        else
            sample.readings.push_back(std::move(reading));
        return;
    }
}

void UnitLearner::learn(const Sample& newest) {
    const bool due = newest.time - last_look_ >= between_looks || newest.time < last_look_;
    if (!due && newest.reason != SampleReason::end) return;
    last_look_ = newest.time;
    auto found = find_units(store_.answers_of_run(run_.id, most_answers));
    // A run that is too short to say anything does not undo what another showed.
    std::erase_if(found, [&](const CounterUnit& unit) {
        return unit.verdict == CounterVerdict::unsettled && find(units_, unit.field) != nullptr;
    });
    tell_news(found);
    store_.save_counter_units(run_.drive_key, run_.id, found);
    units_ = store_.counter_units(run_.drive_key);
}

void UnitLearner::tell_news(const std::vector<CounterUnit>& found) const {
    for (const auto& unit : found) {
        const auto* before = find(units_, unit.field);
        if (before != nullptr && before->verdict == unit.verdict) continue;
        if (unit.verdict == CounterVerdict::contradicts)
            log(LogLevel::warning,
                fmt::format("run {}: {}: {} does not count in {}, as the catalogue has it, but in {}: {}",
                            run_.id.value, run_.drive_key, unit.field,
                            analysis::unit_name(unit.catalogue_step.value_or(0)),
                            unit.step ? analysis::unit_name(*unit.step) : "no known unit",
                            analysis::evidence(unit)));
        if (unit.verdict == CounterVerdict::still)
            log(LogLevel::warning, fmt::format("run {}: {}: {} stands still: {}", run_.id.value,
                                               run_.drive_key, unit.field, analysis::evidence(unit)));
    }
}

}  // namespace wearout::service
