#include "analysis/counter_unit.h"

#include "analysis/rate.h"
#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace wearout::analysis {

namespace {

/// Of smartmontools' drive database, NVMe (1000 units of 512 bytes) and SCSI (10^9 bytes). 65536 sectors of
/// 512 bytes are 32 MiB.
constexpr std::array all_known_units = {
    KnownUnit{1, "1 B"},
    KnownUnit{512, "512 B"},
    KnownUnit{4096, "4096 B"},
    KnownUnit{512'000, "1000 x 512 B"},
    KnownUnit{1'000'000, "1 MB"},
    KnownUnit{INT64_C(1) << 20U, "1 MiB"},
    KnownUnit{4'096'000, "1000 x 4096 B"},
    KnownUnit{INT64_C(1) << 25U, "32 MiB"},
    KnownUnit{INT64_C(1) << 26U, "64 MiB"},
    KnownUnit{INT64_C(1) << 28U, "65536 x 4096 B"},
    KnownUnit{1'000'000'000, "1 GB"},
    KnownUnit{INT64_C(1) << 30U, "1 GiB"},
};

constexpr double confidence = 0.99;
/// What a drive counts beside our writes, as a share of them.
constexpr double strangers = 0.02;
/// So many moves, and steps, make a line.
constexpr std::size_t least_moves = 8;
constexpr std::int64_t least_steps = 16;
/// A unit is told apart from others when its interval is no wider than this share of it.
constexpr double sharp = 0.1;
/// A counter that has not moved after so many of its steps were due (where its unit is not known, of the
/// largest known unit) and for so long, stands still: some are brought up to date once an hour only.
constexpr std::uint64_t due_steps = 64;
constexpr auto due_time = std::chrono::hours(6);

std::span<const CounterPoint> since_last_fall(std::span<const CounterPoint> points) {
    std::size_t begin = points.size();
    while (begin > 1 && points[begin - 2].raw <= points[begin - 1].raw &&
           points[begin - 2].written <= points[begin - 1].written)
        --begin;
    return points.empty() ? points : points.subspan(begin - 1);
}

/// The moments at which it had just moved. The first point is left out: nobody knows how late it was.
std::vector<Point> moves(std::span<const CounterPoint> points) {
    std::vector<Point> result;
    for (std::size_t i = 1; i < points.size(); ++i)
        if (points[i].raw != points[i - 1].raw)
            result.push_back({terabytes(points[i].written - points.front().written),
                              static_cast<double>(points[i].raw - points.front().raw)});
    return result;
}

void note_lateness(std::span<const CounterPoint> points, CounterUnit& unit) {
    std::size_t moved = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].raw == points[i - 1].raw) {
            unit.longest_still = std::max(unit.longest_still, points[i].written - points[moved].written);
            unit.longest_still_time = std::max(unit.longest_still_time, points[i].time - points[moved].time);
        } else {
            moved = i;
        }
    }
}

void measure(const std::vector<Point>& moved, CounterUnit& unit) {
    const auto line = fit_line(moved);
    if (!line || line->slope <= 0) return;
    const double rounding = 1 / std::sqrt(12.0);
    const double sd = std::max(line->residual_sd, rounding);
    const double error = student_t(line->degrees, confidence) * sd / std::sqrt(line->sum_xx);
    constexpr double bytes_per_tb = 1e12;
    unit.bytes_per_step = bytes_per_tb / line->slope;
    unit.low = bytes_per_tb / (line->slope + error) * (1 - strangers);
    unit.high = line->slope > error ? bytes_per_tb / (line->slope - error) * (1 + strangers) : INFINITY;
}

bool holds(const CounterUnit& unit, std::int64_t bytes) {
    return unit.low <= static_cast<double>(bytes) && static_cast<double>(bytes) <= unit.high;
}

CounterVerdict judge(const CounterUnit& unit) {
    const bool measured = unit.bytes_per_step > 0;
    if (!measured || unit.high - unit.low > sharp * unit.bytes_per_step) return CounterVerdict::unsettled;
    if (unit.catalogue_step)
        return holds(unit, *unit.catalogue_step) ? CounterVerdict::agrees : CounterVerdict::contradicts;
    return unit.step ? CounterVerdict::learnt : CounterVerdict::unknown;
}

bool stands_still(const CounterUnit& unit, std::chrono::milliseconds watched) {
    const auto step = unit.catalogue_step.value_or(all_known_units.back().bytes);
    return unit.grown == 0 && unit.samples >= least_moves && watched >= due_time && step > 0 &&
           unit.written.value / due_steps >= static_cast<std::uint64_t>(step);
}

}  // namespace

std::span<const KnownUnit> known_units() {
    return all_known_units;
}

std::string unit_name(std::int64_t bytes) {
    for (const auto& known : all_known_units)
        if (known.bytes == bytes) return std::string(known.name);
    return fmt::format("{} B", bytes);
}

CounterUnit learn_unit(std::span<const CounterPoint> points, CounterUnit identity) {
    CounterUnit unit = std::move(identity);
    points = since_last_fall(points);
    unit.samples = points.size();
    if (points.empty()) return unit;
    unit.written = points.back().written - points.front().written;
    unit.grown = points.back().raw - points.front().raw;
    unit.updated = points.back().time;
    note_lateness(points, unit);
    if (stands_still(unit, points.back().time - points.front().time)) {
        unit.verdict = CounterVerdict::still;
        return unit;
    }
    const auto moved = moves(points);
    if (moved.size() >= least_moves && unit.grown >= least_steps) measure(moved, unit);
    if (unit.metric == Metric::nand_bytes_written) {
        unit.verdict = unit.grown > 0 ? CounterVerdict::moves : CounterVerdict::unsettled;
        return unit;
    }
    const auto fits = [&](const KnownUnit& known) { return holds(unit, known.bytes); };
    if (unit.bytes_per_step > 0 && std::ranges::count_if(all_known_units, fits) == 1)
        unit.step = std::ranges::find_if(all_known_units, fits)->bytes;
    unit.verdict = judge(unit);
    return unit;
}

std::string evidence(const CounterUnit& unit) {
    const auto bytes = [](double value) { return format_bytes({static_cast<std::uint64_t>(value)}); };
    std::string text = fmt::format("{} steps over {} written, {} samples", unit.grown,
                                   format_bytes(unit.written), unit.samples);
    if (unit.bytes_per_step > 0 && std::isfinite(unit.high))
        text += fmt::format(": {} a step (99 %: {} to {})", bytes(unit.bytes_per_step), bytes(unit.low),
                            bytes(unit.high));
    return text;
}

}  // namespace wearout::analysis
