#include "block/uring_device.h"

#include "base/error.h"
#include "block/presence.h"

#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>
#include <liburing.h>

namespace wearout::block {

namespace {

constexpr std::uint32_t max_attempts = 32;
constexpr std::chrono::milliseconds settle_poll{10};
constexpr std::chrono::hours longest_wait{1};

SteadyTime now() {
    return system_clock().steady();
}

bool is_block_device(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISBLK(status.st_mode);
}

[[noreturn]] void refuse_ring(int error) {
    if (error == EPERM || error == ENOSYS || error == EACCES)
        throw Failure(ExitCode::unreachable,
                      "the kernel gives this process no io_uring (see kernel.io_uring_disabled, or a "
                      "seccomp filter of a container): allow it");
    if (error == ENOMEM)
        throw Failure(ExitCode::unreachable,
                      "not enough memory that may be locked for io_uring: raise LimitMEMLOCK (ulimit -l)");
    throw Failure(ExitCode::unreachable, errno_text("io_uring", error));
}

}  // namespace

void UringDevice::CloseRing::operator()(io_uring* ring) const noexcept {
    ::io_uring_queue_exit(ring);
    std::default_delete<io_uring>()(ring);
}

UringDevice::UringDevice(Fd fd, const Geometry& geometry, const UringOptions& options)
    : fd_(std::move(fd)),
      geometry_(geometry),
      buffered_(options.buffered),
      is_block_(is_block_device(fd_.get())),
      buffers_(options.queue_depth, options.transfer_bytes),
      slots_(options.queue_depth) {
    ready_.reserve(options.queue_depth);
    set_up_ring();
    register_with_ring();
}

UringDevice::~UringDevice() {
    // What is under way still writes to the drive and into our buffers.
    while (slots_in(Slot::State::under_way) > 0) {
        io_uring_cqe* cqe = nullptr;
        const int result = ::io_uring_submit_and_wait_timeout(ring_.get(), &cqe, 1, nullptr, nullptr);
        if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) break;
        while (::io_uring_peek_cqe(ring_.get(), &cqe) == 0) {
            slots_[cqe->user_data].state = Slot::State::idle;
            ::io_uring_cqe_seen(ring_.get(), cqe);
        }
    }
    // The kernel takes a ring apart some time after it is closed. Until then a registered file would stay
    // open, and with it the exclusive claim on the drive.
    if (file_registered_) ::io_uring_unregister_files(ring_.get());
}

void UringDevice::set_up_ring() {
    // Disabled at first, so that the thread that uses the ring need not be the one that makes it. Kernels
    // before 6.1 do not know these flags.
    constexpr unsigned preferred =
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED;
    int result = -EINVAL;
    for (const unsigned flags : {preferred, 0U}) {
        auto ring = std::make_unique<io_uring>();
        result = ::io_uring_queue_init(queue_depth(), ring.get(), flags);
        if (result == 0) {
            ring_.reset(ring.release());
            needs_claim_ = flags != 0;
            break;
        }
        if (result != -EINVAL) break;
    }
    if (result != 0) refuse_ring(-result);
    if ((ring_->features & IORING_FEAT_EXT_ARG) == 0)
        throw Failure(ExitCode::unreachable, "io_uring of this kernel is too old: Linux 5.11 is needed");
}

void UringDevice::register_with_ring() {
    std::vector<iovec> vectors;
    for (std::uint32_t i = 0; i < queue_depth(); ++i)
        vectors.push_back({buffers_.at(i).data(), buffers_.at(i).size()});
    buffers_registered_ = ::io_uring_register_buffers(ring_.get(), vectors.data(), queue_depth()) == 0;
    const int fd = fd_.get();
    file_registered_ = ::io_uring_register_files(ring_.get(), &fd, 1) == 0;
}

void UringDevice::claim_ring() {
    if (!needs_claim_) return;
    // By hand, since the shared liburing 2.3 declares io_uring_enable_rings but does not export it.
    if (::syscall(__NR_io_uring_register, ring_->ring_fd, IORING_REGISTER_ENABLE_RINGS, nullptr, 0) != 0)
        throw std::logic_error(errno_text("enabling io_uring"));
    needs_claim_ = false;
}

void UringDevice::submit(const IoRequest& request) {
    check_request(request, *this);
    Slot& slot = slots_[request.buffer];
    if (slot.state != Slot::State::idle) throw std::logic_error("the buffer is in use by another request");
    claim_ring();
    slot = Slot{};
    slot.request = request;
    slot.state = Slot::State::under_way;
    slot.submitted = now();
    push(request.buffer);
    harvest();  // So that latencies are exact also for a caller who is busy between submitting and reaping.
}

void UringDevice::push(std::uint32_t index) {
    const Slot& slot = slots_[index];
    const IoRequest& request = slot.request;
    io_uring_sqe* sqe = ::io_uring_get_sqe(ring_.get());
    if (sqe == nullptr) throw std::logic_error("more requests than the ring has room for");
    std::byte* data = buffers_.at(index).data() + slot.done;
    const std::uint32_t length = request.length - slot.done;
    const std::uint64_t offset = request.offset + slot.done;
    const int fd = file_registered_ ? 0 : fd_.get();
    const int buffer = static_cast<int>(index);
    if (request.kind == IoKind::read) {
        if (buffers_registered_)
            ::io_uring_prep_read_fixed(sqe, fd, data, length, offset, buffer);
        else
            ::io_uring_prep_read(sqe, fd, data, length, offset);
    } else {
        if (buffers_registered_)
            ::io_uring_prep_write_fixed(sqe, fd, data, length, offset, buffer);
        else
            ::io_uring_prep_write(sqe, fd, data, length, offset);
    }
    // A request that was told to come again may block: let the kernel's own threads wait for it.
    const unsigned flags =
        (file_registered_ ? IOSQE_FIXED_FILE : 0U) | (slot.attempts > 0 ? IOSQE_ASYNC : 0U);
    ::io_uring_sqe_set_flags(sqe, flags);
    sqe->user_data = index;
    wait_for_kernel(std::chrono::nanoseconds(0));
}

