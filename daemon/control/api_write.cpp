#include "base/version.h"
#include "control/api.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace wearout::control {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double finite(double value) {
    return std::isfinite(value) ? value : 0;
}

template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
}

Json json_of(const RunStatus& status) {
    Json json = {{"id", status.id},
                 {"drive_key", status.drive_key},
                 {"model", status.model},
                 {"serial", status.serial},
                 {"target", status.target},
                 {"profile", status.profile},
                 {"state", status.state},
                 {"phase", status.phase},
                 {"reason", status.reason},
                 {"pass", status.pass},
                 {"open_ended", status.open_ended},
                 {"pass_percent", finite(status.pass_percent)},
                 {"bytes_per_second", finite(status.bytes_per_second)},
                 {"written_bytes", status.written_bytes},
                 {"verified_bytes", status.verified_bytes},
                 {"active_seconds", finite(status.active_seconds)},
                 {"started", status.started},
                 {"findings", status.findings},
                 {"findings_total", status.findings_total},
                 {"wear", status.wear},
                 {"health", status.health},
                 {"notes", status.notes}};
    put(json, "pass_limit", status.pass_limit);
    if (status.eta_seconds && std::isfinite(*status.eta_seconds)) json["eta_seconds"] = *status.eta_seconds;
    put(json, "rating_bytes", status.rating_bytes);
    return json;
}

Json json_of(const DriveStatus& drive) {
    Json json = {{"key", drive.key},
                 {"path", drive.path},
                 {"by_id", drive.by_id},
                 {"model", drive.model},
                 {"serial", drive.serial},
                 {"firmware", drive.firmware},
                 {"transport", drive.transport},
                 {"capacity_bytes", drive.capacity_bytes},
                 {"logical_block_bytes", drive.logical_block_bytes},
                 {"simulated", drive.simulated},
                 {"written_bytes", drive.written_bytes},
                 {"wear", drive.wear},
                 {"rating_source", drive.rating_source},
                 {"reasons", drive.reasons}};
    put(json, "rating_bytes", drive.rating_bytes);
    put(json, "run", drive.run);
    return json;
}

Json json_of(const ProfileInfo& profile) {
    return {{"name", profile.name}, {"summary", profile.summary}, {"reads_only", profile.reads_only}};
}

template <typename T>
Json array_of(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values)
        array.push_back(json_of(value));
    return array;
}

unsigned status_of(ExitCode code) {
    switch (code) {
        case ExitCode::usage:
            return 400;
        case ExitCode::refused:
            return 403;
        case ExitCode::unreachable:
            return 404;
        case ExitCode::pass:
        case ExitCode::findings:
        case ExitCode::insufficient_data:
            return 500;
    }
    return 500;
}

}  // namespace

std::string to_json(const StartRequest& request) {
    return text_of({{"target", request.target},
                    {"profile", request.profile},
                    {"options", request.options},
                    {"confirm", request.confirm},
                    {"overwrite_signature", request.overwrite_signature}});
}

std::string to_json(const RatingRequest& request) {
    return text_of({{"model", request.model}, {"rating", request.rating}, {"capacity", request.capacity}});
}

std::string to_json(const ConsentInfo& info) {
    return text_of({{"model", info.model},
                    {"serial", info.serial},
                    {"capacity_bytes", info.capacity_bytes},
                    {"type_this", info.type_this},
                    {"reasons", info.reasons}});
}

std::string to_json(const RunStatus& status) {
    return text_of(json_of(status));
}

std::string to_json(const std::vector<DriveStatus>& drives) {
    return text_of({{"drives", array_of(drives)}});
}

std::string to_json(const std::vector<ProfileInfo>& profiles) {
    return text_of({{"profiles", array_of(profiles)}});
}

std::string status_json(const std::vector<RunStatus>& runs, double uptime_seconds) {
    return text_of(
        {{"runs", array_of(runs)}, {"version", version()}, {"uptime_seconds", finite(uptime_seconds)}});
}

std::string target_json(const std::string& target) {
    return text_of({{"target", target}});
}

std::string run_id_json(RunId run) {
    return text_of({{"id", run.value}});
}

Response error_response(const Failure& failure) {
    return {
        status_of(failure.code()),
        text_of({{"error", {{"exit_code", static_cast<int>(failure.code())}, {"message", failure.what()}}}})};
}

}  // namespace wearout::control
