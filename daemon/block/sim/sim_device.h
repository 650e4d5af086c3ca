#pragma once

#include "base/clock.h"
#include "block/block_device.h"
#include "block/sim/ftl.h"
#include "block/sim/sim_image.h"
#include "block/sim/sim_smart.h"
#include "block/sim/thermometer.h"
#include "block/target.h"
#include "facts/drive.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace wearout::block::sim {

/// Who the drive `name` of this geometry is; its model says that it is simulated.
[[nodiscard]] Drive describe(const std::string& name, const SimGeometry& geometry);

/// A simulated drive at work. Each request is done when it is submitted, in the caller's thread, and is
/// durable then: there is no volatile cache, and flush() has nothing to do. (Durable against the end of the
/// process; a crash of the machine may lose what the kernel had not written back, and damage the image.)
/// Writes to a drive at the end of its life fail with EIO; when the file system of the image is full, the
/// drive is gone with ENOSPC, since it is not the drive that fails then.
///
/// Power: opening is a power cycle, and one that finds the drive still powered counts an unsafe shutdown.
/// Throws a Failure (unreachable) where the image is damaged. `clock` outlives the device. smart_json() and
/// facts() are for any thread, the rest for one.
class SimDevice final : public BlockDevice, public SmartFace {
  public:
    SimDevice(const std::string& name, Image image, const OpenOptions& options, Clock& clock);
    ~SimDevice() override;

    [[nodiscard]] const Geometry& geometry() const noexcept override { return geometry_; }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return queue_depth_; }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return buffer_bytes_; }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override;
    void submit(const IoRequest& request) override;
    std::size_t reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) override;
    [[nodiscard]] IoOutcome flush() override { return IoDone{}; }

    [[nodiscard]] std::string smart_json() const override;
    [[nodiscard]] SmartFacts facts() const;

  private:
    void check(const IoRequest& request) const;
    IoOutcome perform(const IoRequest& request);
    void keep_time() const;

    const Drive drive_;
    const Geometry geometry_;
    const std::uint32_t queue_depth_;
    const std::uint32_t buffer_bytes_;
    const bool reads_only_;
    Clock& clock_;
    std::unique_ptr<std::byte, void (*)(void*)> buffers_;
    std::vector<IoCompletion> done_;

    /// Guards all below. Asking for the facts brings the clocks of the model up to date, hence mutable.
    mutable std::mutex mutex_;
    mutable Image image_;
    Ftl ftl_;
    mutable Thermometer thermometer_;
    mutable SteadyTime last_;
};

}  // namespace wearout::block::sim
