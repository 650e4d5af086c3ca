#pragma once

#include "base/fd.h"

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace wearout::test {

inline sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    return address;
}

/// A client without manners: sends any bytes, and reads until the other side closes.
class RawSocket {
  public:
    explicit RawSocket(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_un address = address_of(path);
        REQUIRE(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    /// How many bytes the other side took before it closed.
    std::size_t send(std::string_view bytes) {
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const auto n = ::send(fd_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            sent += static_cast<std::size_t>(n);
        }
        return sent;
    }
    /// Waits, without taking anything, for the other side to close.
    bool is_closed_within(std::chrono::milliseconds time) {
        pollfd waiting{fd_.get(), 0, 0};
        return ::poll(&waiting, 1, static_cast<int>(time.count())) == 1 && (waiting.revents & POLLHUP) != 0;
    }
    void end_of_sending() { ::shutdown(fd_.get(), SHUT_WR); }
    /// What comes until the other side closes; at most 20 s.
    std::string receive_all() {
        std::string all;
        char part[4096];
        while (true) {
            pollfd waiting{fd_.get(), POLLIN, 0};
            REQUIRE(::poll(&waiting, 1, 20'000) == 1);
            const auto n = ::recv(fd_.get(), part, sizeof part, 0);
            if (n <= 0) return all;
            all.append(part, static_cast<std::size_t>(n));
        }
    }
    /// What comes until `ending` does.
    std::string receive_until(std::string_view ending) {
        std::string all;
        char one = 0;
        while (!all.ends_with(ending) && ::recv(fd_.get(), &one, 1, 0) == 1)
            all += one;
        return all;
    }

  private:
    Fd fd_;
};

}  // namespace wearout::test
