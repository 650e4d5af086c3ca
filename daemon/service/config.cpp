#include "service/config.h"

#include "base/error.h"
#include "base/quantity.h"
#include "base/version.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

#include <boost/program_options.hpp>
#include <fmt/format.h>

namespace wearout::service {

namespace {

namespace po = boost::program_options;
constexpr std::string_view default_file = "/etc/wearout/wearoutd.conf";
/// A configuration is a few lines; what is larger is the wrong file.
constexpr std::uintmax_t max_file_bytes = 1U << 20U;

std::string absolute_path(std::string_view text, std::string_view what) {
    if (text.empty() || text.front() != '/')
        throw usage_error(fmt::format("{}: '{}' is not an absolute path", what, text));
    return std::string(text);
}

std::chrono::milliseconds duration_between(std::string_view text, std::string_view what,
                                           std::chrono::milliseconds min, std::chrono::milliseconds max) {
    const auto value = parse_duration(text, what);
    if (value < min || value > max)
        throw usage_error(fmt::format("{}: '{}' is not between {} and {}", what, text, format_duration(min),
                                      format_duration(max)));
    return value;
}

struct Setting {
    const char* name;
    const char* help;
    void (*set)(Config&, std::string_view value, std::string_view what);
};

using namespace std::chrono_literals;

constexpr std::array settings = {
    Setting{
        "state-dir", "folder of the database and of simulated drives (default /var/lib/wearout)",
        [](Config& c, std::string_view v, std::string_view what) { c.state_dir = absolute_path(v, what); }},
    Setting{"socket", "control socket (default /run/wearout/control.sock)",
            [](Config& c, std::string_view v, std::string_view what) { c.socket = absolute_path(v, what); }},
    Setting{"log-level", "debug, info, warning or error (default info)",
            [](Config& c, std::string_view v, std::string_view what) {
                constexpr std::array<std::string_view, 4> levels = {"debug", "info", "warning", "error"};
                if (std::ranges::find(levels, v) == levels.end())
                    throw usage_error(
                        fmt::format("{}: '{}' is none of debug, info, warning, error", what, v));
                c.log_level = v;
            }},
    Setting{"sample-interval", "time between two readings of the wear counters, 1s to 7d (default 5m)",
            [](Config& c, std::string_view v, std::string_view what) {
                c.sample_interval = duration_between(v, what, 1s, 168h);
            }},
    Setting{"checkpoint-interval",
            "time between two flushes of the drive with a checkpoint, 100ms to 10m (default 5s)",
            [](Config& c, std::string_view v, std::string_view what) {
                c.checkpoint_interval = duration_between(v, what, 100ms, 10min);
            }},
    Setting{"smartctl", "the smartctl program, by name or absolute path (default smartctl)",
            [](Config& c, std::string_view v, std::string_view what) {
                if (v.empty() || (v.front() != '/' && v.find('/') != std::string_view::npos))
                    throw usage_error(
                        fmt::format("{}: '{}' is neither a name nor an absolute path", what, v));
                c.smartctl = v;
            }},
    Setting{"smartctl-timeout", "when a smartctl that does not end is killed, 1s to 1h (default 2m)",
            [](Config& c, std::string_view v, std::string_view what) {
                c.smartctl_timeout = duration_between(v, what, 1s, 1h);
            }},
    Setting{
        "smart-device",
        "DRIVE DEVICE TYPE [SERIAL]: how smartctl is to ask a drive behind a RAID controller or a bridge; "
        "once for each such drive",
        [](Config& c, std::string_view v, std::string_view what) {
            auto device = parse_smart_device(v, what);
            for (const auto& other : c.smart_devices)
                if (other.drive == device.drive)
                    throw usage_error(fmt::format("{}: '{}' is named twice", what, device.drive));
            c.smart_devices.push_back(std::move(device));
        }},
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void read_default_files(Config& config) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::exists(default_file, ignored)) read_config_file(std::string(default_file), config);
    std::vector<std::string> parts;
    for (fs::directory_iterator it(std::string(default_file) + ".d", ignored), end; it != end;
         it.increment(ignored))
        if (it->path().extension() == ".conf") parts.push_back(it->path().string());
    std::ranges::sort(parts);
    for (const auto& part : parts)
        read_config_file(part, config);
}

po::options_description option_table() {
    po::options_description table("Options");
    auto add = table.add_options();
    add("config", po::value<std::string>(),
        "configuration file, instead of /etc/wearout/wearoutd.conf and its .d folder");
    for (const auto& setting : settings)
        add(setting.name, po::value<std::string>(), setting.help);
    add("check-config", "read the configuration, say what is wrong with it, and end");
    add("version", "print the version and end");
    add("help,h", "print this and end");
    return table;
}

std::string help_text(const po::options_description& table) {
    std::ostringstream text;
    text << "usage: wearoutd [OPTION]…\n"
            "Writes and verifies drives until told to stop, and keeps their wear in a database.\n"
            "Controlled through its socket; see wearctl --help.\n\n"
         << table;
    return text.str();
}

}  // namespace

void read_config_file(const std::string& path, Config& config) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    std::ifstream file(path);
    if (error || !file)
        throw usage_error(fmt::format("{}: cannot be read{}{}", path, error ? ": " : "", error.message()));
    if (size > max_file_bytes) throw usage_error(fmt::format("{}: too large for a configuration file", path));

    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::string_view text = trimmed(line);
        if (text.empty() || text.front() == '#') continue;
        const auto equals = text.find('=');
        if (equals == std::string_view::npos)
            throw usage_error(fmt::format("{}:{}: '{}' is not of the form key = value", path, number, text));
        const auto key = trimmed(text.substr(0, equals));
        const auto* const setting =
            std::ranges::find(settings, key, [](const Setting& s) { return std::string_view(s.name); });
        if (setting == settings.end())
            throw usage_error(fmt::format("{}:{}: unknown key '{}'; see wearoutd --help", path, number, key));
        setting->set(config, trimmed(text.substr(equals + 1)), fmt::format("{}:{}: {}", path, number, key));
    }
    if (file.bad()) throw usage_error(fmt::format("{}: cannot be read to its end", path));
}

CommandLine read_command_line(const std::vector<std::string>& arguments) {
    const auto table = option_table();
    po::variables_map given;
    try {
        const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
        po::store(po::command_line_parser(arguments).options(table).style(style).positional({}).run(), given);
    } catch (const po::error& error) {
        throw usage_error(fmt::format("{}; see wearoutd --help", error.what()));
    }
    CommandLine result;
    if (given.contains("help")) result.print_and_exit = help_text(table);
    if (given.contains("version")) result.print_and_exit = fmt::format("wearoutd {}\n", version());
    if (result.print_and_exit) return result;

    if (given.contains("config")) {
        read_config_file(given["config"].as<std::string>(), result.config);
    } else {
        read_default_files(result.config);
    }
    for (const auto& setting : settings)
        if (given.contains(setting.name))
            setting.set(result.config, given[setting.name].as<std::string>(),
                        std::string("--") + setting.name);
    result.check_config = given.contains("check-config");
    return result;
}

}  // namespace wearout::service
