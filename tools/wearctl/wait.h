#pragma once

#include "base/error.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/daemon_client.h"

namespace wearout::tools {

/// While it lives, Ctrl-C only sets a mark instead of ending the program. One at a time.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    [[nodiscard]] static bool interrupted();
    /// Sleeps up to a second; wakes at once when interrupted.
    static void sleep_a_second();
};

/// Shows how a run goes on until it is over (on a terminal one line drawn again and again, else a line when
/// its state changes and once a minute), and gives the exit code of its verdict. After Ctrl-C it says that
/// the run goes on, and gives `insufficient_data`. A daemon that can't be reached for a while (it is
/// restarted) is waited for.
[[nodiscard]] ExitCode wait_for(const DaemonClient& daemon, RunId run, Console& console);

}  // namespace wearout::tools
