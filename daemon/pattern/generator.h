#pragma once

#include "base/types.h"
#include "facts/run_spec.h"
#include "pattern/kernel.h"
#include "pattern/stamp.h"

#include <cstddef>
#include <span>

namespace wearout::pattern {

/// Makes and checks the sectors of one run, with the kernel that it was given. Copies are cheap; thread-safe.
class Generator {
  public:
    explicit Generator(const PatternId& id, const Kernel& kernel = kernels().front())
        : id_(id), kernel_(&kernel) {}

    [[nodiscard]] const PatternId& id() const { return id_; }
    /// `out` is whole sectors.
    void fill(Lba first, Generation generation, std::span<std::byte> out) const;
    /// True when every byte of `data`, whole sectors, is what fill() makes.
    [[nodiscard]] bool same(Lba first, Generation generation, std::span<const std::byte> data) const;

  private:
    [[nodiscard]] Stamp stamp(Lba lba, Generation generation) const {
        return {.run = id_.run, .drive = id_.drive, .lba = lba, .generation = generation};
    }

    PatternId id_;
    const Kernel* kernel_;
};

}  // namespace wearout::pattern
