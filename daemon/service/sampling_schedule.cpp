#include "service/sampling_schedule.h"

#include "base/hash.h"

#include <algorithm>
#include <utility>

namespace wearout::service {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds longest_back_off = 1h;
constexpr milliseconds longest_spread = 10s;
/// A drive that fails to answer is kept busy with that for one eleventh of the time at most.
constexpr int rest_per_failure = 10;

/// A run begins and ends with a question even where the drive fails to answer.
bool is_urgent(SampleReason reason) {
    return reason != SampleReason::periodic && reason != SampleReason::pass;
}

nanoseconds part_of(nanoseconds whole, double part) {
    return nanoseconds(static_cast<nanoseconds::rep>(static_cast<double>(whole.count()) * part));
}

}  // namespace

SamplingSchedule::SamplingSchedule(Settings settings, SteadyTime now)
    : settings_(std::move(settings)),
      random_(static_cast<std::mt19937::result_type>(fnv1a64(settings_.spread_by))),
      request_due_(now),
      next_periodic_(periodic_after(now, 0.5, 1.0)),
      earliest_(now),
      earliest_in_doubt_(now) {}

double SamplingSchedule::random_part() {
    return static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
}

SteadyTime SamplingSchedule::periodic_after(SteadyTime now, double low, double high) {
    const nanoseconds whole = interval();
    if (settings_.spread_by.empty()) return now + whole;
    return now + part_of(whole, low + (high - low) * random_part());
}

milliseconds SamplingSchedule::interval() const {
    const auto most = std::max(settings_.interval, std::min(8 * settings_.interval, longest_back_off));
    auto result = settings_.interval;
    for (std::uint32_t i = 0; i < failures_ && result < most; ++i)
        result *= 2;
    return std::min(result, most);
}

void SamplingSchedule::request(SampleReason reason, SteadyTime now) {
    requested_ = reason;
    request_due_ = now;
}

void SamplingSchedule::request_soon(SampleReason reason, SteadyTime now) {
    request(reason, now);
    if (settings_.spread_by.empty()) return;
    request_due_ += part_of(std::min(settings_.interval / 10, longest_spread), random_part());
}

SteadyTime SamplingSchedule::next() const {
    if (!requested_) return next_periodic_;
    const auto earliest = is_urgent(*requested_) ? earliest_ : std::max(earliest_, earliest_in_doubt_);
    return std::min(std::max(request_due_, earliest), next_periodic_);
}

SampleReason SamplingSchedule::begin(SteadyTime now) {
    next_periodic_ = periodic_after(now, 0.9, 1.1);
    return std::exchange(requested_, std::nullopt).value_or(SampleReason::periodic);
}

void SamplingSchedule::end(SamplingOutcome outcome, SteadyTime now, nanoseconds took) {
    earliest_ = now + settings_.min_gap;
    earliest_in_doubt_ = earliest_;
    const auto failures_before = failures_;
    if (outcome == SamplingOutcome::answered) failures_ = 0;
    if (outcome == SamplingOutcome::failed) {
        ++failures_;
        earliest_in_doubt_ = std::max(earliest_, now + rest_per_failure * took);
    }
    if (failures_ != failures_before)
        next_periodic_ = std::max(periodic_after(now, 0.9, 1.1), earliest_in_doubt_);
}

void SamplingSchedule::forget_failures() {
    failures_ = 0;
    earliest_in_doubt_ = earliest_;
}

}  // namespace wearout::service
