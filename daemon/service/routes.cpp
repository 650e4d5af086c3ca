#include "service/routes.h"

#include "base/error.h"
#include "base/quantity.h"
#include "control/api.h"
#include "workload/profile.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace wearout::service {

namespace {

std::vector<std::string_view> path_parts(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const auto slash = path.find('/');
        if (slash != 0) parts.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
    }
    return parts;
}

std::int64_t number(std::string_view text, std::string_view what) {
    return static_cast<std::int64_t>(parse_uint(text, what, 1, INT64_MAX));
}

std::optional<control::Response> get(Supervisor& supervisor, std::chrono::seconds uptime,
                                     const std::vector<std::string_view>& parts) {
    const auto count = parts.size();
    if (count == 2 && parts[1] == "status")
        return control::Response{
            200, control::status_json(supervisor.statuses(), static_cast<double>(uptime.count()))};
    if (count == 2 && parts[1] == "drives")
        return control::Response{200, control::to_json(supervisor.drives())};
    if (count == 2 && parts[1] == "profiles") {
        std::vector<control::ProfileInfo> infos;
        for (const auto& profile : workload::profiles())
            infos.push_back({std::string(profile.name), std::string(profile.summary), profile.reads_only});
        return control::Response{200, control::to_json(infos)};
    }
    if (count == 3 && parts[1] == "runs")
        return control::Response{200, control::to_json(supervisor.status({number(parts[2], "run")}))};
    return std::nullopt;
}

std::optional<Session::Order> order_named(std::string_view name) {
    if (name == "pause") return Session::Order::pause;
    if (name == "resume") return Session::Order::resume;
    if (name == "stop") return Session::Order::stop;
    return std::nullopt;
}

std::optional<control::Response> post(Supervisor& supervisor, const std::vector<std::string_view>& parts,
                                      const std::string& body) {
    const auto count = parts.size();
    if (count == 2 && parts[1] == "consent")
        return control::Response{200, control::to_json(supervisor.consent(control::target_from(body)))};
    if (count == 2 && parts[1] == "runs") {
        const RunId id = supervisor.start(control::start_request_from(body));
        return control::Response{201, fmt::format("{{\"id\":{}}}", id.value)};
    }
    if (count == 4 && parts[1] == "runs")
        if (const auto order = order_named(parts[3]))
            return control::Response{200,
                                     control::to_json(supervisor.order({number(parts[2], "run")}, *order))};
    if (count == 4 && parts[1] == "alerts" && parts[3] == "ack") {
        supervisor.acknowledge_alert(number(parts[2], "alert"));
        return control::Response{200, "{}"};
    }
    if (count == 2 && parts[1] == "ratings") {
        supervisor.set_rating(control::rating_request_from(body));
        return control::Response{200, "{}"};
    }
    if (count == 3 && parts[1] == "ratings" && parts[2] == "unset") {
        supervisor.unset_rating(control::rating_request_from(body));
        return control::Response{200, "{}"};
    }
    return std::nullopt;
}

}  // namespace

control::Response answer(Supervisor& supervisor, std::chrono::seconds uptime,
                         const control::Request& request) {
    try {
        const auto parts = path_parts(request.path);
        std::optional<control::Response> response;
        if (!parts.empty() && parts[0] == "v1") {
            if (request.method == "GET") response = get(supervisor, uptime, parts);
            if (request.method == "POST") response = post(supervisor, parts, request.body);
        }
        if (response) return *std::move(response);
        return {404, R"({"error":{"exit_code":2,"message":"no such path; see GET /v1/status"}})"};
    } catch (const Failure& failure) {
        return control::error_response(failure);
    } catch (const std::exception& error) {
        return control::error_response(Failure(ExitCode::unreachable, error.what()));
    }
}

}  // namespace wearout::service
