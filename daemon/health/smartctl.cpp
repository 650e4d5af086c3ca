#include "health/smartctl.h"

#include "base/clock.h"
#include "base/error.h"
#include "health/answer.h"
#include "health/hung_children.h"
#include "health/problem.h"
#include "health/turn.h"

#include <utility>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// What smartctl is to end with when the drive sleeps. Its default is what a device that can't be opened ends
/// with, and 0 looks like an answer; 3, which smartctl(8) proposes, is never the status of one with data.
/// From 7.0 on with ATA, from 7.2 on with SCSI; where a power mode can't be had the drive is asked as usual.
constexpr int asleep_status = 3;

bool says_asleep(const std::string& text) {
    const auto result = read_answer(text);
    return result.answer && result.answer->exit_status == asleep_status &&
           !message_with(*result.answer, "mode, exit(").empty();
}

class SmartctlSource final : public HealthSource {
  public:
    SmartctlSource(std::string device, SmartctlOptions options)
        : device_(std::move(device)), options_(std::move(options)) {
        options_.limits.timeout = options_.timeout;
        if (options_.drive_key.empty()) options_.drive_key = device_;
    }

    RawAnswer ask() override {
        const auto started = system_clock().steady();
        auto answer = ask_now();
        answer.took = std::chrono::round<std::chrono::milliseconds>(system_clock().steady() - started);
        return answer;
    }

  private:
    RawAnswer ask_now() {
        const auto turn = Turn::take(options_.drive_key, options_.timeout, options_.stop);
        if (!turn)
            return problem(options_.stop.stop_requested()
                               ? "smartctl was stopped before it had answered"
                               : fmt::format("another question to {} is still open", device_));
        if (const auto pid = hung_children().find(options_.drive_key))
            return problem(
                fmt::format("smartctl (process {}) still hangs in the kernel over {}; the drive is not "
                            "asked again until it ends",
                            *pid, device_));
        const auto program = find_program(options_.program);
        if (program.empty())
            return problem(
                fmt::format("{} is not installed (package smartmontools), so there are no wear counters",
                            options_.program));
        std::vector<std::string> arguments{"--json", "-x"};
        if (options_.may_sleep && options_.may_sleep())
            arguments.insert(arguments.end(), {"-n", fmt::format("standby,{}", asleep_status)});
        arguments.insert(arguments.end(), options_.extra_arguments.begin(), options_.extra_arguments.end());
        arguments.insert(arguments.end(), {"--", device_});
        try {
            return judge(run_child(program, arguments, options_.limits, options_.stop));
        } catch (const Failure& failure) {
            return problem(fmt::format("smartctl can't be run: {}", failure.what()));
        }
    }

    RawAnswer judge(ChildResult result) {
        if (result.survivor) hung_children().add(options_.drive_key, std::move(*result.survivor));
        switch (result.end) {
            case ChildEnd::exited:
                if (result.output.empty())
                    return problem(fmt::format("smartctl gave no answer (exit status {}){}", result.status,
                                               first_line(result.errors)));
                if (result.status == asleep_status && options_.may_sleep && says_asleep(result.output))
                    return {.text = {}, .problem = {}, .asleep = true};
                return {.text = std::move(result.output), .problem = {}};
            case ChildEnd::signalled:
                return problem(fmt::format("smartctl was ended by signal {}{}", result.status,
                                           first_line(result.errors)));
            case ChildEnd::timed_out:
                return problem(fmt::format("{} did not answer smartctl within {} s", device_,
                                           std::chrono::duration<double>(options_.timeout).count()));
            case ChildEnd::flooded:
                return problem(fmt::format("smartctl's answer is longer than {} bytes, which no drive's is",
                                           options_.limits.output_bytes));
            case ChildEnd::told_to_stop:
                return problem("smartctl was stopped before it had answered");
        }
        return problem("smartctl ended in an unknown way");
    }

    static RawAnswer problem(std::string text) { return {.text = {}, .problem = std::move(text)}; }

    static std::string first_line(const std::string& errors) {
        const auto line = errors.substr(0, errors.find('\n'));
        return line.empty() ? std::string() : ": " + printable(line, 200);
    }

    std::string device_;
    SmartctlOptions options_;
};

}  // namespace

std::unique_ptr<HealthSource> smartctl_source(std::string device_path, SmartctlOptions options) {
    return std::make_unique<SmartctlSource>(std::move(device_path), std::move(options));
}

}  // namespace wearout::health
