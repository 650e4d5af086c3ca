#include "health/child.h"

#include "base/clock.h"
#include "base/error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

// glibc 2.36 forgets to say that this header is C.
extern "C" {
#include <sys/pidfd.h>
}

namespace wearout::health {
namespace {

struct Pipe {
    Fd read;
    Fd write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
    Pipe pipe{Fd(ends[0]), Fd(ends[1])};
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) throw_errno("pipe");
    return pipe;
}

void check(int error, const char* what) {
    if (error != 0) throw Failure(ExitCode::unreachable, errno_text(what, error));
}

/// The attributes and file actions of posix_spawn(3).
class SpawnPlan {
  public:
    SpawnPlan(int output, int errors) {
        check(::posix_spawn_file_actions_init(&actions_), "posix_spawn");
        check(::posix_spawnattr_init(&attributes_), "posix_spawn");
        check(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
              "posix_spawn");
        check(::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO), "posix_spawn");
        check(::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO), "posix_spawn");
        check(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1), "posix_spawn");
        sigset_t all;
        sigset_t none;
        ::sigfillset(&all);
        ::sigemptyset(&none);
        check(::posix_spawnattr_setsigdefault(&attributes_, &all), "posix_spawn");
        check(::posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawn");
        check(::posix_spawnattr_setpgroup(&attributes_, 0), "posix_spawn");
        check(::posix_spawnattr_setflags(
                  &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
              "posix_spawn");
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    [[nodiscard]] ChildProcess run(const std::string& path, std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), path);
        std::vector<char*> argv;
        argv.reserve(arguments.size() + 1);
        for (auto& argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        std::string locale = "LC_ALL=C";
        std::string search = std::string("PATH=") + system_path;
        std::array<char*, 3> environment{locale.data(), search.data(), nullptr};
        pid_t pid = 0;
        check(::posix_spawn(&pid, path.c_str(), &actions_, &attributes_, argv.data(), environment.data()),
              path.c_str());
        Fd pidfd(::pidfd_open(pid, 0));
        if (!pidfd) {
            const int error = errno;
            ::kill(-pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
            check(error, "pidfd_open");
        }
        return {pid, std::move(pidfd)};
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

/// One of the child's streams: collects up to a limit, and drops the rest.
class Collector {
  public:
    Collector(Fd fd, std::size_t limit) : fd_(std::move(fd)), limit_(limit) {}
    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] bool overflowed() const { return overflowed_; }
    std::string take() { return std::move(text_); }

    /// Reads what is there, at most a few blocks, so that a flood does not keep its reader from the clock.
    void drain() {
        std::array<char, 65536> block;
        for (int rounds = 0; rounds < 16 && fd_; ++rounds) {
            const auto count = ::read(fd_.get(), block.data(), block.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0 && errno == EAGAIN) return;
            if (count <= 0) return fd_.reset();
            const auto room = limit_ - text_.size();
            overflowed_ = overflowed_ || static_cast<std::size_t>(count) > room;
            text_.append(block.data(), std::min(room, static_cast<std::size_t>(count)));
        }
    }

  private:
    Fd fd_;
    std::size_t limit_;
    std::string text_;
    bool overflowed_ = false;
};

std::chrono::milliseconds until(SteadyTime deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - system_clock().steady());
    return std::max(left, std::chrono::milliseconds(0));
}

/// Reads until the child has ended, or must be ended: then says why.
std::optional<ChildEnd> watch(const ChildProcess& child, Collector& output, Collector& errors,
                              const ChildLimits& limits, int stop_fd) {
    const auto deadline = system_clock().steady() + limits.timeout;
    for (;;) {
        std::array<pollfd, 4> waits{{{output.fd(), POLLIN, 0},
                                     {errors.fd(), POLLIN, 0},
                                     {child.pidfd(), POLLIN, 0},
                                     {stop_fd, POLLIN, 0}}};
        const auto left = until(deadline);
        if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
            throw_errno("poll");
        output.drain();
        errors.drain();
        if (output.overflowed()) return ChildEnd::flooded;
        if ((waits[2].revents & POLLIN) != 0) {
            output.drain();
            return output.overflowed() ? std::optional(ChildEnd::flooded) : std::nullopt;
        }
        if ((waits[3].revents & POLLIN) != 0) return ChildEnd::told_to_stop;
        if (left.count() == 0) return ChildEnd::timed_out;
    }
}

}  // namespace

std::optional<int> ChildProcess::reap(std::chrono::milliseconds patience) {
    const auto deadline = system_clock().steady() + patience;
    for (;;) {
        int status = 0;
        const auto ended = ::waitpid(pid_, &status, WNOHANG);
        if (ended == pid_) return status;
        if (ended < 0 && errno == ECHILD) return 0;
        const auto left = until(deadline);
        if (left.count() == 0) return std::nullopt;
        pollfd wait{pidfd_.get(), POLLIN, 0};
        ::poll(&wait, 1, static_cast<int>(left.count()));
    }
}

ChildResult run_child(const std::string& path, const std::vector<std::string>& arguments,
                      const ChildLimits& limits, const std::stop_token& stop) {
    auto output_pipe = make_pipe();
    auto error_pipe = make_pipe();
    Fd stop_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!stop_fd) throw_errno("eventfd");
    const std::stop_callback wake(stop, [&] { (void)::eventfd_write(stop_fd.get(), 1); });

    auto child = SpawnPlan(output_pipe.write.get(), error_pipe.write.get()).run(path, arguments);
    output_pipe.write.reset();
    error_pipe.write.reset();
    Collector output(std::move(output_pipe.read), limits.output_bytes);
    Collector errors(std::move(error_pipe.read), limits.error_bytes);

    const auto killed = watch(child, output, errors, limits, stop_fd.get());
    // Its group as well when it has ended by itself: what it has started must not outlive it. The number is
    // still its own, since it is not reaped yet.
    ::kill(-child.pid(), limits.kill_signal);
    const auto status = child.reap(limits.grace);
    ChildResult result;
    result.output = output.take();
    result.errors = errors.take();
    if (killed)
        result.end = *killed;
    else if (status && WIFSIGNALED(*status))
        result.end = ChildEnd::signalled;
    if (status) result.status = WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status);
    if (!status) result.survivor = std::move(child);
    return result;
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
    std::string_view folders = system_path;
    while (!folders.empty()) {
        const auto length = folders.find(':');
        auto path = std::string(folders.substr(0, length)) + "/" + name;
        if (::access(path.c_str(), X_OK) == 0) return path;
        folders.remove_prefix(length == std::string_view::npos ? folders.size() : length + 1);
    }
    return {};
}

}  // namespace wearout::health
