#pragma once

#include "service/smart_devices.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace wearout::service {

/// What the daemon is told from outside. Command line over configuration file over default.
struct Config {
    std::string state_dir = "/var/lib/wearout";
    std::string socket = "/run/wearout/control.sock";
    std::string log_level = "info";
    std::chrono::milliseconds sample_interval = std::chrono::minutes(5);
    std::chrono::milliseconds checkpoint_interval = std::chrono::seconds(5);
    std::string smartctl = "smartctl";
    std::chrono::milliseconds smartctl_timeout = std::chrono::minutes(2);
    std::vector<SmartDevice> smart_devices{};  ///< Each of another drive.

    [[nodiscard]] std::string database() const { return state_dir + "/wearout.db"; }
};

struct CommandLine {
    Config config;
    bool check_config = false;
    /// Help or version text to print instead of running.
    std::optional<std::string> print_and_exit;
};

/// Reads the arguments, then `/etc/wearout/wearoutd.conf` and `wearoutd.conf.d/*.conf` beside it in the order
/// of their names (or only the file given by --config, which must be there). A file is lines of "key =
/// value"; '#' begins a comment line. Throws a Failure (usage): one line that names file, line and key.
[[nodiscard]] CommandLine read_command_line(const std::vector<std::string>& arguments);

/// Reads one configuration file into `config`.
void read_config_file(const std::string& path, Config& config);

}  // namespace wearout::service
