#pragma once

#include "base/fd.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wearout::health {

struct ChildLimits {
    std::chrono::milliseconds timeout{120'000};
    /// How long the kernel gets to end it after it was killed.
    std::chrono::milliseconds grace{2'000};
    std::size_t output_bytes = std::size_t{8} << 20U;
    std::size_t error_bytes = std::size_t{64} << 10U;  ///< More is read and dropped.
    /// What ends it. A test can't make a process that SIGKILL does not end, as one that hangs in the kernel.
    int kill_signal = SIGKILL;
};

/// A process of ours; its number is not given to another as long as it is not reaped. Move-only.
class ChildProcess {
  public:
    ChildProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Readable when it has ended.
    [[nodiscard]] int pidfd() const { return pidfd_.get(); }
    /// Its wait status when it has ended within that time; it is then reaped.
    [[nodiscard]] std::optional<int> reap(std::chrono::milliseconds patience);

  private:
    pid_t pid_;
    Fd pidfd_;
};

enum class ChildEnd {
    exited,       ///< `status` is its exit code.
    signalled,    ///< By somebody else; `status` is the signal.
    timed_out,    ///< Killed.
    flooded,      ///< Killed, having written more than `output_bytes`.
    told_to_stop  ///< Killed, by the stop token.
};

struct ChildResult {
    ChildEnd end = ChildEnd::exited;
    int status = 0;
    std::string output;
    std::string errors;
    std::optional<ChildProcess> survivor;  ///< It was killed and lives on.
};

/// Runs a program, without a shell, in a process group of its own, with /dev/null as its input, no other
/// descriptor of ours, all signals at their defaults and the C locale as its whole environment beside PATH.
/// What it leaves running in its group is killed. Throws a Failure (unreachable) when it can't be started.
[[nodiscard]] ChildResult run_child(const std::string& path, const std::vector<std::string>& arguments,
                                    const ChildLimits& limits, const std::stop_token& stop);

/// Where a system administrator's programs are; also the child's PATH.
inline constexpr const char* system_path = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin";

/// A program by its path, or by its name in `system_path`. Empty: there is none that can be run.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace wearout::health
