#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace wearout {

/// Exit codes of wearctl and wearoutd. Scripts rely on them: never renumber.
enum class ExitCode {
    pass = 0,
    findings = 1,
    usage = 2,
    refused = 3,
    unreachable = 4,
    insufficient_data = 5,
};

/// What stops an operation for good: one line for the user, who is told what is wrong and what to do, and the
/// exit code that a command ends with. I/O errors of the drive under test are never thrown; they are
/// measurements.
class Failure : public std::runtime_error {
  public:
    Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// Facts could not be made durable now (disk full, database busy or gone). What waits on them tries again
/// later.
class StorageUnavailable : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A Failure that is a wrong argument.
[[nodiscard]] inline Failure usage_error(const std::string& message) {
    return {ExitCode::usage, message};
}

/// "what: No such file or directory", from errno.
[[nodiscard]] std::string errno_text(const std::string& what, int error = errno);

/// Throws a Failure with `errno_text`.
[[noreturn]] void throw_errno(const std::string& what, ExitCode code = ExitCode::unreachable);

}  // namespace wearout
