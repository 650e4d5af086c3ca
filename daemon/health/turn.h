#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace wearout::health {

/// The right to ask a drive. In the whole process there is one for each drive, however many ways lead to it:
/// two questions at once make firmware stumble that one alone does not. Move-only; given back at its end.
class Turn {
  public:
    /// Waits for it, at most for `patience` or until told to stop; then there is none. `drive`: its key.
    [[nodiscard]] static std::optional<Turn> take(const std::string& drive,
                                                  std::chrono::milliseconds patience,
                                                  const std::stop_token& stop);
    Turn(Turn&& other) noexcept : drive_(std::exchange(other.drive_, {})) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

  private:
    explicit Turn(std::string drive) : drive_(std::move(drive)) {}
    std::string drive_;  ///< Empty: given away.
};

}  // namespace wearout::health
