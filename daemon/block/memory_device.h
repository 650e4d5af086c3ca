#pragma once

#include "base/clock.h"
#include "block/block_device.h"
#include "block/io_buffers.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

namespace wearout::block {

/// What a drive in memory holds, for tests: of any capacity, since pages are made when they are written;
/// unwritten bytes are zero. Outlives the devices that work on it, as a drive outlives a process. For one
/// thread.
class MemoryMedia {
  public:
    /// With `write_cache`, what was written since the last flush can be lost by cut_power(); without, every
    /// write is durable at once (and costs less).
    explicit MemoryMedia(const Geometry& geometry, bool write_cache = true, std::uint64_t seed = 1);
    MemoryMedia(const MemoryMedia&) = delete;
    MemoryMedia& operator=(const MemoryMedia&) = delete;

    [[nodiscard]] const Geometry& geometry() const noexcept { return geometry_; }

    /// Any bytes, aligned or not: what a drive would answer, or what it is told.
    void read(std::uint64_t offset, std::span<std::byte> out) const;
    void write(std::uint64_t offset, std::span<const std::byte> data);
    void flush();

    /// Changes content behind the drive's back: at once, and not undone by a power cut.
    void corrupt(std::uint64_t offset, std::span<const std::byte> data);

    /// The power goes: each 512-byte sector written since the last flush now holds, by the seed, what was
    /// durable or any of the versions since, independently of the others. Returns how many sectors went back.
    std::size_t cut_power();
    /// As write(), but power goes while it is under way: each sector arrives or not.
    void write_torn(std::uint64_t offset, std::span<const std::byte> data);

    [[nodiscard]] std::size_t pages_in_memory() const noexcept { return pages_.size(); }

  private:
    static constexpr std::size_t page_bytes = 4096;
    using Page = std::array<std::byte, page_bytes>;

    [[nodiscard]] Page& page(std::uint64_t index);

    Geometry geometry_;
    bool write_cache_;
    std::mt19937_64 random_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    /// By page, what it held before each write since the last flush; the first is what is durable. Ordered,
    /// so that a seed always gives the same cut.
    std::map<std::uint64_t, std::vector<Page>> older_;
};

struct MemoryOptions {
    std::uint32_t queue_depth = 16;
    std::uint32_t transfer_bytes = 1U << 20U;  ///< A multiple of 4096.
    /// Completions come in an order that this seed decides, and only some of them at a time; 0: in order of
    /// submission, all at once.
    std::uint64_t shuffle_seed = 0;
    /// What each request takes, spent by sleeping on the clock.
    std::chrono::nanoseconds service_time{0};
};

/// A BlockDevice over MemoryMedia. Data moves when a completion is reaped: whoever touches a buffer too early
/// sees it in the data.
class MemoryDevice final : public BlockDevice {
  public:
    /// `media` and `clock` must outlive the device.
    explicit MemoryDevice(MemoryMedia& media, const MemoryOptions& options = {},
                          Clock& clock = system_clock());
    /// Completes what is under way.
    ~MemoryDevice() override;

    [[nodiscard]] const Geometry& geometry() const noexcept override { return media_.geometry(); }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return buffers_.count(); }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return buffers_.bytes(); }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override {
        return buffers_.at(index);
    }
    void submit(const IoRequest& request) override;
    std::size_t reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) override;
    [[nodiscard]] IoOutcome flush() override;

    /// The power goes: writes under way arrive in part or not at all, unflushed ones are lost as
    /// MemoryMedia::cut_power() says, and nothing is under way any more.
    void cut_power();

  private:
    struct UnderWay {
        IoRequest request;
        SteadyTime submitted;
    };
    void transfer(const IoRequest& request);

    MemoryMedia& media_;
    MemoryOptions options_;
    Clock& clock_;
    IoBuffers buffers_;
    std::mt19937_64 random_;
    std::vector<UnderWay> under_way_;
};

}  // namespace wearout::block
