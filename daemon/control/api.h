#pragma once

// What goes over the control socket, as values and as JSON. Paths:
//   GET  /v1/status            -> {"runs": [RunStatus…], "version": "…", "uptime_seconds": n}
//   GET  /v1/runs/ID           -> RunStatus
//   GET  /v1/drives            -> {"drives": [DriveStatus…]}
//   GET  /v1/profiles          -> {"profiles": [ProfileInfo…]}
//   POST /v1/consent           {"target": "…"} -> ConsentInfo: what to type before this target may be
//   overwritten POST /v1/runs              StartRequest -> {"id": n} POST /v1/runs/ID/pause, /resume, /stop
//   -> RunStatus POST /v1/alerts/ID/ack     -> {}
// An error is {"error": {"exit_code": n, "message": "one line"}} with status 400 (exit code 2), 403 (3), 404
// (4) or 503 (4).

#include "base/error.h"
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
};

struct ConsentInfo {
    std::string model;
    std::string serial;
    std::uint64_t capacity_bytes = 0;
    std::string type_this;             ///< Empty: nothing needs to be typed.
    std::vector<std::string> reasons;  ///< Why it would be refused all the same.
};

struct RunStatus {
    std::int64_t id = 0;
    std::string drive_key;
    std::string model;
    std::string serial;
    std::string target;
    std::string profile;
    std::string state;   ///< RunState by name, or "stuck": the drive has not answered for long.
    std::string phase;   ///< "writing", "verifying"
    std::string reason;  ///< Why it waits or how it ended.
    std::uint32_t pass = 0;
    std::optional<std::uint32_t> pass_limit;
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
};

struct ProfileInfo {
    std::string name;
    std::string summary;
};

[[nodiscard]] std::string to_json(const StartRequest& request);
[[nodiscard]] std::string to_json(const ConsentInfo& info);
[[nodiscard]] std::string to_json(const RunStatus& status);
[[nodiscard]] std::string to_json(const std::vector<DriveStatus>& drives);
[[nodiscard]] std::string to_json(const std::vector<ProfileInfo>& profiles);
[[nodiscard]] std::string status_json(const std::vector<RunStatus>& runs, double uptime_seconds);

/// The readers take hostile text: unknown keys and wrong types are a Failure (usage) that names the key.
[[nodiscard]] StartRequest start_request_from(const std::string& json);
[[nodiscard]] std::string target_from(const std::string& json);
[[nodiscard]] ConsentInfo consent_info_from(const std::string& json);
[[nodiscard]] RunStatus run_status_from(const std::string& json);
[[nodiscard]] std::vector<RunStatus> run_statuses_from(const std::string& json);
[[nodiscard]] std::vector<DriveStatus> drive_statuses_from(const std::string& json);
[[nodiscard]] std::vector<ProfileInfo> profiles_from(const std::string& json);

/// A Failure as an answer, and an error answer as the Failure it was.
[[nodiscard]] Response error_response(const Failure& failure);
/// Throws that Failure when the status is not 2xx.
void throw_if_error(const Response& response);

}  // namespace wearout::control
