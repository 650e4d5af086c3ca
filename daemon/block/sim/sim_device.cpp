#include "block/sim/sim_device.h"

#include "base/quantity.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace wearout::block::sim {

namespace {

/// Of the model, which is what decides how a drive behaves.
constexpr std::string_view firmware = "SIM1";

std::byte* aligned_buffers(std::size_t bytes) {
    void* const memory = std::aligned_alloc(page_bytes, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
}

std::uint32_t rounded_up(std::uint32_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

IoOutcome outcome_of(Ftl::Written written) {
    switch (written) {
        case Ftl::Written::done:
            return IoDone{};
        case Ftl::Written::read_only:
            return IoFailed{EIO};
        case Ftl::Written::no_space:
            return DriveGone{ENOSPC};
    }
    std::abort();
}

}  // namespace

Drive describe(const std::string& name, const SimGeometry& geometry) {
    Drive drive;
    drive.key = "sim:" + name;
    drive.model = fmt::format("Wearout SIMULATED SSD {}", format_capacity(geometry.capacity));
    drive.serial = "SIM-" + name;
    drive.firmware = firmware;
    drive.transport = "simulated";
    drive.capacity = geometry.capacity;
    drive.logical_block_bytes = geometry.logical_block;
    drive.simulated = true;
    return drive;
}

SimDevice::SimDevice(const std::string& name, Image image, const OpenOptions& options, Clock& clock)
    : drive_(describe(name, image.geometry())),
      geometry_{image.geometry().capacity, image.geometry().logical_block},
      queue_depth_(options.queue_depth),
      buffer_bytes_(rounded_up(options.transfer_bytes)),
      reads_only_(options.reads_only),
      clock_(clock),
      buffers_(aligned_buffers(std::size_t{queue_depth_} * buffer_bytes_), std::free),
      image_(std::move(image)),
      ftl_(image_),
      thermometer_(clock.steady()),
      last_(clock.steady()) {
    done_.reserve(queue_depth_);
    Counters& counters = image_.counters();
    if (counters.powered != 0) ++counters.unsafe_shutdowns;
    if (counters.power_cycles == 0)
        counters.temperature_min = counters.temperature_max = thermometer_.celsius();
    ++counters.power_cycles;
    publish(counters.powered, 1U);
}

SimDevice::~SimDevice() {
    keep_time();
    publish(image_.counters().powered, 0U);
}

std::span<std::byte> SimDevice::buffer(std::uint32_t index) noexcept {
    return {buffers_.get() + std::size_t{index} * buffer_bytes_, buffer_bytes_};
}

void SimDevice::check(const IoRequest& request) const {
    const std::uint64_t capacity = geometry_.capacity.value;
    const std::uint32_t block = geometry_.logical_block;
    if (request.buffer >= queue_depth_ || request.length == 0 || request.length > buffer_bytes_ ||
        request.length % block != 0 || request.offset % block != 0 || request.offset > capacity ||
        request.length > capacity - request.offset)
        throw std::invalid_argument("simulated drive: a request outside of its geometry");
    if (done_.size() >= queue_depth_)
        throw std::invalid_argument("simulated drive: more requests than its queue takes");
}

void SimDevice::submit(const IoRequest& request) {
    check(request);
    const SteadyTime start = clock_.steady();
    const IoOutcome outcome = perform(request);
    done_.push_back({request, outcome, clock_.steady() - start});
}

IoOutcome SimDevice::perform(const IoRequest& request) {
    const std::span<std::byte> bytes = buffer(request.buffer).first(request.length);
    const std::lock_guard lock(mutex_);
    thermometer_.add(request.length);
    keep_time();
    if (request.kind == IoKind::read) {
        ftl_.read(request.offset, bytes);
        return IoDone{};
    }
    // What the kernel answers for a descriptor opened read-only.
    if (reads_only_) return IoFailed{EBADF};
    return outcome_of(ftl_.write(request.offset, bytes));
}

std::size_t SimDevice::reap(std::span<IoCompletion> out, std::chrono::milliseconds /*timeout*/) {
    const std::size_t count = std::min(out.size(), done_.size());
    const auto end = done_.begin() + static_cast<std::ptrdiff_t>(count);
    std::copy(done_.begin(), end, out.begin());
    done_.erase(done_.begin(), end);
    return count;
}

void SimDevice::keep_time() const {
    const SteadyTime now = clock_.steady();
    Counters& counters = image_.counters();
    counters.power_on_ns += static_cast<std::uint64_t>((now - last_).count());
    last_ = now;
    thermometer_.advance(now);
    const std::int32_t celsius = thermometer_.celsius();
    counters.temperature_min = std::min(counters.temperature_min, celsius);
    counters.temperature_max = std::max(counters.temperature_max, celsius);
}

SmartFacts SimDevice::facts() const {
    const std::lock_guard lock(mutex_);
    keep_time();
    const Counters& counters = image_.counters();
    const SimGeometry& model = image_.geometry();
    const Flash& flash = ftl_.flash();
    constexpr std::uint64_t hour_ns = 3'600'000'000'000;
    return {.name = drive_.key,
            .model = drive_.model,
            .serial = drive_.serial,
            .firmware = drive_.firmware,
            .capacity = drive_.capacity,
            .logical_block = drive_.logical_block_bytes,
            .endurance = model.endurance,
            .blocks_in_use = model.blocks() - model.factory_bad,
            .host_written = {counters.host_bytes_written},
            .host_read = {counters.host_bytes_read},
            .flash_written = {counters.flash_pages * page_bytes},
            .total_erases = flash.total_erases(),
            .max_erases = flash.max_erases(),
            .retired = flash.retired(),
            .factory_bad = model.factory_bad,
            .spare_total = model.spare_blocks(),
            .spare_left = ftl_.spare_left(),
            .program_fails = flash.program_fails(),
            .erase_fails = flash.erase_fails(),
            .read_only = ftl_.read_only(),
            .power_on_hours = counters.power_on_ns / hour_ns,
            .power_cycles = counters.power_cycles,
            .unsafe_shutdowns = counters.unsafe_shutdowns,
            .temperature = thermometer_.celsius(),
            .temperature_min = counters.temperature_min,
            .temperature_max = counters.temperature_max,
            .time = clock_.wall()};
}

std::string SimDevice::smart_json() const {
    return smart_document(facts());
}

}  // namespace wearout::block::sim
