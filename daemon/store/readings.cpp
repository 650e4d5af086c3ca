#include "store/impl.h"
#include "store/samples.h"

#include <algorithm>

namespace wearout::store {

namespace {

using Track = SampleMemory::Track;

bool goes_on(const Track& track, const Reading& reading, std::int64_t decoder) {
    const bool fell = track.value && is_cumulative(reading.metric) && reading.value < *track.value;
    return !fell && track.decoder == decoder && track.source == reading.source &&
           track.confidence == reading.confidence;
}

Track begin_epoch(Database& database, std::int64_t drive, const Reading& reading, std::int64_t decoder,
                  const Track* before) {
    Track track;
    track.epoch = before == nullptr ? 0 : before->epoch + 1;
    track.source = reading.source;
    track.confidence = reading.confidence;
    track.decoder = decoder;
    database
        .query(
            "INSERT INTO epoch (drive, metric, number, source, confidence, decoder) VALUES (?, ?, ?, ?, ?, "
            "?)")
        .bind(drive, metric_names[reading.metric], track.epoch, track.source,
              confidence_names[track.confidence], decoder)
        .run();
    track.epoch_id = database.last_insert_id();
    return track;
}

void insert_reading(Database& database, const Track& track, std::int64_t sample,
                    std::optional<std::int64_t> value) {
    database.query("INSERT INTO reading (epoch, sample, value) VALUES (?, ?, ?)")
        .bind(track.epoch_id, sample, value)
        .run();
}

void tell(Database& database, Track& track, std::int64_t sample, std::int64_t value) {
    if (!track.told || track.value != value) insert_reading(database, track, sample, value);
    track.told = true;
    track.value = value;
}

void fall_silent(Database& database, Track& track, std::int64_t sample) {
    if (track.told) insert_reading(database, track, sample, std::nullopt);
    track.told = false;
}

}  // namespace

void store_readings(Database& database, std::int64_t drive, std::int64_t row, const Sample& sample,
                    SampleMemory& memory) {
    std::array<bool, metric_count> told{};
    std::map<std::string, std::int64_t> decoders;
    for (const auto& reading : sample.readings) {
        auto& seen = told.at(static_cast<std::size_t>(reading.metric));
        if (std::exchange(seen, true)) continue;
        const auto [place, added] =
            decoders.emplace(reading.decoder.empty() ? sample.decoder : reading.decoder, 0);
        if (added) place->second = note_row(database, place->first);
        const auto decoder = place->second;
        const auto found = memory.tracks.find(reading.metric);
        const Track* before = found == memory.tracks.end() ? nullptr : &found->second;
        if (before == nullptr || !goes_on(*before, reading, decoder))
            memory.tracks.insert_or_assign(reading.metric,
                                           begin_epoch(database, drive, reading, decoder, before));
        tell(database, memory.tracks.at(reading.metric), row, reading.value);
    }
    for (auto& [metric, track] : memory.tracks)
        if (!told.at(static_cast<std::size_t>(metric))) fall_silent(database, track, row);
}

void load_tracks(Database& database, std::int64_t drive, SampleMemory& memory) {
    auto row = database.query(
        "SELECT id, metric, number, source, confidence, decoder,"
        " (SELECT value FROM reading WHERE epoch = epoch.id AND value IS NOT NULL ORDER BY sample DESC LIMIT "
        "1),"
        " (SELECT value IS NOT NULL FROM reading WHERE epoch = epoch.id ORDER BY sample DESC LIMIT 1)"
        " FROM epoch WHERE drive = ? ORDER BY number");
    row.bind(drive);
    while (row.next()) {
        Track track;
        Metric metric{};
        row >> track.epoch_id;
        row.read_name(metric_names, metric);
        row >> track.epoch >> track.source;
        row.read_name(confidence_names, track.confidence);
        row >> track.decoder >> track.value >> track.told;
        memory.tracks.insert_or_assign(metric, std::move(track));
    }
}

std::vector<Reading> load_readings(Database& database, std::int64_t drive, std::int64_t sample) {
    std::map<Metric, Reading> newest;
    // Later epochs come later and take the place of earlier ones.
    auto row = database.query(
        "SELECT metric, source, confidence, value FROM"
        " (SELECT *, (SELECT max(sample) FROM reading WHERE epoch = epoch.id AND sample <= ?2) AS at FROM "
        "epoch"
        "  WHERE drive = ?1)"
        " JOIN reading ON reading.epoch = id AND reading.sample = at ORDER BY number");
    row.bind(drive, sample);
    while (row.next()) {
        Reading reading;
        std::optional<std::int64_t> value;
        row.read_name(metric_names, reading.metric);
        row >> reading.source;
        row.read_name(confidence_names, reading.confidence);
        row >> value;
        if (value) {
            reading.value = *value;
            newest.insert_or_assign(reading.metric, std::move(reading));
        } else {
            newest.erase(reading.metric);
        }
    }
    std::vector<Reading> all;
    all.reserve(newest.size());
    for (auto& [metric, reading] : newest)
        all.push_back(std::move(reading));
    return all;
}

}  // namespace wearout::store
