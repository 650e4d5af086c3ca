#include "block/fault_device.h"

#include "block/io_buffers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <stdexcept>

namespace wearout::block {

namespace {

enum class Touches { reads, writes, both, flushes, all };

Touches touched_by(FaultKind kind) {
    switch (kind) {
        case FaultKind::flip_on_read:
        case FaultKind::read_error:
            return Touches::reads;
        case FaultKind::flip_on_write:
        case FaultKind::lost_write:
        case FaultKind::misdirected_write:
        case FaultKind::torn_write:
        case FaultKind::zeroed_write:
        case FaultKind::write_error:
            return Touches::writes;
        case FaultKind::stall:
            return Touches::both;
        case FaultKind::flush_error:
            return Touches::flushes;
        case FaultKind::drive_gone:
            return Touches::all;
    }
    return Touches::all;
}

bool touches(FaultKind kind, IoKind request) {
    const Touches touched = touched_by(kind);
    if (touched == Touches::both || touched == Touches::all) return true;
    return touched == (request == IoKind::read ? Touches::reads : Touches::writes);
}

bool corrupts(FaultKind kind) {
    switch (kind) {
        case FaultKind::flip_on_read:
        case FaultKind::flip_on_write:
        case FaultKind::lost_write:
        case FaultKind::misdirected_write:
        case FaultKind::torn_write:
        case FaultKind::zeroed_write:
            return true;
        case FaultKind::read_error:
        case FaultKind::write_error:
        case FaultKind::flush_error:
        case FaultKind::stall:
        case FaultKind::drive_gone:
            return false;
    }
    return false;
}

}  // namespace

FaultDevice::Range FaultDevice::whole_blocks(Range range, std::uint64_t block) {
    return {range.begin - range.begin % block, (range.end + block - 1) / block * block};
}

FaultDevice::FaultDevice(std::unique_ptr<BlockDevice> inner, std::uint64_t seed, Clock& clock)
    : inner_(std::move(inner)), clock_(clock), random_(seed), slots_(inner_->queue_depth()) {
    if (inner_->queue_depth() < 2) throw std::logic_error("a FaultDevice needs two buffers below it");
}

void FaultDevice::clear() {
    rules_.clear();
    gone_ = false;
}

bool FaultDevice::hit(Rule& rule) {
    if (rule.matched++ < rule.fault.after || rule.hits >= rule.fault.times) return false;
    if (rule.fault.one_in > 1 && random_() % rule.fault.one_in != 0) return false;
    ++rule.hits;
    return true;
}

void FaultDevice::submit(const IoRequest& request) {
    check_request(request, *this);
    ++operation_;
    Slot& slot = slots_[request.buffer];
    slot = Slot{};
    // What the drive refuses it does not corrupt as well: the log tells only what happened.
    apply_rules(request, false);
    if (gone_) slot.outcome = DriveGone{ENODEV};
    if (slot.outcome) return hold({request, *slot.outcome, std::chrono::nanoseconds(0)});
    apply_rules(request, true);
    inner_->submit(request);
    ++inner_under_way_;
}

void FaultDevice::apply_rules(const IoRequest& request, bool corrupting) {
    const std::uint64_t end = request.offset + request.length;
    for (Rule& rule : rules_) {
        const Fault& fault = rule.fault;
        if (corrupts(fault.kind) != corrupting || !touches(fault.kind, request.kind)) continue;
        if (gone_ || slots_[request.buffer].outcome) return;
        const std::uint64_t fault_end =
            fault.length > UINT64_MAX - fault.offset ? UINT64_MAX : fault.offset + fault.length;
        const Range range{std::max(request.offset, fault.offset), std::min(end, fault_end)};
        if (range.begin < range.end && hit(rule)) apply(fault, request, range);
    }
}

void FaultDevice::apply(const Fault& fault, const IoRequest& request, Range range) {
    Slot& slot = slots_[request.buffer];
    if (request.kind == IoKind::write && fault.kind != FaultKind::flip_on_write)
        range = whole_blocks(range, sector_bytes);
    switch (fault.kind) {
        case FaultKind::flip_on_read:
        case FaultKind::flip_on_write:
            return flip(fault, request, range);
        case FaultKind::lost_write:
            if (keep_old(request, range)) record(fault, range);
            return;
        case FaultKind::misdirected_write:
            return misdirect(fault, request, range);
        case FaultKind::torn_write:
            return tear(fault, request, range);
        case FaultKind::zeroed_write:
            save(request, range);
            std::ranges::fill(part(request, range), std::byte{0});
            return record(fault, range);
        case FaultKind::read_error:
        case FaultKind::write_error:
            slot.outcome = IoFailed{fault.error};
            return record(fault, range);
        case FaultKind::stall:
            slot.delay += fault.delay;
            return record(fault, range);
        case FaultKind::drive_gone:
            gone_ = true;
            return record(fault, range);
        case FaultKind::flush_error:
            return;
    }
}

void FaultDevice::flip(const Fault& fault, const IoRequest& request, Range range) {
    const bool on_write = fault.kind == FaultKind::flip_on_write;
    if (on_write) save(request, range);
    Slot& slot = slots_[request.buffer];
    const std::uint64_t bits_in_range = (range.end - range.begin) * 8;
    std::set<std::uint64_t> flipped;
    while (flipped.size() < std::min<std::uint64_t>(fault.bits, bits_in_range)) {
        const std::uint64_t bit = random_() % bits_in_range;
        if (!flipped.insert(bit).second) continue;
        const std::uint64_t place = range.begin + bit / 8;
        const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
        const auto at = static_cast<std::size_t>(place - request.offset);
        if (on_write)
            inner_->buffer(request.buffer)[at] ^= std::byte{mask};
        else
            slot.flips_on_read.push_back({at, std::byte{mask}});
        record(fault, {place, place + 1}, mask);
    }
}

void FaultDevice::tear(const Fault& fault, const IoRequest& request, Range range) {
    const std::uint64_t first_unit = (range.begin + unit_bytes - 1) / unit_bytes;
    const std::uint64_t end_unit = range.end / unit_bytes;
    if (first_unit >= end_unit) {
        if (keep_old(request, range)) record(fault, range);
        return;
    }
    // One unit of the range, and of its sectors some, neither none nor all, stay as they are.
    const std::uint64_t unit = (first_unit + random_() % (end_unit - first_unit)) * unit_bytes;
    const std::uint64_t stay = 1 + random_() % ((1U << sectors_per_unit) - 2);
    for (std::uint32_t first = 0; first < sectors_per_unit;) {
        std::uint32_t last = first;
        while (last < sectors_per_unit && (stay >> last & 1U) != 0)
            ++last;
        const Range kept{unit + first * sector_bytes, unit + last * sector_bytes};
        if (last > first && keep_old(request, kept)) record(fault, kept);
        first = last + 1;
    }
}

void FaultDevice::misdirect(const Fault& fault, const IoRequest& request, Range range) {
    const std::uint32_t block = geometry().logical_block;
    range = whole_blocks(range, block);
    const std::uint64_t length = range.end - range.begin;
    const std::uint64_t places = (geometry().capacity.value - length) / block + 1;
    if (places < 2) return;
    std::uint64_t to = fault.to.value_or(range.begin);
    while (to == range.begin)
        to = random_() % places * block;
    // Elsewhere first: old content goes through the scratch buffer too.
    std::ranges::copy(part(request, range), inner_->buffer(queue_depth()).begin());
    if (scratch(IoKind::write, to, static_cast<std::uint32_t>(length)) && keep_old(request, range))
        record(fault, range, 0, to);
}

bool FaultDevice::keep_old(const IoRequest& request, Range range) {
    const Range blocks = whole_blocks(range, geometry().logical_block);
    if (!scratch(IoKind::read, blocks.begin, static_cast<std::uint32_t>(blocks.end - blocks.begin)))
        return false;
    save(request, range);
    const auto old =
        inner_->buffer(queue_depth()).subspan(static_cast<std::size_t>(range.begin - blocks.begin));
    const auto target = part(request, range);
    std::copy_n(old.begin(), target.size(), target.begin());
    return true;
}

void FaultDevice::save(const IoRequest& request, Range range) {
    const auto bytes = part(request, range);
    slots_[request.buffer].saved.push_back(
        {static_cast<std::size_t>(range.begin - request.offset), {bytes.begin(), bytes.end()}});
}

std::span<std::byte> FaultDevice::part(const IoRequest& request, Range range) {
    return inner_->buffer(request.buffer)
        .subspan(static_cast<std::size_t>(range.begin - request.offset),
                 static_cast<std::size_t>(range.end - range.begin));
}

bool FaultDevice::scratch(IoKind kind, std::uint64_t offset, std::uint32_t length) {
    scratch_outcome_.reset();
    inner_->submit({kind, offset, length, queue_depth()});
    ++inner_under_way_;
    while (!scratch_outcome_)
        take_from_inner(std::chrono::seconds(1));
    return std::holds_alternative<IoDone>(*scratch_outcome_);
}

void FaultDevice::record(const Fault& fault, Range range, std::uint8_t mask, std::uint64_t to) {
    const bool fails = fault.kind == FaultKind::read_error || fault.kind == FaultKind::write_error ||
                       fault.kind == FaultKind::flush_error;
    log_.push_back({fault.kind, operation_, clock_.steady(), range.begin, range.end - range.begin, mask, to,
                    fails ? fault.error : 0});
}

void FaultDevice::take_from_inner(std::chrono::milliseconds timeout) {
    if (inner_under_way_ == 0) return;
    std::array<IoCompletion, 16> batch;
    const std::size_t count = inner_->reap(batch, timeout);
    inner_under_way_ -= static_cast<std::uint32_t>(count);
    for (const IoCompletion& completion : std::span(batch).first(count)) {
        if (completion.request.buffer == queue_depth())
            scratch_outcome_ = completion.outcome;
        else
            arrived(completion);
    }
}

void FaultDevice::arrived(const IoCompletion& completion) {
    Slot& slot = slots_[completion.request.buffer];
    const auto data = inner_->buffer(completion.request.buffer);
    // The last change was made on top of the others, so it is undone first.
    for (auto saved = slot.saved.rbegin(); saved != slot.saved.rend(); ++saved)
        std::ranges::copy(saved->bytes, data.subspan(saved->at).begin());
    for (const Flip& flip : slot.flips_on_read)
        data[flip.at] ^= flip.mask;
    hold(completion);
}

void FaultDevice::hold(IoCompletion completion) {
    const auto delay = slots_[completion.request.buffer].delay;
    completion.latency += delay;
    held_.push_back({completion, clock_.steady() + delay});
}

std::size_t FaultDevice::deliver(std::span<IoCompletion> out) {
    std::size_t count = 0;
    const SteadyTime now = clock_.steady();
    std::erase_if(held_, [&](const Held& held) {
        if (count == out.size() || (held.due > now && !gone_)) return false;
        out[count] = held.completion;
        if (gone_) out[count].outcome = DriveGone{ENODEV};
        ++count;
        return true;
    });
    return count;
}

std::size_t FaultDevice::reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) {
    const SteadyTime deadline = clock_.steady() + timeout;
    take_from_inner(std::chrono::milliseconds(0));
    for (;;) {
        const std::size_t count = deliver(out);
        if (count > 0 || out.empty() || (held_.empty() && inner_under_way_ == 0)) return count;
        const std::chrono::nanoseconds left = deadline - clock_.steady();
        if (left.count() <= 0) return 0;
        if (held_.empty()) {
            take_from_inner(std::chrono::ceil<std::chrono::milliseconds>(left));
            if (held_.empty()) return 0;
            continue;
        }
        const auto next = std::ranges::min_element(held_, {}, &Held::due)->due;
        auto wait = std::min<std::chrono::nanoseconds>(left, next - clock_.steady());
        if (inner_under_way_ > 0)
            wait = std::min<std::chrono::nanoseconds>(wait, std::chrono::milliseconds(1));
        clock_.sleep_for(wait);
        take_from_inner(std::chrono::milliseconds(0));
    }
}

IoOutcome FaultDevice::flush() {
    ++operation_;
    for (Rule& rule : rules_) {
        const Touches touched = touched_by(rule.fault.kind);
        if (gone_ || (touched != Touches::flushes && touched != Touches::all) || !hit(rule)) continue;
        record(rule.fault, {});
        if (rule.fault.kind == FaultKind::flush_error) return IoFailed{rule.fault.error};
        gone_ = true;
    }
    if (gone_) return DriveGone{ENODEV};
    return inner_->flush();
}

}  // namespace wearout::block
