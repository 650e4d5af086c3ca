#pragma once

#include "base/types.h"
#include "facts/sample.h"
#include "store/database.h"
#include "store/raw_codec.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wearout::store {

/// What has to be known of a drive's last samples to store the next one. Kept in memory, and read from the
/// database again after a restart or a failed write.
struct SampleMemory {
    /// The newest epoch of a metric and the value that it stands at.
    struct Track {
        std::int64_t epoch_id = 0;
        std::uint32_t epoch = 0;
        std::string source;
        Confidence confidence{};
        std::int64_t decoder = 0;           ///< Row in `note`.
        std::optional<std::int64_t> value;  ///< As last told.
        bool told = false;                  ///< In the newest sample.
    };
    std::map<Metric, Track> tracks;
    std::optional<RawKeyframe> keyframe;
    std::optional<std::int64_t> answer_id;  ///< Of the newest raw answer,
    std::string answer;                     ///< and its text.
    Bytes drive_written;
    std::vector<UnknownField> unknown;
};

/// As it was left in the database; the two others load its parts.
[[nodiscard]] SampleMemory load_sample_memory(Database& database, std::int64_t drive);
void load_tracks(Database& database, std::int64_t drive, SampleMemory& memory);
void load_answer_memory(Database& database, std::int64_t drive, SampleMemory& memory);

/// The row of a raw answer, which is stored if it is not the newest one again. `time` is the sample's.
[[nodiscard]] std::int64_t store_answer(Database& database, std::int64_t drive, const std::string& text,
                                        WallTime time, SampleMemory& memory);

/// The text of a raw answer.
[[nodiscard]] std::string load_answer(Database& database, std::int64_t answer);

/// The row of a text that many samples share.
[[nodiscard]] std::int64_t note_row(Database& database, const std::string& text);

/// Stores what changed of a sample's readings. `row` is the sample's.
void store_readings(Database& database, std::int64_t drive, std::int64_t row, const Sample& sample,
                    SampleMemory& memory);

/// All that a drive told in a sample, in the order of Metric.
[[nodiscard]] std::vector<Reading> load_readings(Database& database, std::int64_t drive, std::int64_t sample);

}  // namespace wearout::store
