#pragma once

#include "block/block_device.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace wearout::test {

using Data = std::vector<std::byte>;

inline Data random_data(std::size_t bytes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Data data(bytes);
    for (std::byte& byte : data)
        byte = static_cast<std::byte>(random());
    return data;
}

/// Waits for one completion, up to ten seconds.
inline block::IoCompletion reap_one(block::BlockDevice& device) {
    std::array<block::IoCompletion, 1> out;
    if (device.reap(out, std::chrono::seconds(10)) != 1) throw std::runtime_error("no completion came");
    return out[0];
}

/// One request after the other, from or into `data`; the outcome of the first that is not IoDone, or IoDone.
inline block::IoOutcome transfer(block::BlockDevice& device, block::IoKind kind, std::uint64_t offset,
                                 std::span<std::byte> data) {
    for (std::size_t done = 0; done < data.size();) {
        const auto length =
            static_cast<std::uint32_t>(std::min<std::size_t>(device.buffer_bytes(), data.size() - done));
        const auto buffer = device.buffer(0).first(length);
        const auto part = data.subspan(done, length);
        if (kind == block::IoKind::write) std::ranges::copy(part, buffer.begin());
        device.submit({kind, offset + done, length, 0});
        const auto completion = reap_one(device);
        if (!std::holds_alternative<block::IoDone>(completion.outcome)) return completion.outcome;
        if (kind == block::IoKind::read) std::ranges::copy(buffer, part.begin());
        done += length;
    }
    return block::IoDone{};
}

inline block::IoOutcome write(block::BlockDevice& device, std::uint64_t offset, Data data) {
    return transfer(device, block::IoKind::write, offset, data);
}

/// Throws when the device does not answer with data.
inline Data read(block::BlockDevice& device, std::uint64_t offset, std::size_t bytes) {
    Data data(bytes);
    if (!std::holds_alternative<block::IoDone>(transfer(device, block::IoKind::read, offset, data)))
        throw std::runtime_error("a read failed");
    return data;
}

inline bool is_done(const block::IoOutcome& outcome) {
    return std::holds_alternative<block::IoDone>(outcome);
}

/// The errno of an IoFailed, or 0.
inline int failed_with(const block::IoOutcome& outcome) {
    const auto* failed = std::get_if<block::IoFailed>(&outcome);
    return failed == nullptr ? 0 : failed->error;
}

/// The errno of a DriveGone, or 0.
inline int gone_with(const block::IoOutcome& outcome) {
    const auto* gone = std::get_if<block::DriveGone>(&outcome);
    return gone == nullptr ? 0 : gone->error;
}

}  // namespace wearout::test
