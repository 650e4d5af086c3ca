#include "control/server.h"

#include "base/error.h"
#include "control/api.h"

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace wearout::control {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

constexpr std::uint32_t max_header = 8U << 10U;
constexpr std::uint64_t max_body = 64U << 10U;
constexpr unsigned max_connections = 32;
constexpr std::size_t max_handlers = 8;

Response error_answer(unsigned status, ExitCode code, const std::string& message) {
    Response response = error_response(Failure(code, message));
    response.status = status;
    return response;
}

/// What the parser disliked, as an answer; nothing where there is nobody to answer.
std::optional<Response> answer_to(error_code error) {
    if (error == http::error::end_of_stream) return std::nullopt;
    if (error == http::error::body_limit)
        return error_answer(413, ExitCode::usage, fmt::format("the body is longer than {} bytes", max_body));
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return error_answer(431, ExitCode::usage,
                            fmt::format("the header is longer than {} bytes", max_header));
    if (error.category() == http::make_error_code(http::error::bad_method).category())
        return error_answer(400, ExitCode::usage, "this is no HTTP request: " + error.message());
    return std::nullopt;
}

Response answer_to(const http::request<http::string_body>& message, const Server::Handler& handler) {
    if (message.method() != http::verb::get && message.method() != http::verb::post)
        return error_answer(405, ExitCode::usage, "the method is neither GET nor POST");
    const std::string_view target(message.target().data(), message.target().size());
    const auto mark = target.find('?');
    Request request{std::string(message.method_string()), std::string(target.substr(0, mark)),
                    mark == std::string_view::npos ? std::string() : std::string(target.substr(mark + 1)),
                    message.body()};
    try {
        return handler(request);
    } catch (const Failure& failure) {
        return error_response(failure);
    } catch (const StorageUnavailable& problem) {
        return error_answer(503, ExitCode::unreachable, problem.what());
    } catch (const std::exception& problem) {
        return error_answer(500, ExitCode::unreachable, fmt::format("internal error: {}", problem.what()));
    }
}

/// Threads on which requests are handled.
class Handlers {
  public:
    explicit Handlers(Server::Handler handler) : handler_(std::move(handler)) {}

    /// Calls `take(response)` on one of the threads.
    template <typename Take>
    void handle(const http::request<http::string_body>& message, Take take) {
        {
            const std::scoped_lock lock(mutex_);
            ++running_;
        }
        asio::post(pool_, [this, &message, take = std::move(take)]() mutable {
            take(answer_to(message, handler_));
            const std::scoped_lock lock(mutex_);
            --running_;
            idle_.notify_all();
        });
    }
    [[nodiscard]] bool wait(std::chrono::milliseconds timeout) {
        std::unique_lock lock(mutex_);
        return idle_.wait_for(lock, timeout, [this] { return running_ == 0; });
    }
    void join() { pool_.join(); }

  private:
    Server::Handler handler_;
    std::mutex mutex_;
    std::condition_variable idle_;
    std::size_t running_ = 0;
    asio::thread_pool pool_{max_handlers};
};

/// One client. Kept alive by the operation that is under way; gone when none is. All but the handling of its
/// requests happens on the server's thread.
class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(Local::socket socket, Handlers& handlers, std::chrono::milliseconds patience,
            std::function<void()> at_end)
        : stream_(std::move(socket)), handlers_(handlers), patience_(patience), at_end_(std::move(at_end)) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { at_end_(); }

    void read() {
        parser_.emplace();
        parser_->header_limit(max_header);
        parser_->body_limit(max_body);
        stream_.expires_after(patience_);
        http::async_read(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
    }

  private:
    void on_read(error_code error) {
        if (!error) return handle();
        if (auto response = answer_to(error)) write(std::move(*response), false);
    }

    void handle() {
        handlers_.handle(parser_->get(), [self = shared_from_this()](Response response) mutable {
            const auto server = self->stream_.get_executor();
            // The last reference must not go on this thread.
            asio::post(server, [self = std::move(self), response = std::move(response)]() mutable {
                self->write(std::move(response), self->parser_->get().keep_alive());
            });
        });
    }

    void write(Response response, bool keep_alive) {
        answer_ = {};
        answer_.version(11);
        answer_.result(response.status);
        answer_.set(http::field::content_type, "application/json");
        answer_.set(http::field::server, "wearoutd");
        answer_.keep_alive(keep_alive);
        answer_.body() = std::move(response.body);
        answer_.prepare_payload();
        stream_.expires_after(patience_);
        http::async_write(stream_, answer_, [self = shared_from_this()](error_code error, std::size_t) {
            if (!error && self->answer_.keep_alive()) self->read();
        });
    }

    beast::basic_stream<Local> stream_;
    beast::flat_buffer buffer_{max_header + max_body};
    std::optional<http::request_parser<http::string_body>> parser_;
    http::response<http::string_body> answer_;
    Handlers& handlers_;
    std::chrono::milliseconds patience_;
    std::function<void()> at_end_;
};

/// Makes way for a new socket at `path`, or throws.
void replace_stale(const std::string& path, asio::io_context& io) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) return;
        throw_errno(path);
    }
    if (!S_ISSOCK(info.st_mode))
        throw Failure(ExitCode::refused, path + ": is there and is no socket; it is not replaced");
    Local::socket probe(io);
    error_code error;
    probe.connect(Local::endpoint(path), error);
    if (error != asio::error::connection_refused && error != boost::system::errc::no_such_file_or_directory)
        throw Failure(ExitCode::refused,
                      path + ": another daemon listens here; stop it, or give another --socket");
    ::unlink(path.c_str());
}

}  // namespace

