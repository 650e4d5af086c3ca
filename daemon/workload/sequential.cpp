#include "workload/sequential.h"

#include <algorithm>

namespace wearout::workload {

Sequential::Sequential(UnitRange range, Bytes capacity, std::uint32_t transfer_bytes)
    : range_(range),
      capacity_(capacity),
      units_per_transfer_(std::max<std::uint64_t>(transfer_bytes / unit_bytes, 1)) {}

Extent Sequential::extent_at(std::uint64_t position, std::uint64_t limit) const {
    const std::uint64_t end = std::min(limit, positions());
    if (position >= end) return {position, unit_at(position), 0};
    return {position, unit_at(position), std::min(units_per_transfer_, end - position)};
}

std::uint64_t Sequential::bytes_of(const Extent& extent) const {
    const std::uint64_t begin = extent.first.byte_offset();
    const std::uint64_t end = std::min(begin + extent.units * unit_bytes, capacity_.value);
    return end > begin ? end - begin : 0;
}

namespace {

/// Shortens `content` so that it ends before the next unknown unit, or turns it into `nothing` up to the end
/// of the unknown units at its start.
Content apply_unknown(const MediaState& media, const Sequential& walk, std::uint64_t position,
                      std::uint64_t limit, Content content) {
    const UnitIndex unit = walk.unit_at(position);
    const auto next = std::upper_bound(media.unknown.begin(), media.unknown.end(), unit,
                                       [](UnitIndex u, const UnitRange& range) { return u < range.first; });
    if (next != media.unknown.begin() && std::prev(next)->contains(unit)) {
        const std::uint64_t left = std::min(std::prev(next)->end() - unit.value, limit - position);
        if (content.known != Content::Known::nothing) content.units = left;
        content.known = Content::Known::nothing;
        content.below_restart_mark = false;
        return content;
    }
    if (next != media.unknown.end() && content.known != Content::Known::nothing)
        content.units = std::min(content.units, next->first.value - unit.value);
    return content;
}

}  // namespace

Content content_at(const MediaState& media, const Sequential& walk, std::uint64_t position,
                   std::uint64_t limit) {
    limit = std::min(limit, walk.positions());
    Content content;
    if (position >= limit) return content;
    std::uint64_t end = limit;
    if (position < media.flushed_to) {
        content = {Content::Known::exact, media.generation, position < media.restart_mark, 0};
        end = std::min(end, media.flushed_to);
        if (content.below_restart_mark) end = std::min(end, media.restart_mark);
    } else if (position < media.issued_to) {
        content = {Content::Known::either, media.generation, false, 0};
        end = std::min(end, media.issued_to);
    } else {
        content = {Content::Known::exact, {media.generation.value - 1}, false, 0};
    }
    // In the first generation the content before it is unknown, and "either" is as good as nothing.
    const bool first_generation = media.generation.value <= 1;
    if (first_generation && position >= media.flushed_to) {
        content.known = Content::Known::nothing;
        end = limit;
    }
    content.units = end - position;
    return apply_unknown(media, walk, position, limit, content);
}

}  // namespace wearout::workload
