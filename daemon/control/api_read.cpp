#include "control/api.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::control {

namespace {

using Json = nlohmann::json;

Failure wrong(std::string_view key, std::string_view expected) {
    return usage_error(fmt::format("\"{}\" is not {}", key, expected));
}

void read(const Json& json, std::string_view key, std::string& out) {
    if (!json.is_string()) throw wrong(key, "a string");
    out = json.get<std::string>();
}

void read(const Json& json, std::string_view key, bool& out) {
    if (!json.is_boolean()) throw wrong(key, "true or false");
    out = json.get<bool>();
}

void read(const Json& json, std::string_view key, double& out) {
    if (!json.is_number()) throw wrong(key, "a number");
    out = json.get<double>();
    if (!std::isfinite(out)) throw wrong(key, "a finite number");
}

template <std::unsigned_integral T>
void read(const Json& json, std::string_view key, T& out) {
    constexpr std::uint64_t max = std::numeric_limits<T>::max();
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > max)
        throw wrong(key, fmt::format("a whole number from 0 to {}", max));
    out = json.get<T>();
}

void read(const Json& json, std::string_view key, std::int64_t& out) {
    if (!json.is_number_integer() || (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX))
        throw wrong(key, "a whole number");
    out = json.get<std::int64_t>();
}

template <typename T>
void read(const Json& json, std::string_view key, std::optional<T>& out) {
    read(json, key, out.emplace());
}

template <typename T>
void read(const Json& json, std::string_view key, std::map<std::string, T>& out) {
    if (!json.is_object()) throw wrong(key, "an object");
    for (const auto& [name, value] : json.items())
        read(value, fmt::format("{}.{}", key, name), out[name]);
}

void read(const Json& json, std::string_view key, std::vector<std::string>& out) {
    if (!json.is_array()) throw wrong(key, "a list");
    for (const Json& value : json)
        read(value, key, out.emplace_back());
}

/// Takes one object apart, and knows afterwards whether anything was left over.
class Fields {
  public:
    explicit Fields(const Json& object) : object_(object) {
        if (!object.is_object()) throw usage_error("a JSON object is expected");
    }

    template <typename T>
    Fields& need(std::string_view key, T& out) {
        if (!object_.contains(key)) throw usage_error(fmt::format("\"{}\" is missing", key));
        return may(key, out);
    }
    template <typename T>
    Fields& may(std::string_view key, T& out) {
        known_.push_back(key);
        if (const auto found = object_.find(key); found != object_.end()) read(*found, key, out);
        return *this;
    }
    void nothing_else() const {
        for (const auto& [key, value] : object_.items())
            if (std::find(known_.begin(), known_.end(), key) == known_.end())
                throw usage_error(fmt::format("\"{}\" is not known here", key));
    }

  private:
    const Json& object_;
    std::vector<std::string_view> known_;
};

Json parsed(const std::string& text) {
    try {
        return Json::parse(text);
    } catch (const Json::exception&) {
        throw usage_error("this is no JSON");
    }
}

RunStatus run_status_of(const Json& json) {
    RunStatus status;
    Fields fields(json);
    fields.need("id", status.id).need("state", status.state);
    fields.may("drive_key", status.drive_key).may("model", status.model).may("serial", status.serial);
    fields.may("target", status.target).may("profile", status.profile).may("phase", status.phase);
    fields.may("reason", status.reason).may("pass", status.pass).may("pass_limit", status.pass_limit);
    fields.may("open_ended", status.open_ended)
        .may("pass_percent", status.pass_percent)
        .may("bytes_per_second", status.bytes_per_second);
    fields.may("eta_seconds", status.eta_seconds).may("written_bytes", status.written_bytes);
    fields.may("verified_bytes", status.verified_bytes).may("active_seconds", status.active_seconds);
    fields.may("started", status.started).may("findings", status.findings);
    fields.may("findings_total", status.findings_total).may("wear", status.wear);
    fields.may("health", status.health).may("rating_bytes", status.rating_bytes).may("notes", status.notes);
    fields.nothing_else();
    return status;
}

