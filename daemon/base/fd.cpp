#include "base/fd.h"

#include "base/error.h"

#include <fcntl.h>
#include <unistd.h>

namespace wearout {

Fd Fd::open(const std::string& path, int flags, unsigned mode) {
    int fd = -1;
    do {
        fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) throw_errno(path);
    return Fd(fd);
}

void Fd::reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

}  // namespace wearout
