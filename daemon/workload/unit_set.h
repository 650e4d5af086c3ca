#pragma once

#include "facts/run_spec.h"

#include <cstddef>
#include <vector>

namespace wearout::workload {

/// Ranges of units as MediaState::unknown keeps them: sorted, not empty, apart (no two touch), and at most
/// `max_ranges`; past that the two with the smallest gap are joined with what lies between, so that the set
/// never forgets a unit.
void add_units(std::vector<UnitRange>& set, UnitRange units, std::size_t max_ranges);

/// Takes `units` out; where that would make too many ranges, some stay in.
void remove_units(std::vector<UnitRange>& set, UnitRange units, std::size_t max_ranges);

}  // namespace wearout::workload
