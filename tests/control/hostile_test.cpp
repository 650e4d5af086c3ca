// Clients that mean harm, or that fall ill half-way: each is cut off or told, and the next one is served.

#include "base/error.h"
#include "control/client.h"
#include "control/raw_socket.h"
#include "control/server.h"
#include "support/scratch_dir.h"

#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::control;
using namespace wearout::test;
using namespace std::chrono_literals;

namespace {

struct Daemon {
    explicit Daemon(std::chrono::milliseconds patience = 10s, std::size_t answer_bytes = 2)
        : server(
              path,
              [answer_bytes](const Request&) {
                  return Response{200, std::string(answer_bytes, 'x')};
              },
              patience) {}
    /// Answers, be it only at a later try: on a busy machine this client too may be too slow for its
    /// patience.
    [[nodiscard]] bool alive() const {
        for (int tries = 0; tries < 50; ++tries)
            try {
                return call(path, "GET", "/").status == 200;
            } catch (const Failure&) {
            }
        return false;
    }

    ScratchDir dir;
    std::string path = dir.file("s");
    Server server;
};

std::string answer_to(const Daemon& daemon, std::string_view bytes) {
    RawSocket client(daemon.path);
    client.send(bytes);
    client.end_of_sending();
    return client.receive_all();
}

}  // namespace

TEST_CASE("what is no HTTP is told so in JSON") {
    const Daemon daemon;
    for (const char* bytes :
         {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1\r\nno colon here\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
          "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"}) {
        CAPTURE(bytes);
        const std::string answer = answer_to(daemon, bytes);
        CHECK(answer.starts_with("HTTP/1.1 4"));
        CHECK(answer.find("{\"error\":{\"exit_code\":2") != std::string::npos);
    }
    CHECK(answer_to(daemon, "DELETE / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    CHECK(daemon.alive());
}

TEST_CASE("headers and bodies have an end") {
    const Daemon daemon;
    CHECK(answer_to(daemon, "GET / HTTP/1.1\r\nX: " + std::string(9000, 'a') + "\r\n\r\n")
              .starts_with("HTTP/1.1 431"));
    CHECK(answer_to(daemon, "GET /" + std::string(1U << 20U, 'a')).starts_with("HTTP/1.1 431"));
    CHECK(answer_to(daemon, "POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n" + std::string(65537, 'a'))
              .starts_with("HTTP/1.1 413"));
    std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 100; ++i)
        chunked += "400\r\n" + std::string(1024, 'a') + "\r\n";
    CHECK(answer_to(daemon, chunked).starts_with("HTTP/1.1 413"));
    CHECK(daemon.alive());
}

TEST_CASE("a client that closes its half is still answered, one that stops in the middle is dropped") {
    const Daemon daemon;
    CHECK(answer_to(daemon, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 200"));
    CHECK(answer_to(daemon, "").empty());
    const std::string cut = answer_to(daemon, "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
    CHECK(cut.starts_with("HTTP/1.1 400"));
    CHECK(daemon.alive());
}

TEST_CASE("clients that only trickle can't keep others out") {
    const Daemon daemon(300ms);
    std::vector<std::unique_ptr<RawSocket>> slow;
    for (int i = 0; i < 40; ++i) {
        slow.push_back(std::make_unique<RawSocket>(daemon.path));
        slow.back()->send("GET / HTTP/1.1\r\nX-");
    }
    CHECK(daemon.alive());
    for (auto& client : slow)
        CHECK(client->receive_all().empty());
}

TEST_CASE("a trickle of bytes does not extend the patience") {
    const Daemon daemon(300ms);
    RawSocket client(daemon.path);
    std::size_t taken = 0;
    for (int i = 0; i < 100; ++i) {
        if (client.send("G") != 1) break;
        ++taken;
        std::this_thread::sleep_for(50ms);
    }
    CHECK(taken < 100);
}

TEST_CASE("a client that goes away before or during its answer harms nobody") {
    constexpr std::size_t answer_bytes = 1U << 20U;  // More than a socket holds.
    const Daemon daemon(500ms, answer_bytes);
    for (int i = 0; i < 50; ++i) {
        RawSocket client(daemon.path);
        client.send("GET / HTTP/1.1\r\n\r\n");
        if (i % 2 == 0) (void)client.receive_until("HTTP");
    }
    CHECK(daemon.alive());
    RawSocket deaf(daemon.path);
    deaf.send("GET / HTTP/1.1\r\n\r\n");
    CHECK(daemon.alive());
    CHECK(deaf.is_closed_within(20s));
    CHECK(deaf.receive_all().size() < answer_bytes);
}

TEST_CASE("no bytes bring the server down") {
    const Daemon daemon;
    CHECK(rc::check("any bytes", [&] {
        (void)answer_to(daemon, *rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
    }));
    const std::string good =
        "POST /v1/runs?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello";
    CHECK(rc::check("a request with a few bytes changed", [&] {
        std::string bytes = good;
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
            bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
        (void)answer_to(daemon, bytes);
    }));
    for (std::size_t length = 0; length < good.size(); ++length)
        (void)answer_to(daemon, good.substr(0, length));
    CHECK(daemon.alive());
}
