#pragma once

#include "block/fault_device.h"
#include "support/run_rig.h"

namespace wearout::test {

/// A rig over a drive that lies by rule. The rules are the caller's to add, after open().
struct FaultyRig {
    FaultyRig(std::uint64_t units, std::uint32_t passes, std::uint64_t seed,
              std::uint32_t logical_block = 512)
        : rig({{units * unit_bytes}, logical_block}, spec_for(units, passes), seed) {
        rig.wrap = [this, seed](std::unique_ptr<block::MemoryDevice> memory) {
            auto made = std::make_unique<block::FaultDevice>(std::move(memory), seed, rig.clock);
            faults = made.get();
            return made;
        };
    }
    static RunSpec spec_for(std::uint64_t units, std::uint32_t passes) {
        RunSpec spec = make_spec(0, units);
        spec.limits.passes = passes;
        return spec;
    }
    /// Every request to these sectors answers with an error, for good.
    void break_sectors(block::FaultKind kind, std::uint64_t first, std::uint64_t count,
                       int error = EIO) const {
        faults->add({.kind = kind,
                     .offset = first * sector_bytes,
                     .length = count * sector_bytes,
                     .times = block::Fault::always,
                     .error = error});
    }
    [[nodiscard]] std::uint64_t ranges(FindingClass cls) const {
        return rig.counters().findings.ranges.at(static_cast<std::size_t>(cls));
    }
    [[nodiscard]] std::uint64_t sectors(FindingClass cls) const {
        return rig.counters().findings.sectors.at(static_cast<std::size_t>(cls));
    }

    Rig rig;
    block::FaultDevice* faults = nullptr;
};

}  // namespace wearout::test
