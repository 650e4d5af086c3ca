#include "service/daemon.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/version.h"
#include "block/udev_monitor.h"
#include "control/server.h"
#include "service/log.h"
#include "service/routes.h"
#include "service/supervisor.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

namespace wearout::service {

namespace {

using namespace std::chrono_literals;

/// How long a SIGTERM may take; a drive that hangs longer is left to the kernel.
constexpr auto rest_timeout = 20s;
/// How long a request that is being answered may take then.
constexpr auto answer_timeout = 2s;

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, signal);
    return set;
}

/// Waits for a signal, at most for `timeout`; 0 when none came.
int wait_for_signal(std::chrono::milliseconds timeout) {
    const sigset_t set = stop_signals();
    const timespec limit{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
    const int signal = sigtimedwait(&set, nullptr, &limit);
    return signal < 0 ? 0 : signal;
}

void make_folder(const std::string& path, std::filesystem::perms perms) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(path, error);
    if (error) throw Failure(ExitCode::unreachable, fmt::format("{}: {}", path, error.message()));
    if (made) std::filesystem::permissions(path, perms, error);
}

std::chrono::milliseconds watchdog_interval() {
    std::uint64_t microseconds = 0;
    if (sd_watchdog_enabled(0, &microseconds) <= 0) return 1s;
    return std::clamp(std::chrono::milliseconds(microseconds / 3000), 10ms, 1000ms);
}

/// Null where drives that come and go can't be listened for; runs then look for theirs by themselves.
std::unique_ptr<block::UdevMonitor> listen_for_drives() {
    try {
        return std::make_unique<block::UdevMonitor>();
    } catch (const Failure& failure) {
        log(LogLevel::warning, fmt::format("drives that come back are noticed late: {}", failure.what()));
        return nullptr;
    }
}

/// Takes what has come since the last time. A burst beyond the bound is left for the next time.
bool any_drive_event(block::UdevMonitor& monitor) {
    bool any = false;
    for (int i = 0; i < 64; ++i)
        if (monitor.next(0ms)) any = true;
    return any;
}

std::string program_path() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

}  // namespace

void block_signals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A client that goes away in the middle of an answer is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
}

int run_daemon(const Config& config) {
    using std::filesystem::perms;
    make_folder(config.state_dir, perms::owner_all | perms::group_read | perms::group_exec);
    make_folder(std::filesystem::path(config.socket).parent_path().string(),
                perms::owner_all | perms::group_read | perms::group_exec);
    store::Store store(config.database(), store::OpenMode::read_write);
    Clock& clock = system_clock();
    Supervisor supervisor({config, store, clock, {config.state_dir, config.database(), program_path()}});

    const auto began = clock.steady();
    const auto uptime = [&] {
        return std::chrono::duration_cast<std::chrono::seconds>(clock.steady() - began);
    };
    const std::size_t resumed = supervisor.resume_all();
    control::Server server(config.socket, [&](const control::Request& request) {
        return answer(supervisor, uptime(), request);
    });
    log(LogLevel::info, fmt::format("wearoutd {} listens on {}, database {}, {} runs go on", version(),
                                    config.socket, config.database(), resumed));
    sd_notify(0, "READY=1");

    const auto interval = watchdog_interval();
    const auto monitor = listen_for_drives();
    bool drives_changed = false;
    int signal = 0;
    while ((signal = wait_for_signal(interval)) == 0) {
        if (monitor && any_drive_event(*monitor)) drives_changed = true;
        if (drives_changed) drives_changed = !supervisor.drives_changed();
        sd_notifyf(0, "WATCHDOG=1\nSTATUS=%s", supervisor.summary().c_str());
    }

    log(LogLevel::info, fmt::format("{}: coming to rest", signal == SIGTERM ? "SIGTERM" : "interrupted"));
    sd_notify(0, "STOPPING=1\nSTATUS=coming to rest");
    const bool answered = server.come_to_rest(answer_timeout);
    if (supervisor.come_to_rest(rest_timeout) && answered) return 0;
    // Threads that hang in the kernel can't be joined; what is durable is durable.
    std::_Exit(static_cast<int>(ExitCode::unreachable));
}

}  // namespace wearout::service
