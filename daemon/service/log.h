#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace wearout::service {

enum class LogLevel { debug, info, warning, error };

/// A journal field beside the message: {"MESSAGE_ID", "…"}, {"WEAROUT_RUN", "3"}.
using LogField = std::pair<std::string_view, std::string>;

/// Sends what is logged at `level` ("debug" … "error") or above to the journal when standard error is
/// connected to it (systemd says so in $JOURNAL_STREAM), else to standard error as text. Call once, before
/// anything is logged.
void start_log(std::string_view level);

/// Logs one line. Any thread.
void log(LogLevel level, const std::string& message, std::initializer_list<LogField> fields = {});

/// Message ids of what administrators may want to act on; explained in systemd/wearout.catalog.
inline constexpr std::string_view message_id_retired_blocks = "c2935e5b9ad34c1c9e749b84b96ccee2";
inline constexpr std::string_view message_id_finding = "cbe982a2ac4e4753b94f21770a5454fa";
inline constexpr std::string_view message_id_run_started = "4d9b7613c6cc46cc90e6707e72afd744";
inline constexpr std::string_view message_id_run_ended = "bd4de229dbd44f599acf7e20b770ce03";

}  // namespace wearout::service
