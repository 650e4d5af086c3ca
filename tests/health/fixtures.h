#pragma once

#include "facts/sample.h"
#include "health/health_source.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace wearout::health {

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The text of fixtures/NAME.json: small answers, made by hand from the layouts.
inline std::string fixture(const std::string& name) {
    return read_file(std::filesystem::path(WEAROUT_FIXTURES) / (name + ".json"));
}

/// The text of fixtures/NAME.txt: text outputs of smartctl, made by hand likewise.
inline std::string text_fixture(const std::string& name) {
    return read_file(std::filesystem::path(WEAROUT_FIXTURES) / (name + ".txt"));
}

inline Sample decode_text(const std::string& text) {
    return decode(RawAnswer{.text = text, .problem = {}});
}

inline std::map<Metric, std::int64_t> values(const Sample& sample) {
    std::map<Metric, std::int64_t> result;
    for (const auto& reading : sample.readings)
        result[reading.metric] = reading.value;
    return result;
}

inline std::optional<std::int64_t> value_of(const Sample& sample, Metric metric) {
    const auto all = values(sample);
    const auto found = all.find(metric);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

inline std::string source_of(const Sample& sample, Metric metric) {
    const auto found = std::find_if(sample.readings.begin(), sample.readings.end(),
                                    [&](const Reading& reading) { return reading.metric == metric; });
    return found == sample.readings.end() ? "" : found->source;
}

inline std::vector<std::string> unknown_names(const Sample& sample) {
    std::vector<std::string> names;
    for (const auto& field : sample.unknown)
        names.push_back(field.name);
    return names;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto position = text.find(from);
    if (position == std::string::npos) throw std::logic_error("the fixture has no " + from);
    return text.replace(position, from.size(), to);
}

/// Where the shared sample files are: none on most machines.
inline std::optional<std::filesystem::path> shared_samples() {
    const auto* chosen = std::getenv("WEAROUT_SHARED");
    const auto root = chosen != nullptr ? std::filesystem::path(chosen)
                                        : std::filesystem::path(WEAROUT_SOURCE).parent_path() / "shared";
    const auto folder = root / "smart-samples";
    return std::filesystem::is_directory(folder) ? std::optional(folder) : std::nullopt;
}

}  // namespace wearout::health
