#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace wearout::block {

class BlockDevice;
struct IoRequest;

/// A device's transfer buffers: `count` of `bytes` each in one zeroed allocation, every one aligned to 4096
/// bytes. In huge pages where the kernel has them, so that a transfer is few segments.
class IoBuffers {
  public:
    /// `bytes` is a multiple of 4096. Throws std::bad_alloc.
    IoBuffers(std::uint32_t count, std::uint32_t bytes);

    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint32_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::span<std::byte> at(std::uint32_t index) const noexcept {
        return {memory_.get() + std::size_t{index} * bytes_, bytes_};
    }

  private:
    struct Free {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::uint32_t count_;
    std::uint32_t bytes_;
    std::unique_ptr<std::byte, Free> memory_;
};

/// Throws std::logic_error when a request breaks the rules of BlockDevice::submit: misaligned, empty, past
/// the end, longer than a buffer, or with a buffer that does not exist.
void check_request(const IoRequest& request, const BlockDevice& device);

}  // namespace wearout::block
