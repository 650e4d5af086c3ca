#pragma once

#include "base/types.h"
#include "facts/finding.h"
#include "facts/run_spec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wearout::pattern {

/// Fills `out` (whole sectors) with what generation `generation` of a run holds from `first` on: a stamp in
/// each sector, the rest incompressible and different for every sector and generation.
void generate(const PatternId& id, Lba first, Generation generation, std::span<std::byte> out);

/// True when `data` is exactly what generate() makes. The fast path of a verify pass.
[[nodiscard]] bool matches(const PatternId& id, Lba first, Generation generation,
                           std::span<const std::byte> data);

/// What a stretch may hold.
struct Expectation {
    Generation generation;
    /// A crash lies between: each sector may also hold this one (0: whatever it held before the run, i.e.
    /// anything).
    std::optional<Generation> or_else;
};

/// Compares unit by unit and names every sector that is wrong, as findings: adjacent sectors with the same
/// trouble are one finding; sequence, pass, time and reread are left to the caller. `first` lies on a unit,
/// `data` is whole sectors (a shorter last unit is allowed). Empty when all is as it may be. Reports lost
/// writes as `stale`, and a newer generation too: `found` says which. A unit of which a part is right and a
/// part older is `torn`: the old sectors are found, in stretches that all carry the unit's mask. Where a
/// sector may hold either of two and is a damaged copy of the older, it is compared with that (`expected`
/// says so). A stale or misdirected sector with a few flipped bits keeps its class and counts them. When this
/// computer makes the expected bytes differently the second time, the unit is `host_memory`.
[[nodiscard]] std::vector<Finding> examine(const PatternId& id, Lba first, const Expectation& expectation,
                                           std::span<const std::byte> data);

/// When `next` begins where `into` ends and both have the same trouble, makes `into` longer by it and says
/// true. The same trouble: class, expected and found generation, displacement, stranger, torn sectors and
/// errno are alike. `into` keeps its evidence and all that examine() leaves to the caller.
[[nodiscard]] bool merge(Finding& into, const Finding& next);

}  // namespace wearout::pattern
