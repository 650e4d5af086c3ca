#include "tools/wearctl/stored_sample.h"

#include "base/quantity.h"
#include "tools/wearctl/explain_text.h"
#include "tools/wearctl/select.h"
#include "tools/wearctl/table.h"
#include "tools/wearctl/wear_history.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

struct TimeFormat {
    const char* format;
    std::chrono::seconds step;
};

/// The first moment, UTC, that is later than what the text means.
WallTime end_of(const std::string& text) {
    constexpr std::array formats = {TimeFormat{"%Y-%m-%dT%H:%M:%S", std::chrono::seconds(1)},
                                    TimeFormat{"%Y-%m-%d %H:%M:%S", std::chrono::seconds(1)},
                                    TimeFormat{"%Y-%m-%dT%H:%M", std::chrono::minutes(1)},
                                    TimeFormat{"%Y-%m-%d %H:%M", std::chrono::minutes(1)},
                                    TimeFormat{"%Y-%m-%d", std::chrono::hours(24)}};
    std::string plain = text.substr(0, text.find('.'));
    if (plain.ends_with('Z')) plain.pop_back();
    for (const auto& one : formats) {
        std::tm parts{};
        const char* const end = strptime(plain.c_str(), one.format, &parts);
        if (end != nullptr && *end == '\0') return WallTime(std::chrono::seconds(timegm(&parts)) + one.step);
    }
    throw usage_error(fmt::format(
        "--sample: '{}' is neither a sample's number nor a moment like '2026-05-01 14:03:22'", text));
}

/// Its place in the list.
std::size_t place_of(const std::vector<store::StoredSample>& samples,
                     const std::optional<std::string>& which) {
    if (!which) return samples.size() - 1;
    if (const auto number = as_run_id(*which)) {
        if (*number < 1 || *number > static_cast<std::int64_t>(samples.size()))
            throw usage_error(
                fmt::format("--sample: there is no sample {}, only 1 to {}", *number, samples.size()));
        return static_cast<std::size_t>(*number) - 1;
    }
    const WallTime end = end_of(*which);
    const auto after = std::find_if(samples.begin(), samples.end(),
                                    [end](const store::StoredSample& one) { return one.time >= end; });
    if (after == samples.begin())
        throw usage_error(fmt::format("--sample: the first sample is of {} UTC, after '{}'",
                                      format_time(samples.front().time), *which));
    return static_cast<std::size_t>(after - samples.begin()) - 1;
}

std::optional<std::int64_t> value_in(const Sample& sample, Metric metric) {
    for (const auto& reading : sample.readings)
        if (reading.metric == metric) return reading.value;
    return std::nullopt;
}

std::vector<Difference> differences_of(const Sample& stored, const Sample& now) {
    std::vector<Difference> all;
    for (std::size_t i = 0; i < metric_count; ++i) {
        const Difference one{static_cast<Metric>(i), value_in(stored, static_cast<Metric>(i)),
                             value_in(now, static_cast<Metric>(i))};
        if (one.stored != one.now) all.push_back(one);
    }
    return all;
}

std::string differences_text(const ExplainedSample& sample, const Screen& screen) {
    if (sample.differences.empty()) return {};
    std::string text = heading("Decoded otherwise when it was stored", screen);
    Table table({{"  METRIC"}, {"STORED", Align::right}, {"NOW", Align::right}});
    const auto value = [](Metric metric, const std::optional<std::int64_t>& number) {
        return number ? value_text(metric, *number) : std::string("not told");
    };
    for (const auto& one : sample.differences)
        table.add({{"  " + std::string(metric_names[one.metric])},
                   {value(one.metric, one.stored)},
                   {value(one.metric, one.now)}});
    Listing listing;
    listing.add("  stored by", sample.stored.decoder.empty() ? "none" : sample.stored.decoder);
    return text + table.text(screen) + listing.text(screen);
}

}  // namespace

ExplainedSample explain_sample(const store::Store& store, const Drive& drive, std::optional<RunId> run,
                               const std::optional<std::string>& which) {
    const auto samples = store.samples(drive.key, run);
    if (samples.empty())
        throw Failure(ExitCode::insufficient_data,
                      fmt::format("{} was not asked for its wear counters yet", drive.key));
    ExplainedSample result;
    result.drive = drive;
    const std::size_t place = place_of(samples, which);
    result.number = place + 1;
    result.of = samples.size();
    result.stored = store.sample(samples[place]);
    if (result.stored.raw.empty()) return result;
    result.explanation = health::explain({.text = result.stored.raw, .problem = {}});
    result.differences = differences_of(result.stored, result.explanation.sample);
    return result;
}

std::string explained_text(const ExplainedSample& sample, const Screen& screen) {
    const Drive& drive = sample.drive;
    const std::string name = drive.model.empty() ? drive.key : drive.model;
    std::string text =
        paint(screen, Tone::strong, printable(name) + (drive.simulated ? " (SIMULATED)" : "")) + "\n";
    Listing listing;
    listing.add("  serial", drive.serial.empty() ? "none" : drive.serial);
    listing.add("  firmware", sample.explanation.identity.firmware.empty()
                                  ? "not told"
                                  : sample.explanation.identity.firmware);
    listing.add("  sample",
                fmt::format("{} of {}, {} UTC, {}", sample.number, sample.of, format_time(sample.stored.time),
                            sample_reason_names[sample.stored.reason]));
    if (!sample.stored.problem.empty()) listing.add("  problem", sample.stored.problem, Tone::warning);
    text += listing.text(screen);
    if (sample.stored.raw.empty()) return text + "\nNo answer of the drive was kept with this sample.\n";
    return text + differences_text(sample, screen) + explanation_text(sample.explanation, screen);
}

Json explained_json(const ExplainedSample& sample) {
    Json json = {{"sample",
                  {{"number", sample.number},
                   {"of", sample.of},
                   {"time", format_iso_time(sample.stored.time)},
                   {"reason", sample_reason_names[sample.stored.reason]},
                   {"decoder", sample.stored.decoder}}},
                 {"drive",
                  {{"key", sample.drive.key},
                   {"model", sample.drive.model},
                   {"serial", sample.drive.serial},
                   {"simulated", sample.drive.simulated}}}};
    json.update(explanation_json(sample.explanation, true));
    if (sample.stored.raw.empty() && !sample.stored.problem.empty())
        json["problems"].push_back(sample.stored.problem);
    json["differences"] = Json::array();
    for (const auto& one : sample.differences)
        json["differences"].push_back({{"metric", metric_names[one.metric]},
                                       {"stored", one.stored ? Json(*one.stored) : Json(nullptr)},
                                       {"now", one.now ? Json(*one.now) : Json(nullptr)}});
    return json;
}

ExitCode explained_exit_code(const ExplainedSample& sample) {
    if (sample.explanation.failing) return ExitCode::findings;
    return sample.explanation.sample.readings.empty() ? ExitCode::insufficient_data : ExitCode::pass;
}

}  // namespace wearout::tools
