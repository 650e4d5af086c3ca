#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace wearout::control {

struct Request {
    std::string method;  ///< "GET" or "POST"
    std::string path;    ///< "/v1/runs/3/pause", without the query
    std::string query;
    std::string body;
};

struct Response {
    unsigned status = 200;
    std::string body;  ///< JSON.
};

/// HTTP/1.1 on a Unix socket, on a thread of its own. `handler` is called on others, several at a time (at
/// most 8; more requests wait), so that one that waits for a drive holds up nobody else. A Failure that it
/// throws becomes the answer, as `error_response` has it; StorageUnavailable is status 503, anything else
/// 500.
///
/// Header (8 KiB), body (64 KiB) and number of connections (32; more wait to be accepted) are bounded. A
/// client that needs longer than `patience` to send one request or to take one answer is cut off.
///
/// A stale socket file (nobody listens) is replaced; one on which somebody listens, or a file that is no
/// socket, is a Failure (refused); a path too long for a socket is a Failure (usage). The socket file has
/// mode 0660 and is removed at the end, unless another has taken its place.
class Server {
  public:
    using Handler = std::function<Response(const Request&)>;
    Server(const std::string& socket_path, Handler handler,
           std::chrono::milliseconds patience = std::chrono::seconds(10));
    /// Waits for the handlers that are running.
    ~Server();
    /// Takes no more requests, and waits at most for `timeout` for the handlers that are running. False when
    /// one hangs: then this must not be destroyed, and only ending the process is left.
    [[nodiscard]] bool come_to_rest(std::chrono::milliseconds timeout);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wearout::control
