#include "tools/wearctl/select.h"

#include "facts/run_state.h"
#include "tools/wearctl/text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace wearout::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view by_id_folder = "/dev/disk/by-id/";

std::string without_options(const std::string& target) {
    return target.substr(0, target.find('?'));
}

std::string resolved(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

bool over(const control::RunStatus& run) {
    const auto state = run_state_names.find(run.state);
    return state && is_over(*state);
}

bool names_by_id(const std::string& text, const std::string& by_id) {
    return !by_id.empty() && (text == by_id || text == std::string(by_id_folder) + by_id);
}

/// The keys of the drives that the daemon lists under this text.
std::set<std::string> keys_of(const DaemonClient& daemon, const std::string& text) {
    std::set<std::string> keys;
    const std::string real = resolved(text);
    for (const auto& drive : daemon.drives())
        if (names_by_id(text, drive.by_id) || (!drive.path.empty() && real == drive.path))
            keys.insert(drive.key);
    return keys;
}

Failure ambiguous(const std::string& text, const std::vector<control::RunStatus>& runs) {
    std::string list;
    for (const auto& run : runs)
        list += fmt::format("{}{} on {}", list.empty() ? "" : ", ", run.id, run.drive_key);
    return usage_error(fmt::format("'{}' fits more than one drive; name the run: {}", text, list));
}

}  // namespace

std::optional<std::int64_t> as_run_id(std::string_view text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size() || id < 0) return std::nullopt;
    return id;
}

std::string absolute_target(const std::string& target) {
    constexpr std::string_view file = "file:";
    if (target.empty() || target.starts_with("sim:")) return target;
    const bool prefixed = target.starts_with(file);
    const std::string rest = prefixed ? target.substr(file.size()) : target;
    if (rest.empty() || rest.starts_with('/')) return target;
    return (prefixed ? std::string(file) : std::string()) + (fs::current_path() / rest).string();
}

control::RunStatus find_run(const DaemonClient& daemon, const std::string& text, bool also_over) {
    const auto all = daemon.runs();
    if (const auto id = as_run_id(text)) {
        for (const auto& run : all)
            if (run.id == *id) return run;
        if (std::none_of(all.begin(), all.end(), [&](const auto& run) { return run.serial == text; }))
            return daemon.run(*id);
    }
    const std::string target = absolute_target(text);
    const auto fits = [&](const control::RunStatus& run) {
        return text == run.drive_key || text == run.serial || target == run.target ||
               without_options(target) == without_options(run.target);
    };
    const bool any = std::any_of(all.begin(), all.end(), fits);
    const std::set<std::string> keys = any ? std::set<std::string>() : keys_of(daemon, text);
    std::vector<control::RunStatus> found;
    std::set<std::string> drives;
    for (const auto& run : all)
        if ((fits(run) || keys.contains(run.drive_key)) && (also_over || !over(run))) {
            found.push_back(run);
            drives.insert(run.drive_key);
        }
    if (found.empty())
        throw Failure(ExitCode::unreachable,
                      fmt::format("no run {} for '{}'; 'wearctl status' lists the runs",
                                  also_over ? "is known" : "is going on", text));
    if (drives.size() > 1) throw ambiguous(text, found);
    return *std::max_element(found.begin(), found.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; });
}

bool names_drive(const std::string& text, const Drive& drive) {
    if (text.empty()) return false;
    if (text == drive.key || text == drive.serial || text == drive.wwn || names_by_id(text, drive.by_id))
        return true;
    const std::string target = without_options(absolute_target(text));
    if (target == drive.key || "file:" + target == drive.key || "file:" + resolved(target) == drive.key)
        return true;
    if (drive.by_id.empty() || !text.starts_with('/')) return false;
    std::error_code error;
    return fs::equivalent(text, std::string(by_id_folder) + drive.by_id, error) && !error;
}

}  // namespace wearout::tools
