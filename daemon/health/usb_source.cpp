#include "health/usb_source.h"

#include "health/device_type.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace wearout::health {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours rest_after_trying{1};
/// A bridge that understands a command answers it soon.
constexpr milliseconds longest_trial{30'000};

class UsbSource final : public HealthSource {
  public:
    UsbSource(std::string device, SmartctlOptions options, Expected expected, TypeMemory memory, Clock& clock)
        : device_(std::move(device)),
          options_(std::move(options)),
          expected_(std::move(expected)),
          memory_(std::move(memory)),
          clock_(clock),
          type_(memory_.known) {}

    RawAnswer ask() override {
        const auto began = clock_.steady();
        auto raw = ask_as(type_, options_.timeout);
        // What gave no answer says nothing against the type.
        if (raw.text.empty() || raw.asleep || options_.stop.stop_requested()) return raw;
        if (!type_.empty() && !is_answer_of_it(raw)) {
            type_.clear();
            raw = ask_as(type_, options_.timeout);
        }
        const auto result = read_answer(raw.text);
        const auto types = result.answer ? device_types_to_try(*result.answer) : std::vector<std::string>();
        if (!types.empty() && may_try())
            raw = try_types(std::move(raw), types);
        else if (!result.answer || !result.answer->has_data())
            type_ = memory_.known;  // Whatever it was, nothing better is known.
        if (!options_.stop.stop_requested() && type_ != memory_.known) {
            memory_.known = type_;
            memory_.remember(type_);
        }
        raw.took = std::chrono::round<milliseconds>(clock_.steady() - began);
        return raw;
    }

  private:
    [[nodiscard]] RawAnswer ask_as(const std::string& type, milliseconds timeout) const {
        SmartctlOptions options = options_;
        options.timeout = std::min(timeout, options_.timeout);
        if (!type.empty()) options.extra_arguments = {"-d", type};
        return smartctl_source(device_, std::move(options))->ask();
    }

    [[nodiscard]] bool may_try() {
        const auto now = clock_.steady();
        if (tried_ && now - *tried_ < rest_after_trying) return false;
        tried_ = now;
        return true;
    }

    [[nodiscard]] bool is_answer_of_it(const RawAnswer& raw) const {
        const auto result = read_answer(raw.text);
        if (!result.answer || !result.answer->has_data()) return false;
        const auto same = same_drive(*result.answer, expected_);
        if (same == SameDrive::no) return false;
        if (same == SameDrive::unsure && !fits_capacity(*result.answer, expected_)) return false;
        return !decode(raw).readings.empty();
    }

    /// The answer of the first type that fits; else `plain`, with what was tried.
    RawAnswer try_types(RawAnswer plain, const std::vector<std::string>& types) {
        const auto deadline = clock_.steady() + options_.timeout;
        std::vector<std::string> failed;
        for (const auto& type : types) {
            const auto left = std::chrono::floor<milliseconds>(deadline - clock_.steady());
            if (left <= milliseconds(0)) break;
            auto raw = ask_as(type, std::min(left, longest_trial));
            if (options_.stop.stop_requested()) return raw;
            failed.push_back(type);
            // A bridge that stumbles over a command is left alone.
            if (raw.text.empty()) break;
            if (!is_answer_of_it(raw)) continue;
            type_ = type;
            return raw;
        }
        plain.problem = fmt::format(
            "no device type that was tried ({}) gives this drive's wear counters; "
            "smart-device in wearoutd.conf can name one",
            fmt::join(failed, "; "));
        return plain;
    }

    std::string device_;
    SmartctlOptions options_;
    Expected expected_;
    TypeMemory memory_;
    Clock& clock_;
    std::string type_;  ///< That works; empty: smartctl's own choice.
    std::optional<SteadyTime> tried_;
};

}  // namespace

std::unique_ptr<HealthSource> usb_source(std::string device_path, SmartctlOptions options, Expected expected,
                                         TypeMemory memory, Clock& clock) {
    return std::make_unique<UsbSource>(std::move(device_path), std::move(options), std::move(expected),
                                       std::move(memory), clock);
}

}  // namespace wearout::health
