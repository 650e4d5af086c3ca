#pragma once

#include "service/config.h"

namespace wearout::service {

/// Runs the daemon until SIGTERM or SIGINT: opens the database, goes on with what was interrupted, answers on
/// the socket, tells systemd. Signals must be blocked by the caller before any thread is started. Returns the
/// exit code; throws a Failure when it can't start.
[[nodiscard]] int run_daemon(const Config& config);

/// Blocks the signals that run_daemon waits for.
void block_signals();

}  // namespace wearout::service
