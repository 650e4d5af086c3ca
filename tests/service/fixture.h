#pragma once

#include "base/clock.h"
#include "service/supervisor.h"
#include "support/scratch_dir.h"

#include <chrono>
#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace wearout::test {

/// A supervisor over a state folder of its own.
struct Service {
    ScratchDir folder;
    service::Config config = [this] {
        service::Config made;
        made.state_dir = folder.path();
        made.smartctl = "/bin/false";
        made.checkpoint_interval = std::chrono::milliseconds(200);
        return made;
    }();
    store::Store store{config.database(), store::OpenMode::read_write};
    service::Supervisor supervisor{{config, store, system_clock(), {config.database()}}};

    RunId start(const std::string& target, const std::string& profile,
                const std::map<std::string, std::string>& options = {}, const std::string& confirm = {}) {
        control::StartRequest request;
        request.target = target;
        request.profile = profile;
        request.options = options;
        request.confirm = confirm;
        return supervisor.start(request);
    }

    control::RunStatus wait_for(RunId run, const std::string& state) {
        control::RunStatus status = supervisor.status(run);
        for (int i = 0; i < 2000 && status.state != state; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            status = supervisor.status(run);
        }
        CHECK(status.state == state);
        return status;
    }
};

}  // namespace wearout::test
