#include "control/client.h"

#include "base/error.h"
#include "control/raw_socket.h"
#include "support/scratch_dir.h"

#include <fstream>
#include <functional>
#include <thread>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::control;
using namespace wearout::test;
using namespace std::chrono_literals;

namespace {

/// Listens, and does with the first client what it is told.
class FakeDaemon {
  public:
    FakeDaemon(const std::string& path, std::function<void(int)> serve)
        : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_un address = address_of(path);
        REQUIRE(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener_.get(), 8) == 0);
        thread_ = std::thread([this, serve = std::move(serve)] {
            const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            serve(client.get());
        });
    }
    ~FakeDaemon() { thread_.join(); }
    FakeDaemon(const FakeDaemon&) = delete;
    FakeDaemon& operator=(const FakeDaemon&) = delete;

  private:
    Fd listener_;
    std::thread thread_;
};

void say(int fd, std::string_view text) {
    (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

void read_request(int fd) {
    char bytes[4096];
    (void)::recv(fd, bytes, sizeof bytes, 0);
}

/// The line that a call ends with; it must be a Failure (unreachable) that names the socket.
std::string unreachable(const std::string& path) {
    try {
        (void)call(path, "GET", "/", {}, 500ms);
    } catch (const Failure& failure) {
        const std::string line = failure.what();
        CHECK(failure.code() == ExitCode::unreachable);
        CHECK(line.starts_with(path + ": "));
        CHECK(line.find('\n') == std::string::npos);
        return line.substr(path.size() + 2);
    }
    return "answered";
}

}  // namespace

TEST_CASE("no daemon is one clear line") {
    const ScratchDir dir;
    const std::string nobody = "no daemon answers here; is wearoutd running?";
    CHECK(unreachable(dir.file("none")) == nobody);
    const auto stale = dir.file("stale");
    {
        const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_un address = address_of(stale);
        REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    CHECK(unreachable(stale) == nobody);
    std::ofstream(dir.file("file")) << "x";
    CHECK(unreachable(dir.file("file")) == nobody);
    CHECK_THROWS_AS((void)call(dir.file(std::string(200, 'x')), "GET", "/"), Failure);
}

TEST_CASE("a daemon that hangs, hangs up or talks nonsense is unreachable") {
    const ScratchDir dir;
    {
        const auto path = dir.file("hangs");
        const FakeDaemon daemon(path, [](int fd) {
            read_request(fd);
            read_request(fd);  // Until the client gives up.
        });
        CHECK(unreachable(path) == "the daemon does not answer in time");
    }
    {
        const auto path = dir.file("hangs-up");
        const FakeDaemon daemon(path, read_request);
        CHECK(unreachable(path) == "the daemon closed the connection before it answered");
    }
    {
        const auto path = dir.file("half");
        const FakeDaemon daemon(path, [](int fd) {
            read_request(fd);
            say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        });
        CHECK(unreachable(path) == "the daemon closed the connection before it answered");
    }
    {
        const auto path = dir.file("nonsense");
        const FakeDaemon daemon(path, [](int fd) {
            read_request(fd);
            say(fd, "220 mail.example ESMTP\r\n\r\n");
        });
        CHECK(unreachable(path) != "answered");
    }
}

TEST_CASE("an answer that comes before the request is read whole is heard") {
    const ScratchDir dir;
    const auto path = dir.file("early");
    const FakeDaemon daemon(path, [](int fd) {
        say(fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
    });
    const Response response = call(path, "POST", "/", std::string(4U << 20U, 'x'), 5s);
    CHECK(response.status == 413);
    CHECK(response.body == "{}");
}
