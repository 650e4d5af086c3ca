#pragma once

#include <string>
#include <utility>

namespace wearout {

/// Owns a file descriptor. Move-only; closing never throws.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) noexcept : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    /// open(2) with O_CLOEXEC. Throws a Failure (unreachable) that names the path.
    [[nodiscard]] static Fd open(const std::string& path, int flags, unsigned mode = 0600);

    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    void reset(int fd = -1) noexcept;

  private:
    int fd_ = -1;
};

}  // namespace wearout
