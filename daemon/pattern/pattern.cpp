#include "pattern/pattern.h"

#include "pattern/examine.h"
#include "pattern/generator.h"

#include <algorithm>
#include <limits>

namespace wearout::pattern {
namespace {

void add_saturating(std::uint64_t& sum, std::uint64_t more) {
    sum += std::min(more, std::numeric_limits<std::uint64_t>::max() - sum);
}

/// How far from its place the content of a finding belongs.
std::optional<std::int64_t> displacement(const Finding& finding) {
    if (!finding.source_lba) return std::nullopt;
    return *finding.source_lba - finding.lba;
}

bool same_trouble(const Finding& a, const Finding& b) {
    return a.cls == b.cls && a.expected == b.expected && a.found == b.found &&
           displacement(a) == displacement(b) && a.foreign_run == b.foreign_run &&
           a.foreign_drive == b.foreign_drive && a.torn_sectors == b.torn_sectors && a.error == b.error;
}

}  // namespace

void generate(const PatternId& id, Lba first, Generation generation, std::span<std::byte> out) {
    Generator(id).fill(first, generation, out);
}

bool matches(const PatternId& id, Lba first, Generation generation, std::span<const std::byte> data) {
    return Generator(id).same(first, generation, data);
}

std::vector<Finding> examine(const PatternId& id, Lba first, const Expectation& expectation,
                             std::span<const std::byte> data) {
    return Examiner(Generator(id), Generator(id, kernels().back()), expectation).examine(first, data);
}

bool merge(Finding& into, const Finding& next) {
    if (into.lba + into.sectors != next.lba || !same_trouble(into, next)) return false;
    add_saturating(into.sectors, next.sectors);
    add_saturating(into.flips_to_one, next.flips_to_one);
    add_saturating(into.flips_to_zero, next.flips_to_zero);
    return true;
}

}  // namespace wearout::pattern
