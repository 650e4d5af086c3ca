#pragma once

#include "control/api.h"
#include "control/server.h"
#include "support/scratch_dir.h"

#include <mutex>
#include <string>
#include <vector>

namespace wearout::test {

/// A daemon that says what it is told to, over a real socket, and remembers what it was asked.
class FakeDaemon {
  public:
    std::vector<control::RunStatus> runs;
    std::vector<control::DriveStatus> drives;
    control::ConsentInfo consent{"KINGSTON SHFS37A240G", "50026B7", 240'057'409'536, "50026B7", {}};
    /// How often a run is asked for before it becomes the second value's state.
    int asks_until_over = 0;
    std::string end_state = "finished";

    FakeDaemon() : server_(path_, [this](const control::Request& request) { return answer(request); }) {}

    [[nodiscard]] const std::string& socket() const { return path_; }
    /// "METHOD PATH BODY", in order.
    [[nodiscard]] std::vector<std::string> asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }
    [[nodiscard]] control::StartRequest started() const {
        const std::lock_guard lock(mutex_);
        return started_;
    }

  private:
    control::Response answer(const control::Request& request) {
        const std::lock_guard lock(mutex_);
        asked_.push_back(request.method + " " + request.path + (request.body.empty() ? "" : " ") +
                         request.body);
        if (request.path == "/v1/status") return {200, control::status_json(runs, 1)};
        if (request.path == "/v1/drives") return {200, control::to_json(drives)};
        if (request.path == "/v1/profiles")
            return {200, control::to_json(std::vector<control::ProfileInfo>{
                             {"burn-in", "A few passes, each verified.", false},
                             {"scan", "Reads and verifies what the last run left.", true}})};
        if (request.path == "/v1/consent") return {200, control::to_json(consent)};
        if (request.path == "/v1/runs") return start(request.body);
        if (request.path == "/v1/alerts/3/ack") return {200, "{}"};
        if (request.path.starts_with("/v1/ratings")) {
            if (control::rating_request_from(request.body).rating == "refuse") throw usage_error("no rating");
            return {200, "{}"};
        }
        return of_run(request.path);
    }
    control::Response start(const std::string& body) {
        started_ = control::start_request_from(body);
        if (started_.options.contains("passes") && started_.options.at("passes") == "many")
            throw usage_error("--passes: 'many' is not a whole number of 1 or more");
        if (started_.confirm != consent.type_this && started_.profile != "scan")
            throw Failure(ExitCode::refused, "the serial number is another");
        return {200, control::run_id_json({7})};
    }
    control::Response of_run(const std::string& path) {
        constexpr std::string_view folder = "/v1/runs/";
        for (auto& run : runs) {
            const std::string own = std::string(folder) + std::to_string(run.id);
            if (path == own && asks_until_over-- == 1) run.state = end_state;
            if (path == own + "/pause") run.state = "paused";
            if (path == own + "/resume") run.state = "writing";
            if (path == own + "/stop") run.state = "stopped";
            if (path == own || path.starts_with(own + "/")) return {200, control::to_json(run)};
        }
        throw Failure(ExitCode::unreachable, "there is no " + path);
    }

    ScratchDir dir_;
    std::string path_ = dir_.file("s");
    mutable std::mutex mutex_;
    std::vector<std::string> asked_;
    control::StartRequest started_;
    control::Server server_;
};

inline control::RunStatus example_run() {
    control::RunStatus run;
    run.id = 7;
    run.drive_key = "wwn:50026b7123456789";
    run.model = "KINGSTON SHFS37A240G";
    run.serial = "50026B7";
    run.target = "/dev/disk/by-id/ata-KINGSTON_SHFS37A240G_50026B7";
    run.profile = "burn-in";
    run.state = "writing";
    run.phase = "writing";
    run.pass = 3;
    run.pass_limit = 10;
    run.pass_percent = 62.4;
    run.bytes_per_second = 417e6;
    run.eta_seconds = 7500;
    run.written_bytes = 1'140'000'000'000;
    run.verified_bytes = 720'000'000'000;
    run.active_seconds = 3601;
    run.started = "2026-05-01T14:03:22.000Z";
    run.wear = {{"percentage_used", 12}, {"retired_blocks", 3}, {"temperature_c", 41}};
    run.health = "ok";
    run.rating_bytes = 300'000'000'000'000;
    return run;
}

}  // namespace wearout::test
