#pragma once

#include "control/api.h"
#include "facts/drive.h"
#include "tools/wearctl/daemon_client.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which run or drive a user means.
namespace wearout::tools {

/// A run's number, where the text is nothing but digits.
[[nodiscard]] std::optional<std::int64_t> as_run_id(std::string_view text);

/// A TARGET with its path made absolute, since the daemon stands in another folder. Links stay as they are.
[[nodiscard]] std::string absolute_target(const std::string& target);

/// The run meant by `text`: its number, or the drive that it is on (key, serial, by-id name, path, target).
/// With a drive, runs that are over are looked at only when `also_over`, and the newest is taken. Throws a
/// Failure: usage when several drives fit (it lists them), unreachable when none does.
[[nodiscard]] control::RunStatus find_run(const DaemonClient& daemon, const std::string& text,
                                          bool also_over);

/// True where `text` names this drive: key, serial, WWN, by-id name (also with its folder, also by another
/// link to the same device), or a target or path that its key is made of.
[[nodiscard]] bool names_drive(const std::string& text, const Drive& drive);

}  // namespace wearout::tools
