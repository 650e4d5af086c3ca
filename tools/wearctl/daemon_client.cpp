#include "tools/wearctl/daemon_client.h"

#include "control/client.h"

#include <fmt/format.h>

namespace wearout::tools {

namespace {

/// Reads an answer; one that makes no sense is not the user's mistake.
template <typename Read>
auto understood(Read read, const std::string& answer) {
    try {
        return read(answer);
    } catch (const Failure& failure) {
        throw Failure(ExitCode::unreachable,
                      fmt::format("the daemon's answer makes no sense: {}", failure.what()));
    }
}

}  // namespace

std::string DaemonClient::get(const std::string& path) const {
    control::Response response = control::call(socket_, "GET", path);
    control::throw_if_error(response);
    return std::move(response.body);
}

std::string DaemonClient::post(const std::string& path, const std::string& body) const {
    control::Response response = control::call(socket_, "POST", path, body);
    control::throw_if_error(response);
    return std::move(response.body);
}

std::vector<control::RunStatus> DaemonClient::runs() const {
    return understood(control::run_statuses_from, get("/v1/status"));
}

control::RunStatus DaemonClient::run(std::int64_t id) const {
    return understood(control::run_status_from, get(fmt::format("/v1/runs/{}", id)));
}

std::vector<control::DriveStatus> DaemonClient::drives() const {
    return understood(control::drive_statuses_from, get("/v1/drives"));
}

std::vector<control::ProfileInfo> DaemonClient::profiles() const {
    return understood(control::profiles_from, get("/v1/profiles"));
}

control::ConsentInfo DaemonClient::consent(const std::string& target) const {
    return understood(control::consent_info_from, post("/v1/consent", control::target_json(target)));
}

RunId DaemonClient::start(const control::StartRequest& request) const {
    return understood(control::run_id_from, post("/v1/runs", control::to_json(request)));
}

control::RunStatus DaemonClient::order(std::int64_t run, std::string_view order) const {
    return understood(control::run_status_from, post(fmt::format("/v1/runs/{}/{}", run, order), {}));
}

void DaemonClient::acknowledge(std::uint64_t alert) const {
    (void)post(fmt::format("/v1/alerts/{}/ack", alert), {});
}

void DaemonClient::set_rating(const control::RatingRequest& request) const {
    (void)post("/v1/ratings", control::to_json(request));
}

void DaemonClient::unset_rating(const control::RatingRequest& request) const {
    (void)post("/v1/ratings/unset", control::to_json(request));
}

}  // namespace wearout::tools
