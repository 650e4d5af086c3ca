#pragma once

#include "base/fd.h"
#include "block/sim/sim_format.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wearout::block::sim {

/// Stores into the mapping in such a way that a process killed at any instruction has left everything that
/// comes before it and nothing that comes after. (The kernel keeps a dead process's stores in program order;
/// so it is the compiler that must not reorder.)
template <typename T>
void publish(T& place, T value) {
    static_assert(std::atomic_ref<T>::is_always_lock_free);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::atomic_ref<T>(place).store(value, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// A simulated drive's file (sim_format.h), locked and mapped shared; or the same in anonymous memory.
///
/// Storing into a hole of a mapped file kills the process by SIGBUS when the file system is full. So nothing
/// is stored that was not allocated before: header, blocks and map when the file is made, a block's data by
/// reserve_block(). Copying file systems are asked not to copy this file.
class Image {
  public:
    /// A new drive's file. Appears under `path` only when it is whole. Throws a Failure: unreachable (cannot
    /// be made, no space), refused (being made by another process).
    [[nodiscard]] static Image create(const std::string& path, const SimGeometry& geometry);
    /// An existing drive's file; nothing is stored into it yet. Throws a Failure: unreachable (not there,
    /// damaged, not such a file, of a newer version), refused (in use).
    [[nodiscard]] static Image open(const std::string& path);
    /// A drive that lives as long as this object.
    [[nodiscard]] static Image anonymous(const SimGeometry& geometry);
    /// The geometry of an existing drive, without locking or mapping it; nothing where there is no such file.
    /// Throws a Failure (unreachable) as open() does.
    [[nodiscard]] static std::optional<SimGeometry> peek(const std::string& path);

    Image(Image&& other) noexcept;
    Image& operator=(Image&&) = delete;
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    ~Image();

    [[nodiscard]] const SimGeometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] Counters& counters() noexcept;
    [[nodiscard]] std::span<BlockRecord> blocks() noexcept;
    [[nodiscard]] std::span<std::uint32_t> map() noexcept;
    /// page_bytes bytes.
    [[nodiscard]] std::byte* page(std::uint32_t physical) noexcept {
        return base_ + layout_.data + std::uint64_t{physical} * page_bytes;
    }

    /// Makes sure that the block's data can be stored. 0, or an errno (ENOSPC).
    [[nodiscard]] int reserve_block(std::uint32_t block);

  private:
    Image(std::string path, Fd fd, const SimGeometry& geometry);

    std::string path_;
    Fd fd_;
    SimGeometry geometry_;
    ImageLayout layout_;
    std::byte* base_ = nullptr;
    std::vector<bool> reserved_;
};

}  // namespace wearout::block::sim
