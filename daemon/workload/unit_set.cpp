#include "workload/unit_set.h"

#include <algorithm>
#include <iterator>

namespace wearout::workload {

namespace {

void join_closest(std::vector<UnitRange>& set) {
    auto best = set.begin();
    std::uint64_t best_gap = UINT64_MAX;
    for (auto it = set.begin(); std::next(it) != set.end(); ++it) {
        const std::uint64_t gap = std::next(it)->first.value - it->end();
        if (gap < best_gap) {
            best_gap = gap;
            best = it;
        }
    }
    best->count = std::next(best)->end() - best->first.value;
    set.erase(std::next(best));
}

}  // namespace

void add_units(std::vector<UnitRange>& set, UnitRange units, std::size_t max_ranges) {
    if (units.count == 0) return;
    // Everything that overlaps or touches `units` becomes one range with it.
    const auto first = std::find_if(set.begin(), set.end(),
                                    [&](const UnitRange& range) { return range.end() >= units.first.value; });
    const auto last = std::find_if(first, set.end(),
                                   [&](const UnitRange& range) { return range.first.value > units.end(); });
    if (first != last) {
        const std::uint64_t end = std::max(units.end(), std::prev(last)->end());
        units.first = std::min(units.first, first->first);
        units.count = end - units.first.value;
    }
    set.insert(set.erase(first, last), units);
    while (set.size() > max_ranges)
        join_closest(set);
}

void remove_units(std::vector<UnitRange>& set, UnitRange units, std::size_t max_ranges) {
    if (units.count == 0) return;
    std::vector<UnitRange> left;
    left.reserve(set.size() + 1);
    for (const UnitRange& range : set) {
        if (range.end() <= units.first.value || range.first.value >= units.end()) {
            left.push_back(range);
            continue;
        }
        if (range.first < units.first) left.push_back({range.first, units.first.value - range.first.value});
        if (range.end() > units.end()) left.push_back({{units.end()}, range.end() - units.end()});
    }
    set = std::move(left);
    while (set.size() > max_ranges)
        join_closest(set);
}

}  // namespace wearout::workload
