#include "health/nvme_source.h"

#include "base/clock.h"
#include "base/error.h"
#include "health/answer.h"
#include "health/hung_children.h"
#include "health/nvme_plan.h"
#include "health/turn.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace wearout::health {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_name = "wearout-nvme-logs";

/// By its name or what it is a link to: "/dev/nvme0n1", "/dev/disk/by-id/…".
bool is_nvme(const std::string& device) {
    std::error_code error;
    const auto real = fs::canonical(device, error);
    return (error ? fs::path(device) : real).filename().string().starts_with("nvme");
}

std::string find_logs_program() {
    std::error_code error;
    const auto beside = fs::read_symlink("/proc/self/exe", error).parent_path() / program_name;
    if (!error && ::access(beside.c_str(), X_OK) == 0) return beside;
    return fmt::format("{}/{}", WEAROUT_LIBEXEC, program_name);
}

template <typename Function>
void for_each_line(std::string_view text, Function function) {
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size());
        function(text.substr(0, length));
        text.remove_prefix(std::min(length + 1, text.size()));
    }
}

/// What follows the word, if the line begins with it.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return std::nullopt;
    return line.substr(word.size());
}

class NvmeSource final : public HealthSource {
  public:
    NvmeSource(std::unique_ptr<HealthSource> other, std::string device, NvmeSourceOptions options)
        : other_(std::move(other)), device_(std::move(device)), options_(std::move(options)) {
        options_.limits.timeout = options_.timeout;
        if (options_.program.empty()) options_.program = find_logs_program();
        if (options_.drive_key.empty()) options_.drive_key = device_;
    }

    RawAnswer ask() override {
        auto answer = other_->ask();
        if ((planned_ && requests_.empty()) || !is_answer(answer.text)) return answer;
        const auto started = system_clock().steady();
        try {
            add_logs(answer);
        } catch (const Failure& failure) {
            add_problem(answer, fmt::format("the NVMe logs of {} did not come: {}", device_, failure.what()));
        }
        answer.took += std::chrono::round<std::chrono::milliseconds>(system_clock().steady() - started);
        return answer;
    }

  private:
    /// A drive that did not answer smartctl is not bothered with more questions.
    static bool is_answer(const std::string& text) {
        const auto result = read_answer(text);
        return result.answer && result.answer->has_data();
    }

    static void add_problem(RawAnswer& answer, const std::string& problem) {
        answer.problem += (answer.problem.empty() ? "" : "; ") + problem;
    }

    void add_logs(RawAnswer& answer) {
        if (!planned_) make_plan();
        if (requests_.empty()) return;
        std::vector<std::string> arguments{"read", device_};
        for (const auto& request : requests_)
            arguments.push_back(to_text(request));
        std::string logs;
        for_each_line(run(arguments), [&](std::string_view line) {
            if (line.starts_with("nvme-log ")) logs.append(line) += '\n';
            if (const auto refused = after(line, "refused ")) std::erase(requests_, parse_request(*refused));
            if (const auto failed = after(line, "failed "))
                add_problem(answer, "an NVMe log did not come: " + printable(*failed, 200));
        });
        if (logs.empty()) return;
        if (!answer.text.ends_with('\n')) answer.text += '\n';
        answer.text += pci_line_ + logs;
    }

    void make_plan() {
        for_each_line(run({"plan", device_}), [&](std::string_view line) {
            if (line.starts_with("nvme-pci ")) pci_line_ = std::string(line) + '\n';
            if (const auto text = after(line, "request "))
                if (const auto request = parse_request(*text); request && requests_.size() < most_nvme_logs)
                    requests_.push_back(*request);
        });
        planned_ = true;
    }

    /// What the program prints. Throws a Failure when it does not end well.
    std::string run(const std::vector<std::string>& arguments) {
        const auto turn = Turn::take(options_.drive_key, options_.timeout, options_.stop);
        if (!turn)
            throw Failure(ExitCode::unreachable, options_.stop.stop_requested()
                                                     ? "stopped before they had come"
                                                     : "another question to the drive is still open");
        if (const auto pid = hung_children().find(options_.drive_key))
            throw Failure(ExitCode::unreachable, fmt::format("process {} still hangs in the kernel", *pid));
        auto result = run_child(options_.program, arguments, options_.limits, options_.stop);
        if (result.survivor) hung_children().add(options_.drive_key, std::move(*result.survivor));
        if (result.end == ChildEnd::exited && result.status == 0) return std::move(result.output);
        throw Failure(ExitCode::unreachable, why(result));
    }

    [[nodiscard]] std::string why(const ChildResult& result) const {
        switch (result.end) {
            case ChildEnd::exited:
                break;
            case ChildEnd::signalled:
                return fmt::format("{} was ended by signal {}", program_name, result.status);
            case ChildEnd::timed_out:
                return fmt::format("no answer within {} s",
                                   std::chrono::duration<double>(options_.timeout).count());
            case ChildEnd::flooded:
                return "the answer is longer than any drive's";
            case ChildEnd::told_to_stop:
                return "stopped before they had come";
        }
        const auto line = printable(result.errors.substr(0, result.errors.find('\n')), 200);
        return line.empty() ? fmt::format("exit status {}", result.status) : line;
    }

    std::unique_ptr<HealthSource> other_;
    std::string device_;
    NvmeSourceOptions options_;
    bool planned_ = false;
    std::string pci_line_;
    std::vector<LogRequest> requests_;  ///< What is asked for, and was not refused.
};

}  // namespace

std::unique_ptr<HealthSource> with_nvme_logs(std::unique_ptr<HealthSource> other, std::string device_path,
                                             NvmeSourceOptions options) {
    if (!is_nvme(device_path)) return other;
    return std::make_unique<NvmeSource>(std::move(other), std::move(device_path), std::move(options));
}

}  // namespace wearout::health
