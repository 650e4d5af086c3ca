#pragma once

#include "control/api.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::tools {

/// The daemon, as the commands ask it. Every call throws the Failure that the daemon answers with, or a
/// Failure (unreachable) that names the socket.
class DaemonClient {
  public:
    explicit DaemonClient(std::string socket) : socket_(std::move(socket)) {}

    [[nodiscard]] std::vector<control::RunStatus> runs() const;
    [[nodiscard]] control::RunStatus run(std::int64_t id) const;
    [[nodiscard]] std::vector<control::DriveStatus> drives() const;
    [[nodiscard]] std::vector<control::ProfileInfo> profiles() const;
    [[nodiscard]] control::ConsentInfo consent(const std::string& target) const;
    [[nodiscard]] RunId start(const control::StartRequest& request) const;
    /// `order` is "pause", "resume" or "stop".
    [[nodiscard]] control::RunStatus order(std::int64_t run, std::string_view order) const;
    void acknowledge(std::uint64_t alert) const;
    void set_rating(const control::RatingRequest& request) const;
    void unset_rating(const control::RatingRequest& request) const;

    /// An answer as it comes, for --json.
    [[nodiscard]] std::string get(const std::string& path) const;

  private:
    [[nodiscard]] std::string post(const std::string& path, const std::string& body) const;
    std::string socket_;
};

}  // namespace wearout::tools