DriveStatus drive_status_of(const Json& json) {
    DriveStatus drive;
    Fields fields(json);
    fields.need("key", drive.key).may("path", drive.path).may("by_id", drive.by_id);
    fields.may("model", drive.model).may("serial", drive.serial).may("firmware", drive.firmware);
    fields.may("transport", drive.transport).may("capacity_bytes", drive.capacity_bytes);
    fields.may("logical_block_bytes", drive.logical_block_bytes).may("simulated", drive.simulated);
    fields.may("written_bytes", drive.written_bytes).may("wear", drive.wear);
    fields.may("rating_bytes", drive.rating_bytes).may("rating_source", drive.rating_source);
    fields.may("run", drive.run).may("reasons", drive.reasons).nothing_else();
    return drive;
}

ProfileInfo profile_of(const Json& json) {
    ProfileInfo profile;
    Fields fields(json);
    fields.need("name", profile.name).need("summary", profile.summary);
    fields.may("reads_only", profile.reads_only).nothing_else();
    return profile;
}

struct List {
    const Json* values = nullptr;
};

void read(const Json& json, std::string_view key, List& out) {
    if (!json.is_array()) throw wrong(key, "a list");
    out.values = &json;
}

template <typename Read>
auto list_of(const List& list, Read read_one) {
    std::vector<decltype(read_one(*list.values))> values;
    for (const Json& json : *list.values)
        values.push_back(read_one(json));
    return values;
}

}  // namespace

StartRequest start_request_from(const std::string& json) {
    const Json object = parsed(json);
    StartRequest request;
    Fields fields(object);
    fields.need("target", request.target).may("profile", request.profile).may("options", request.options);
    fields.may("confirm", request.confirm).may("overwrite_signature", request.overwrite_signature);
    fields.nothing_else();
    return request;
}

RatingRequest rating_request_from(const std::string& json) {
    const Json object = parsed(json);
    RatingRequest request;
    Fields fields(object);
    fields.need("model", request.model).may("rating", request.rating).may("capacity", request.capacity);
    fields.nothing_else();
    return request;
}

std::string target_from(const std::string& json) {
    const Json object = parsed(json);
    std::string target;
    Fields(object).need("target", target).nothing_else();
    return target;
}

ConsentInfo consent_info_from(const std::string& json) {
    const Json object = parsed(json);
    ConsentInfo info;
    Fields fields(object);
    fields.may("model", info.model).may("serial", info.serial).may("capacity_bytes", info.capacity_bytes);
    fields.need("type_this", info.type_this).may("reasons", info.reasons).nothing_else();
    return info;
}

RunStatus run_status_from(const std::string& json) {
    return run_status_of(parsed(json));
}

std::vector<RunStatus> run_statuses_from(const std::string& json) {
    const Json object = parsed(json);
    List list;
    std::string version;
    double uptime_seconds = 0;
    Fields fields(object);
    fields.need("runs", list).may("version", version).may("uptime_seconds", uptime_seconds);
    fields.nothing_else();
    return list_of(list, run_status_of);
}

std::vector<DriveStatus> drive_statuses_from(const std::string& json) {
    const Json object = parsed(json);
    List list;
    Fields(object).need("drives", list).nothing_else();
    return list_of(list, drive_status_of);
}

std::vector<ProfileInfo> profiles_from(const std::string& json) {
    const Json object = parsed(json);
    List list;
    Fields(object).need("profiles", list).nothing_else();
    return list_of(list, profile_of);
}

RunId run_id_from(const std::string& json) {
    const Json object = parsed(json);
    RunId run;
    Fields(object).need("id", run.value).nothing_else();
    return run;
}

void throw_if_error(const Response& response) {
    if (response.status >= 200 && response.status < 300) return;
    std::int64_t code = 0;
    std::string message;
    try {
        const Json answer = parsed(response.body);
        const Json& error = answer.at("error");
        Fields(error).need("exit_code", code).need("message", message).nothing_else();
    } catch (const std::exception&) {
        code = 0;
    }
    if (code < static_cast<int>(ExitCode::findings) || code > static_cast<int>(ExitCode::insufficient_data))
        throw Failure(
            ExitCode::unreachable,
            fmt::format("the daemon's answer has HTTP status {} and says no more", response.status));
    throw Failure(static_cast<ExitCode>(code), message);
}

}  // namespace wearout::control
