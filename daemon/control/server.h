#pragma once

#include <functional>
#include <memory>
#include <string>

namespace wearout::control {

struct Request {
    std::string method;  ///< "GET", "POST"
    std::string path;    ///< "/v1/runs/3/pause", without the query
    std::string query;
    std::string body;
};

struct Response {
    unsigned status = 200;
    std::string body;  ///< JSON.
};

/// HTTP/1.1 on a Unix socket, on a thread of its own. Requests are handled one at a time, in the order they
/// come; `handler` must not block for long. Header, body (64 KiB) and number of connections (32) are bounded,
/// and a slow client is cut off after 10 s without progress. A stale socket file (nobody listens) is
/// replaced; one on which somebody listens is a Failure (refused). The socket file has mode 0660 and is
/// removed at the end.
class Server {
  public:
    using Handler = std::function<Response(const Request&)>;
    Server(const std::string& socket_path, Handler handler);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wearout::control