void UringDevice::wait_for_kernel(std::chrono::nanoseconds at_most) {
    int result = 0;
    if (at_most.count() == 0) {
        result = ::io_uring_submit_and_get_events(ring_.get());
    } else {
        io_uring_cqe* cqe = nullptr;
        const auto seconds = std::chrono::floor<std::chrono::seconds>(at_most);
        __kernel_timespec time{seconds.count(), (at_most - seconds).count()};
        result = ::io_uring_submit_and_wait_timeout(ring_.get(), &cqe, 1, &time, nullptr);
    }
    // After the first five the entries stay in the submission ring, and the next call hands them over.
    switch (-result) {
        case EINTR:
        case EAGAIN:
        case EBUSY:
        case ENOMEM:
        case ETIME:
            return;
        default:
            if (result < 0) throw std::logic_error(errno_text("io_uring_enter", -result));
    }
}

void UringDevice::harvest() {
    io_uring_cqe* cqe = nullptr;
    while (::io_uring_peek_cqe(ring_.get(), &cqe) == 0) {
        const auto index = static_cast<std::uint32_t>(cqe->user_data);
        const int result = cqe->res;
        ::io_uring_cqe_seen(ring_.get(), cqe);
        answer(index, result);
    }
}

void UringDevice::answer(std::uint32_t index, int result) {
    Slot& slot = slots_[index];
    slot.latency = now() - slot.submitted;
    if (result == -EINTR || result == -EAGAIN) {
        if (++slot.attempts >= max_attempts) return fail(slot, -result);
        return push(index);
    }
    if (result < 0) return fail(slot, -result);

    const auto moved = static_cast<std::uint32_t>(result);
    if (slot.done + moved >= slot.request.length) return finish(slot, IoDone{});
    // A short answer. To go on, the rest must be aligned again.
    const std::uint32_t whole = moved - moved % geometry_.logical_block;
    if (whole == 0) return fail(slot, EIO);
    slot.done += whole;
    slot.attempts = 0;
    push(index);
}

void UringDevice::fail(Slot& slot, int error) {
    if (!is_block_ || means_gone(error)) return finish(slot, outcome_of_error(error, Presence::regular_file));
    slot.error = error;
    slot.state = Slot::State::suspect;
}

void UringDevice::finish(Slot& slot, const IoOutcome& outcome) {
    if (buffered_ && slot.request.kind == IoKind::read)
        ::posix_fadvise(fd_.get(), static_cast<off_t>(slot.request.offset), slot.request.length,
                        POSIX_FADV_DONTNEED);
    ready_.push_back({slot.request, outcome, slot.latency});
    slot.state = Slot::State::answered;
}

void UringDevice::settle_suspects() {
    if (slots_in(Slot::State::suspect) == 0) return;
    const Presence presence = presence_of(fd_.get(), geometry_.capacity);
    for (Slot& slot : slots_) {
        if (slot.state != Slot::State::suspect) continue;
        const bool time_is_up = now() >= slot.submitted + slot.latency + settle_time;
        if (presence == Presence::gone || time_is_up) finish(slot, outcome_of_error(slot.error, presence));
    }
}

std::uint32_t UringDevice::slots_in(Slot::State state) const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(slots_, [state](const Slot& slot) { return slot.state == state; }));
}

std::size_t UringDevice::reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) {
    claim_ring();
    const SteadyTime deadline = now() + std::min<std::chrono::nanoseconds>(timeout, longest_wait);
    wait_for_kernel(std::chrono::nanoseconds(0));
    for (;;) {
        harvest();
        settle_suspects();
        if (!ready_.empty() || out.empty()) break;
        const bool suspects = slots_in(Slot::State::suspect) > 0;
        if (!suspects && slots_in(Slot::State::under_way) == 0) break;
        std::chrono::nanoseconds wait = deadline - now();
        if (wait.count() <= 0) break;
        if (suspects) wait = std::min<std::chrono::nanoseconds>(wait, settle_poll);
        wait_for_kernel(wait);
    }
    const std::size_t count = std::min(out.size(), ready_.size());
    std::copy_n(ready_.begin(), count, out.begin());
    for (const IoCompletion& completion : out.first(count))
        slots_[completion.request.buffer].state = Slot::State::idle;
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

IoOutcome UringDevice::flush() {
    int result = 0;
    do {
        result = ::fdatasync(fd_.get());
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
        if (buffered_) ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
        return IoDone{};
    }
    const int error = errno;
    Presence presence = presence_of(fd_.get(), geometry_.capacity);
    for (auto waited = settle_poll; presence == Presence::there && waited <= settle_time;
         waited += settle_poll) {
        system_clock().sleep_for(settle_poll);
        presence = presence_of(fd_.get(), geometry_.capacity);
    }
    return outcome_of_error(error, presence);
}

}  // namespace wearout::block
