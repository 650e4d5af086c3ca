#include "block/claim.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>

namespace wearout::block {

Fd claim(const std::string& path, int flags) {
    using namespace std::chrono_literals;
    constexpr auto step = 20ms;
    for (auto waited = 0ms;; waited += step) {
        Fd fd(::open(path.c_str(), flags | O_EXCL | O_CLOEXEC));
        if (fd || errno != EBUSY || waited >= 300ms) return fd;
        std::this_thread::sleep_for(step);
    }
}

}  // namespace wearout::block
