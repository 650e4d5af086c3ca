#pragma once

// What goes over the control socket, as values and as JSON. Paths:
//   GET  /v1/status          -> {"runs": [RunStatus…], "version": "…", "uptime_seconds": n}
//   GET  /v1/runs/ID         -> RunStatus
//   GET  /v1/drives          -> {"drives": [DriveStatus…]}
//   GET  /v1/profiles        -> {"profiles": [ProfileInfo…]}
//   POST /v1/consent         {"target": "…"} -> ConsentInfo: what to type before this target may be
//   overwritten POST /v1/runs            StartRequest -> {"id": n} POST /v1/runs/ID/pause   -> RunStatus;
//   likewise /resume and /stop POST /v1/alerts/ID/ack   -> {}
//   POST /v1/ratings         RatingRequest -> {}: what drives of this model are rated for, over the catalogue
//   POST /v1/ratings/unset   RatingRequest without a rating -> {}
// An error is {"error": {"exit_code": n, "message": "one line"}} with status 400 (exit code 2), 403 (3), 404
// (4: no such thing) or 503 (4: not now).

#include "base/error.h"
#include "base/types.h"
#include "control/server.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wearout::control {

/// The options of `wearctl start`, as text where the daemon reads it (so that there is one reader and one
/// error line).
struct StartRequest {
    std::string target;
    std::string profile;
    /// "passes", "for", "tbw", "until", "rate", "rating", "verify", "seed", "range", "on-finding",
    /// "transfer", "queue-depth": exactly as typed.
    std::map<std::string, std::string> options;
    std::string confirm;
    bool overwrite_signature = false;
    bool operator==(const StartRequest&) const = default;
};

/// The arguments of `wearctl ratings set` and `unset`, as typed.
struct RatingRequest {
    std::string model;
    std::string rating;    ///< "300TB", "1.3DWPD/5y".
    std::string capacity;  ///< "960GB"; empty: all capacities of the model.
    bool operator==(const RatingRequest&) const = default;
};

struct ConsentInfo {
    std::string model;
    std::string serial;
    std::uint64_t capacity_bytes = 0;
    std::string type_this;             ///< Empty: nothing needs to be typed.
    std::vector<std::string> reasons;  ///< Why it would be refused all the same.
    bool operator==(const ConsentInfo&) const = default;
};

struct RunStatus {
    std::int64_t id = 0;
    std::string drive_key;
    std::string model;
    std::string serial;
    std::string target;
    std::string profile;
    /// RunState by name, or "stuck" (the drive has not answered for long), or "ending" (the run is over, its
    /// last sample is being taken and the drive closed).
    std::string state;
    std::string phase;   ///< "writing", "verifying"
    std::string reason;  ///< Why it waits or how it ended.
    std::uint32_t pass = 0;
    std::optional<std::uint32_t> pass_limit;
    /// No limit was set: the run is meant to end when the drive takes no more writes.
    bool open_ended = false;
    double pass_percent = 0;
    double bytes_per_second = 0;
    std::optional<double> eta_seconds;  ///< Until the end of the run where it is known, else of the pass.
    std::uint64_t written_bytes = 0;
    std::uint64_t verified_bytes = 0;
    double active_seconds = 0;
    std::string started;                            ///< ISO 8601.
    std::map<std::string, std::uint64_t> findings;  ///< By class, only those above zero.
    std::uint64_t findings_total = 0;
    std::map<std::string, std::int64_t> wear;  ///< The newest sample's metrics.
    std::string health;                        ///< "ok", or why there are no wear counters.
    std::optional<std::uint64_t> rating_bytes;
    std::vector<std::string> notes;  ///< Such as "no O_DIRECT here".
    bool operator==(const RunStatus&) const = default;
};

struct DriveStatus {
    std::string key;
    std::string path;
    std::string by_id;
    std::string model;
    std::string serial;
    std::string firmware;
    std::string transport;
    std::uint64_t capacity_bytes = 0;
    std::uint32_t logical_block_bytes = 0;
    bool simulated = false;
    std::uint64_t written_bytes = 0;  ///< By our runs.
    std::map<std::string, std::int64_t> wear;
    std::optional<std::uint64_t> rating_bytes;
    std::string rating_source;
    std::optional<std::int64_t> run;   ///< The run that is on it now.
    std::vector<std::string> reasons;  ///< Why it can't be started; empty: free.
    bool operator==(const DriveStatus&) const = default;
};

struct ProfileInfo {
    std::string name;
    std::string summary;
    bool reads_only = false;  ///< Needs no consent.
    bool operator==(const ProfileInfo&) const = default;
};

[[nodiscard]] std::string to_json(const StartRequest& request);
[[nodiscard]] std::string to_json(const RatingRequest& request);
[[nodiscard]] std::string to_json(const ConsentInfo& info);
[[nodiscard]] std::string to_json(const RunStatus& status);
[[nodiscard]] std::string to_json(const std::vector<DriveStatus>& drives);
[[nodiscard]] std::string to_json(const std::vector<ProfileInfo>& profiles);
[[nodiscard]] std::string status_json(const std::vector<RunStatus>& runs, double uptime_seconds);
[[nodiscard]] std::string target_json(const std::string& target);
[[nodiscard]] std::string run_id_json(RunId run);

/// The readers take hostile text: what is no JSON, unknown or missing keys and wrong types are a Failure
/// (usage) that names the key. What is empty or unset may be missing. Text that is no UTF-8 (a drive's model
/// name may be anything) is written with U+FFFD for what is wrong; a number that is not finite as 0.
[[nodiscard]] StartRequest start_request_from(const std::string& json);
[[nodiscard]] RatingRequest rating_request_from(const std::string& json);
[[nodiscard]] std::string target_from(const std::string& json);
[[nodiscard]] ConsentInfo consent_info_from(const std::string& json);
[[nodiscard]] RunStatus run_status_from(const std::string& json);
[[nodiscard]] std::vector<RunStatus> run_statuses_from(const std::string& json);
[[nodiscard]] std::vector<DriveStatus> drive_statuses_from(const std::string& json);
[[nodiscard]] std::vector<ProfileInfo> profiles_from(const std::string& json);
[[nodiscard]] RunId run_id_from(const std::string& json);

/// A Failure as an answer: status 400 for usage, 403 for refused, 404 for unreachable, else 500.
[[nodiscard]] Response error_response(const Failure& failure);
/// Throws that Failure when the status is not 2xx; a Failure (unreachable) where the body does not say.
void throw_if_error(const Response& response);

}  // namespace wearout::control
