#include "tools/wearctl/wait.h"

#include "base/quantity.h"
#include "tools/wearctl/run_text.h"
#include "tools/wearctl/text.h"
#include "tools/wearctl/verdict.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

volatile std::sig_atomic_t was_interrupted = 0;
struct sigaction previous_action {};

constexpr int patience_seconds = 60;

std::string progress_line(const control::RunStatus& run, const Screen& screen) {
    std::string line =
        fmt::format("run {}  {}  pass {}  {} {:.0f}%  {}  {} written", run.id, run.state, pass_text(run),
                    bar(run.pass_percent, 12, screen.unicode), run.pass_percent,
                    format_rate(run.bytes_per_second), format_bytes({run.written_bytes}));
    if (const auto worn = wear_percent(run.wear)) line += fmt::format("  {}% worn", *worn);
    if (run.findings_total > 0) line += fmt::format("  {}", counted(run.findings_total, "finding"));
    if (const std::string eta = eta_text(run.eta_seconds); eta != "-") line += fmt::format("  {} to go", eta);
    return printable(line);
}

/// The line, where it may be drawn over; or a line of its own now and then.
class ProgressPrinter {
  public:
    explicit ProgressPrinter(Console& console) : console_(console) {}

    void show(const control::RunStatus& run) {
        const std::string line = progress_line(run, console_.screen);
        if (console_.screen.live) {
            console_.err << '\r' << truncated(line, console_.screen.columns - 1, console_.screen.unicode)
                         << "\033[K" << std::flush;
            drawn_ = true;
            return;
        }
        const auto now = std::chrono::steady_clock::now();
        if (run.state == state_ && now < next_) return;
        state_ = run.state;
        next_ = now + std::chrono::minutes(1);
        console_.err << line << std::endl;
    }
    /// Leaves the line that was drawn over as it is.
    void done() {
        if (drawn_) console_.err << '\n';
    }

  private:
    Console& console_;
    bool drawn_ = false;
    std::string state_;
    std::chrono::steady_clock::time_point next_;
};

ExitCode show_verdict(const control::RunStatus& run, Console& console) {
    const Verdict verdict = judge(verdict_facts(run));
    const Tone tone = verdict.result == VerdictResult::pass   ? Tone::good
                      : verdict.result == VerdictResult::fail ? Tone::bad
                                                              : Tone::warning;
    console.out << fmt::format("Run {}: ", run.id)
                << paint(console.screen, tone, verdict_names[verdict.result]) << '\n';
    for (const std::string& reason : verdict.reasons)
        console.out << "  " << printable(reason) << '\n';
    return exit_code(verdict.result);
}

}  // namespace

InterruptWatch::InterruptWatch() {
    was_interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { was_interrupted = 1; };
    ::sigaction(SIGINT, &action, &previous_action);
}

InterruptWatch::~InterruptWatch() {
    ::sigaction(SIGINT, &previous_action, nullptr);
}

bool InterruptWatch::interrupted() {
    return was_interrupted != 0;
}

void InterruptWatch::sleep_a_second() {
    const timespec second{1, 0};
    if (!interrupted()) ::nanosleep(&second, nullptr);
}

ExitCode wait_for(const DaemonClient& daemon, RunId id, Console& console) {
    const InterruptWatch watch;
    ProgressPrinter printer(console);
    int silent_seconds = 0;
    while (!InterruptWatch::interrupted()) {
        try {
            const auto run = daemon.run(id.value);
            silent_seconds = 0;
            printer.show(run);
            if (const auto state = run_state_names.find(run.state); state && is_over(*state)) {
                printer.done();
                return show_verdict(run, console);
            }
        } catch (const Failure& failure) {
            if (failure.code() != ExitCode::unreachable || ++silent_seconds > patience_seconds) {
                printer.done();
                throw;
            }
        }
        InterruptWatch::sleep_a_second();
    }
    printer.done();
    console.err << fmt::format("Run {} goes on; 'wearctl stop {}' ends it.\n", id.value, id.value);
    return ExitCode::insufficient_data;
}

}  // namespace wearout::tools
