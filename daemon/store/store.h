#pragma once

#include "base/types.h"
#include "facts/alert.h"
#include "facts/checkpoint.h"
#include "facts/counter_unit.h"
#include "facts/drive.h"
#include "facts/endurance.h"
#include "facts/run_spec.h"
#include "facts/sample.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::store {

struct StoredDrive {
    Drive drive;
    /// The file or simulated drive was made by us, so that no consent is needed to overwrite it.
    bool ours = false;
    Bytes written;  ///< By all runs on this drive.
};

struct StoredRun {
    RunId id;
    std::string drive_key;
    RunSpec spec;
    Checkpoint checkpoint;
    WallTime started;
    std::optional<WallTime> ended;
};

/// A raw answer of a run's, and what had been written to the drive by then.
struct StoredAnswer {
    WallTime time;
    Bytes written;  ///< As SeriesPoint::written.
    std::string text;
};

struct SeriesPoint {
    WallTime time;
    std::optional<RunId> run;
    Bytes written;  ///< By all runs on this drive up to this sample; never falls, also after a crash.
    std::int64_t value = 0;
    std::uint32_t epoch = 0;  ///< Values of different epochs can't be subtracted.
    bool operator==(const SeriesPoint&) const = default;
};

/// One metric of one drive over time: a point wherever the value changed, and one at the last sample of each
/// epoch.
struct Series {
    Metric metric{};
    std::string source;  ///< Of the newest point.
    Confidence confidence = Confidence::vendor;
    std::vector<SeriesPoint> points;
};

/// What asking a drive for its wear counters took.
struct SamplingCost {
    std::uint64_t questions = 0;
    std::uint64_t unanswered = 0;          ///< With no answer that could be used.
    std::chrono::milliseconds median{0};   ///< How long a question took,
    std::chrono::milliseconds longest{0};  ///< and the longest.
    std::optional<IoStall> worst;  ///< The question that held up the run's I/O most; none measured: none.
};

/// A sample, by what tells it from the others.
struct StoredSample {
    std::int64_t id = 0;
    std::int64_t drive = 0;
    WallTime time;
};

enum class OpenMode { read_write, read_only };

/// The database: facts in, facts out. Each call is one transaction. Thread-safe; only one process writes (it
/// holds a lock). Opening throws a Failure (unreachable) when the file is not there (read_only), is no
/// database, is corrupt or is newer than this program; it is left untouched then. Writing throws
/// StorageUnavailable.
class Store {
  public:
    /// read_write makes the file (0640) and brings its schema up to date.
    Store(const std::string& path, OpenMode mode);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    void remember_drive(const Drive& drive, bool ours);
    [[nodiscard]] std::optional<StoredDrive> drive(std::string_view key) const;
    [[nodiscard]] std::vector<StoredDrive> drives() const;

    RunId add_run(std::string_view drive_key, const RunSpec& spec, const Checkpoint& checkpoint,
                  WallTime now);
    void commit(RunId run, const RunBatch& batch, WallTime now);
    [[nodiscard]] std::optional<StoredRun> run(RunId run) const;
    /// By id; all, or one drive's.
    [[nodiscard]] std::vector<StoredRun> runs(std::optional<std::string_view> drive_key = std::nullopt) const;
    [[nodiscard]] std::vector<StoredRun> unfinished_runs() const;
    /// The last run that wrote to this drive: what a scan compares with.
    [[nodiscard]] std::optional<StoredRun> last_writer(std::string_view drive_key) const;

    /// By sequence, from the one after `after` on.
    [[nodiscard]] std::vector<Finding> findings(RunId run, std::uint32_t after = 0,
                                                std::size_t limit = 100'000) const;
    [[nodiscard]] std::vector<PassRecord> passes(RunId run) const;

    /// A metric told twice in one sample counts once, as first told. A new epoch begins for a metric when it
    /// is cumulative and falls, or when its source or confidence or the sample's decoder is another than
    /// before.
    void add_sample(std::string_view drive_key, std::optional<RunId> run, const Sample& sample);
    /// The newest sample, with its raw answer and unknown fields; of a drive that was never asked, none.
    [[nodiscard]] std::optional<Sample> last_sample(std::string_view drive_key) const;
    /// The sample that a run began with. Its unknown fields are left to be decoded from the raw answer.
    [[nodiscard]] std::optional<Sample> first_sample(RunId run) const;
    /// The samples of a drive, or those taken in one of its runs, oldest first.
    [[nodiscard]] std::vector<StoredSample> samples(std::string_view drive_key,
                                                    std::optional<RunId> run = std::nullopt) const;
    /// One of them, with its raw answer; its unknown fields are left to be decoded from that.
    [[nodiscard]] Sample sample(const StoredSample& which) const;
    /// The raw answers of a drive, byte for byte, oldest first, each as often as it was given: `visit` is
    /// called with the sample's time and the text, and must not call this Store.
    void raw_answers(std::string_view drive_key,
                     const std::function<void(WallTime, const std::string&)>& visit) const;
    /// The first and the last raw answer of a run and, evenly between them by their number, others: at most
    /// `most`
    /// (>= 2) together, oldest first.
    [[nodiscard]] std::vector<StoredAnswer> answers_of_run(RunId run, std::size_t most) const;
    /// All metrics of a drive, each once, or one; with a run, only the samples taken in it.
    [[nodiscard]] std::vector<Series> series(std::string_view drive_key,
                                             std::optional<RunId> run = std::nullopt,
                                             std::optional<Metric> metric = std::nullopt) const;

    /// Takes the place of what was known of these counters.
    void save_counter_units(std::string_view drive_key, RunId run, const std::vector<CounterUnit>& units);
    [[nodiscard]] std::vector<CounterUnit> counter_units(std::string_view drive_key) const;

    /// Of a drive, or of one of its runs.
    [[nodiscard]] SamplingCost sampling_cost(std::string_view drive_key,
                                             std::optional<RunId> run = std::nullopt) const;
    /// What smartctl has to be told with -d to ask this drive; empty: nothing.
    [[nodiscard]] std::string device_type(std::string_view drive_key) const;
    void remember_device_type(std::string_view drive_key, std::string_view type);

    /// Inserts (id 0) or updates; returns the id.
    std::int64_t save_alert(const Alert& alert);
    [[nodiscard]] std::vector<Alert> alerts() const;
    /// False when there is no such alert.
    bool acknowledge_alert(std::int64_t id, WallTime now);

    /// Ratings that the user has set, one for each model and capacity; setting one again replaces it.
    void set_rating(const UserRating& rating);
    /// False when there is no such rating.
    bool forget_rating(std::string_view model, Bytes capacity);
    [[nodiscard]] std::vector<UserRating> ratings() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wearout::store
