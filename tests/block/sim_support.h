#pragma once

#include "block/block_device.h"
#include "block/sim/ftl.h"
#include "block/sim/sim_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// What the tests of the simulated drive share.
namespace wearout::block::sim {

/// A folder of its own that is gone with everything in it at the end.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "wearout-sim-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
        path_ = pattern;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// A drive small enough to be worn out in a test.
inline SimGeometry small_drive(Options more = {}) {
    Options options{{"size", "4MiB"}, {"erase-block", "32KiB"}, {"endurance", "60"}};
    for (auto& option : more) {
        std::erase_if(options, [&](const auto& have) { return have.first == option.first; });
        options.push_back(option);
    }
    return plan_geometry("small", options);
}

/// Different bytes for each seed, not all of them zero.
inline void fill(std::span<std::byte> bytes, std::uint64_t seed) {
    std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof state) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::memcpy(bytes.data() + at, &state, std::min(sizeof state, bytes.size() - at));
    }
}

/// The naive drive: an array of bytes.
class ByteArray {
  public:
    explicit ByteArray(Bytes capacity) : bytes_(capacity.value) {}
    void write(std::uint64_t offset, std::span<const std::byte> from) {
        std::ranges::copy(from, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::size_t length) const {
        return std::span(bytes_).subspan(offset, length);
    }
    /// Where `ftl` differs, or the capacity where it does not.
    [[nodiscard]] std::uint64_t first_difference(Ftl& ftl) const {
        std::vector<std::byte> read(bytes_.size());
        ftl.read(0, read);
        return static_cast<std::uint64_t>(std::ranges::mismatch(read, bytes_).in1 - read.begin());
    }

  private:
    std::vector<std::byte> bytes_;
};

/// Throws where a sum that must hold at every moment does not.
inline void check_conservation(Image& image, const Ftl& ftl) {
    const Counters& counters = image.counters();
    const auto demand = [](bool holds, const char* what) {
        if (!holds) throw std::runtime_error(what);
    };
    demand(counters.flash_pages == counters.host_pages + counters.moved_pages + ftl.flash().program_fails(),
           "flash pages are those of the host, those moved, and failed programs");
    std::uint64_t erases = 0;
    std::uint32_t most = 0;
    std::uint32_t retired = 0;
    std::uint64_t programmed = 0;
    for (const BlockRecord& block : image.blocks()) {
        erases += block.erase_count;
        most = std::max(most, block.erase_count);
        programmed += block.programmed;
        if (block.state == BlockState::program_failed || block.state == BlockState::erase_failed) ++retired;
    }
    demand(erases == ftl.flash().total_erases(), "the total of erases is the sum over the blocks");
    demand(most == ftl.flash().max_erases(), "the most erases are those of one block");
    demand(retired == ftl.flash().retired(), "the retired blocks are those whose state says so");
    demand(programmed <= counters.flash_pages, "no more pages are programmed than were ever");
    demand(erases * image.geometry().pages_per_block() + programmed >= counters.flash_pages,
           "a page is programmed once in a cycle");
}

}  // namespace wearout::block::sim