class Server::Impl {
  public:
    Impl(std::string path, Handler handler, std::chrono::milliseconds patience)
        : path_(std::move(path)),
          patience_(patience),
          acceptor_(io_),
          retry_(io_),
          handlers_(std::move(handler)) {
        listen();
        accept();
        thread_ = std::thread([this] { io_.run(); });
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    ~Impl() {
        stop();
        handlers_.join();
        struct stat now {};
        if (::lstat(path_.c_str(), &now) == 0 && now.st_dev == made_.st_dev && now.st_ino == made_.st_ino)
            ::unlink(path_.c_str());
    }

    void stop() {
        if (!thread_.joinable()) return;
        asio::post(io_, [this] {
            stopping_ = true;
            io_.stop();
        });
        thread_.join();
    }
    [[nodiscard]] bool come_to_rest(std::chrono::milliseconds timeout) {
        stop();
        return handlers_.wait(timeout);
    }

  private:
    void listen() {
        if (path_.size() >= sizeof(sockaddr_un::sun_path))
            throw usage_error(fmt::format("{}: a socket's path has at most {} characters", path_,
                                          sizeof(sockaddr_un::sun_path) - 1));
        replace_stale(path_, io_);
        try {
            acceptor_.open();
            acceptor_.bind(Local::endpoint(path_));
        } catch (const boost::system::system_error& error) {
            throw Failure(ExitCode::unreachable, path_ + ": " + error.code().message());
        }
        // Nobody can connect before listen(), so that the mode never has a gap.
        if (::chmod(path_.c_str(), 0660) != 0 || ::lstat(path_.c_str(), &made_) != 0) throw_errno(path_);
        acceptor_.listen();
    }

    void accept() {
        if (accepting_ || stopping_ || open_ == max_connections) return;
        accepting_ = true;
        acceptor_.async_accept([this](error_code error, Local::socket socket) {
            accepting_ = false;
            if (error) return accept_later();
            ++open_;
            std::make_shared<Session>(std::move(socket), handlers_, patience_, [this] {
                --open_;
                accept();
            })->read();
            accept();
        });
    }

    /// Out of descriptors or memory: trying again at once would only spin.
    void accept_later() {
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](error_code) { accept(); });
    }

    std::string path_;
    std::chrono::milliseconds patience_;
    struct stat made_ {};
    unsigned open_ = 0;
    bool accepting_ = false;
    bool stopping_ = false;
    // Before what uses it; when it goes, the sessions go, which still need what stands above.
    asio::io_context io_{1};
    /// While all clients wait for handlers, nothing else keeps io_ running.
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
    Local::acceptor acceptor_;
    asio::steady_timer retry_;
    Handlers handlers_;
    std::thread thread_;
};

Server::Server(const std::string& socket_path, Handler handler, std::chrono::milliseconds patience)
    : impl_(std::make_unique<Impl>(socket_path, std::move(handler), patience)) {}

Server::~Server() = default;

bool Server::come_to_rest(std::chrono::milliseconds timeout) {
    return impl_->come_to_rest(timeout);
}

}  // namespace wearout::control
