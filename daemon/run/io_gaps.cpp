#include "run/io_gaps.h"

#include <algorithm>

namespace wearout::run {

namespace {

/// What is usual is looked for in the last one or two of these.
constexpr std::chrono::seconds stretch{10};

template <typename Longest>
void lengthen(Longest& longest, std::chrono::nanoseconds gap) {
    longest = std::max(longest.value_or(gap), gap);
}

}  // namespace

void IoGaps::roll(SteadyTime now) {
    if (now - stretch_began_ < stretch) return;
    previous_ = now - stretch_began_ < 2 * stretch ? current_ : std::nullopt;
    current_.reset();
    stretch_began_ = now;
}

void IoGaps::completed(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    roll(now);
    if (last_ && asked_)
        lengthen(while_asked_, now - std::max(*last_, *asked_));
    else if (last_ && *last_ >= answered_)
        lengthen(current_, now - *last_);
    last_ = now;
}

void IoGaps::interrupted() {
    const std::lock_guard lock(mutex_);
    last_.reset();
}

void IoGaps::begin_question(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    roll(now);
    asked_ = now;
    while_asked_.reset();
    usual_ = current_;
    if (previous_) lengthen(usual_, *previous_);
}

std::optional<IoStall> IoGaps::end_question(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (!asked_) return std::nullopt;
    if (last_) lengthen(while_asked_, now - std::max(*last_, *asked_));
    asked_.reset();
    answered_ = now;
    if (!while_asked_ || !usual_) return std::nullopt;
    return IoStall{std::chrono::ceil<std::chrono::microseconds>(*while_asked_),
                   std::chrono::ceil<std::chrono::microseconds>(*usual_)};
}

}  // namespace wearout::run
