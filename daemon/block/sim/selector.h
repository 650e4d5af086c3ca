#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wearout::block::sim {

/// Which of a fixed number of slots has the smallest key (of equal ones the lowest slot): a tournament tree.
/// set() and clear() take logarithmic time, best() none, and none of them allocates. What is best depends
/// only on the keys, never on the order in which they were set.
class Selector {
  public:
    explicit Selector(std::uint32_t slots)
        : leaves_(std::bit_ceil(std::size_t{slots} + 1)), keys_(leaves_, absent), winners_(leaves_) {
        for (std::size_t node = leaves_ - 1; node >= 1; --node)
            winners_[node] = winner_of(2 * node);
    }

    /// The key is less than UINT64_MAX.
    void set(std::uint32_t slot, std::uint64_t key) {
        keys_[slot] = key;
        for (std::size_t node = (leaves_ + slot) / 2; node >= 1; node /= 2) {
            const std::uint32_t before = winners_[node];
            winners_[node] = better(winner_of(2 * node), winner_of(2 * node + 1));
            if (before != slot && winners_[node] == before) return;
        }
    }
    void clear(std::uint32_t slot) {
        if (keys_[slot] != absent) set(slot, absent);
    }

    [[nodiscard]] std::optional<std::uint32_t> best() const {
        const std::uint32_t slot = winners_[1];
        return keys_[slot] == absent ? std::nullopt : std::optional(slot);
    }
    [[nodiscard]] std::uint64_t key(std::uint32_t slot) const { return keys_[slot]; }

  private:
    static constexpr std::uint64_t absent = UINT64_MAX;

    [[nodiscard]] std::uint32_t winner_of(std::size_t node) const {
        return node >= leaves_ ? static_cast<std::uint32_t>(node - leaves_) : winners_[node];
    }
    [[nodiscard]] std::uint32_t better(std::uint32_t a, std::uint32_t b) const {
        return keys_[b] < keys_[a] ? b : a;
    }

    std::size_t leaves_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> winners_;  ///< Of each inner node; the root is 1.
};

}  // namespace wearout::block::sim
