#include "control/client.h"

#include "base/error.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
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

constexpr std::uint64_t max_answer = 64U << 20U;

/// Runs one asynchronous operation to its end, since only those keep to a stream's deadline.
template <typename Start>
error_code finish(asio::io_context& io, Start start) {
    error_code result;
    start([&result](error_code error, auto&&...) { result = error; });
    io.restart();
    io.run();
    return result;
}

Failure no_answer(const std::string& path, error_code error) {
    const auto say = [&](std::string_view what) {
        return Failure(ExitCode::unreachable, fmt::format("{}: {}", path, what));
    };
    if (error == beast::error::timeout) return say("the daemon does not answer in time");
    if (error == boost::system::errc::permission_denied)
        return say("permission denied; be root or in the socket's group");
    if (error == boost::system::errc::no_such_file_or_directory || error == asio::error::connection_refused)
        return say("no daemon answers here; is wearoutd running?");
    if (error == http::error::end_of_stream || error == asio::error::eof ||
        error == asio::error::connection_reset || error == http::error::partial_message)
        return say("the daemon closed the connection before it answered");
    return say(error.message());
}

}  // namespace

Response call(const std::string& socket_path, std::string_view method, std::string_view path,
              std::string_view body, std::chrono::milliseconds timeout) {
    if (socket_path.size() >= sizeof(sockaddr_un::sun_path))
        throw usage_error(fmt::format("{}: a socket's path has at most {} characters", socket_path,
                                      sizeof(sockaddr_un::sun_path) - 1));
    asio::io_context io(1);
    beast::basic_stream<Local> stream(io);
    stream.expires_after(timeout);
    if (const auto error = finish(
            io, [&](auto done) { stream.async_connect(Local::endpoint(socket_path), std::move(done)); }))
        throw no_answer(socket_path, error);

    http::request<http::string_body> request;
    request.version(11);
    request.method_string({method.data(), method.size()});
    request.target({path.data(), path.size()});
    request.set(http::field::host, "localhost");
    request.keep_alive(false);
    request.body() = body;
    request.prepare_payload();
    const auto sent = finish(io, [&](auto done) { http::async_write(stream, request, std::move(done)); });
    // A daemon that refuses a request may answer and close before it has read all of it.
    if (sent && sent != asio::error::broken_pipe && sent != asio::error::connection_reset)
        throw no_answer(socket_path, sent);

    beast::flat_buffer buffer;
    http::response_parser<http::string_body> answer;
    answer.body_limit(max_answer);
    if (const auto error =
            finish(io, [&](auto done) { http::async_read(stream, buffer, answer, std::move(done)); }))
        throw no_answer(socket_path, error);
    return {answer.get().result_int(), std::move(answer.get().body())};
}

}  // namespace wearout::control
