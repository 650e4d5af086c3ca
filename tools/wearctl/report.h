#pragma once

#include "facts/alert.h"
#include "store/store.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/stored.h"
#include "tools/wearctl/verdict.h"
#include "tools/wearctl/wear_history.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Everything that a report says, worked out from the database; how it looks is another file's business.
namespace wearout::tools {

/// Bytes written and what they are held against.
struct Tbw {
    Bytes written;   ///< By the run.
    Bytes verified;  ///< By the run.
    std::optional<Bytes> host_bytes_by_drive;
    /// In the drive's life: its own count where it has one and that is more, else what our runs wrote.
    Bytes lifetime;
    std::optional<Bytes> rated;
    std::string rating_source;
    /// What `rated` comes to in drive writes a day over the warranty, where its years are known.
    std::optional<std::uint32_t> rated_dwpd_milli;
    std::optional<std::uint32_t> warranty_years;
    std::optional<double> rated_used_percent;  ///< lifetime / rated.
};

struct Report : WearHistory {
    Subject subject;
    Verdict verdict;
    Tbw tbw;
    std::vector<CounterUnit> counter_units;  ///< Of the drive's counters of written bytes.
    std::vector<PassRecord> passes;  ///< Of the run. Their speed is among the curves, as "write_rate" and
                                     ///< "verify_rate" in bytes/s at the bytes written by their end.
    std::vector<Alert> alerts;       ///< Of the drive, not acknowledged.
    store::SamplingCost sampling;    ///< Of the samples that `wear` is made of.
    std::string counters_problem;    ///< Why there are no wear counters, if the newest sample says so.
};

[[nodiscard]] Report make_report(const store::Store& store, const Subject& subject);

[[nodiscard]] VerdictFacts verdict_facts(const store::StoredRun& run, Bytes drive_written);

/// The forms it comes in. The text is as wide as the screen.
[[nodiscard]] std::string report_text(const Report& report, const Screen& screen);
[[nodiscard]] std::string report_json(const Report& report);
/// Writes wear.csv, passes.csv and findings.csv (RFC 4180) into a folder, which is made when it is not there.
/// Throws a Failure (unreachable) that names the file.
void write_csv(const Report& report, const store::Store& store, const std::string& folder);

}  // namespace wearout::tools
