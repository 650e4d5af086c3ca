#include "control/server.h"

#include "base/error.h"
#include "control/api.h"
#include "control/client.h"
#include "control/raw_socket.h"
#include "support/scratch_dir.h"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::control;
using namespace wearout::test;

namespace {

Response echo(const Request& request) {
    return {200, nlohmann::json{{"method", request.method},
                                {"path", request.path},
                                {"query", request.query},
                                {"body", request.body}}
                     .dump()};
}

std::string output_of(const std::string& command) {
    std::string output;
    FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        output += static_cast<char>(c);
    ::pclose(pipe);
    return output;
}

bool is_socket(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

template <typename Act>
ExitCode failure_code(Act act) {
    try {
        act();
    } catch (const Failure& failure) {
        MESSAGE(std::string(failure.what()));
        return failure.code();
    }
    return ExitCode::pass;
}

}  // namespace

TEST_CASE("a request comes to the handler whole, and its answer goes back") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    const Server server(path, echo);
    const auto answer =
        nlohmann::json::parse(call(path, "POST", "/v1/runs/3/pause?now=1&x", R"({"a": "é"})").body);
    CHECK(answer.at("method") == "POST");
    CHECK(answer.at("path") == "/v1/runs/3/pause");
    CHECK(answer.at("query") == "now=1&x");
    CHECK(answer.at("body") == R"({"a": "é"})");
    const std::string large(64U << 10U, 'x');
    CHECK(nlohmann::json::parse(call(path, "POST", "/", large).body).at("body") == large);
}

TEST_CASE("the socket is for its owner and group, and goes with the server") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    {
        const Server server(path, echo);
        struct stat info {};
        REQUIRE(::lstat(path.c_str(), &info) == 0);
        CHECK((info.st_mode & 0777U) == 0660U);
    }
    CHECK(!is_socket(path));
}

TEST_CASE("what the handler throws becomes an answer") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    const Server server(path, [](const Request& request) -> Response {
        if (request.path == "/refused") throw Failure(ExitCode::refused, "mounted at /");
        if (request.path == "/storage") throw StorageUnavailable("disk full");
        throw std::runtime_error("bug");
    });
    const auto status_and_code = [&](const char* target) {
        const Response response = call(path, "GET", target);
        const auto error = nlohmann::json::parse(response.body).at("error");
        return std::pair(response.status, error.at("exit_code").get<int>());
    };
    CHECK(status_and_code("/refused") == std::pair(403U, 3));
    CHECK(status_and_code("/storage") == std::pair(503U, 4));
    CHECK(status_and_code("/x") == std::pair(500U, 4));
}

TEST_CASE("a hundred clients at once are all answered, a few at a time") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    std::atomic<int> inside = 0;
    std::atomic<int> handled = 0;
    std::atomic<int> most = 0;
    const Server server(path, [&](const Request& request) {
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);)
            ;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++handled;
        --inside;
        return echo(request);
    });
    std::atomic<int> right = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 100; ++i)
        clients.emplace_back([&, i] {
            const auto target = "/" + std::to_string(i);
            const auto answer = nlohmann::json::parse(call(path, "GET", target).body);
            if (answer.at("path") == target) ++right;
        });
    for (auto& client : clients)
        client.join();
    CHECK(right == 100);
    CHECK(handled == 100);
    CHECK(most > 1);
    CHECK(most <= 8);
}

TEST_CASE("a request that hangs holds up no other, and is told when the server comes to rest") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    std::atomic<bool> hanging = false;
    std::atomic<bool> let_go = false;
    Server server(path, [&](const Request& request) {
        if (request.path == "/hang") hanging = true;
        while (request.path == "/hang" && !let_go)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return echo(request);
    });
    std::thread client(
        [&] { CHECK_THROWS_AS((void)call(path, "GET", "/hang", {}, std::chrono::seconds(1)), Failure); });
    while (!hanging)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(call(path, "GET", "/x").status == 200);
    CHECK_FALSE(server.come_to_rest(std::chrono::milliseconds(10)));
    let_go = true;
    CHECK(server.come_to_rest(std::chrono::seconds(20)));
    client.join();
}

TEST_CASE("a connection is kept for more requests, also when they come in one piece") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    const Server server(path, echo);
    RawSocket client(path);
    const std::string one = "GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const std::string two = "GET /two HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    client.send(one);
    CHECK(client.receive_until("}").find("/one") != std::string::npos);
    client.send(one + two);
    const std::string rest = client.receive_all();
    CHECK(rest.find("/one") < rest.find("/two"));
    CHECK(rest.find("/two") != std::string::npos);
}

TEST_CASE("curl can ask") {
    if (std::system("command -v curl >/dev/null") != 0) {
        MESSAGE("skipped: no curl here");
        return;
    }
    const ScratchDir dir;
    const auto path = dir.file("s");
    const Server server(path, [](const Request& request) {
        if (request.path == "/v1/status") return Response{200, status_json({}, 1)};
        return echo(request);
    });
    const std::string curl = "curl -s --max-time 20 --unix-socket " + path;
    CHECK(output_of(curl + " http://localhost/v1/status") == status_json({}, 1));
    CHECK(output_of(curl + " -d '{\"target\":\"x\"}' http://localhost/v1/consent").find("/v1/consent") !=
          std::string::npos);
    CHECK(output_of(curl + " -o /dev/null -w '%{http_code}' -X DELETE http://localhost/") == "405");
    CHECK(output_of("head -c 100000 /dev/zero | " + curl +
                    " -o /dev/null -w '%{http_code}' --data-binary @- http://localhost/") == "413");
}

TEST_CASE("a stale socket is replaced, a live one, or another file, is not") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    {
        const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_un address = address_of(path);
        REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    REQUIRE(is_socket(path));
    {
        const Server server(path, echo);
        CHECK(call(path, "GET", "/").status == 200);
        CHECK(failure_code([&] { Server second(path, echo); }) == ExitCode::refused);
        CHECK(call(path, "GET", "/").status == 200);
    }
    std::ofstream(path) << "precious";
    CHECK(failure_code([&] { Server server(path, echo); }) == ExitCode::refused);
    std::string kept;
    std::ifstream(path) >> kept;
    CHECK(kept == "precious");
    CHECK(failure_code([&] { Server server(dir.file("no/such/folder"), echo); }) == ExitCode::unreachable);
    CHECK(failure_code([&] { Server server(dir.file(std::string(200, 'x')), echo); }) == ExitCode::usage);
}

TEST_CASE("another's socket in our place is left alone at the end") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    auto first = std::make_unique<Server>(path, echo);
    std::filesystem::remove(path);
    const Server second(path, echo);
    first.reset();
    CHECK(call(path, "GET", "/").status == 200);
}

TEST_CASE("a server ends at once though clients hang on it") {
    const ScratchDir dir;
    const auto path = dir.file("s");
    std::vector<std::unique_ptr<RawSocket>> clients;
    {
        const Server server(path, echo, std::chrono::hours(1));
        for (int i = 0; i < 40; ++i) {
            clients.push_back(std::make_unique<RawSocket>(path));
            clients.back()->send("GET / HT");
        }
    }
    for (auto& client : clients)
        CHECK(client->receive_all().empty());
}
