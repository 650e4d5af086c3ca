#pragma once

#include "base/clock.h"
#include "base/types.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reading and printing of quantities. All readers take the whole text or throw a Failure (usage) that quotes
/// it and says what would be right; printing happens only at the edge, everything inside is integers.
namespace wearout {

/// "4096", "512MiB", "1.5GB", "30 TB". Powers of 1024 with an i, of 1000 without. `what` names it in the
/// error.
[[nodiscard]] Bytes parse_bytes(std::string_view text, std::string_view what);

/// "90s", "500ms", "15m", "72h", "7d"; a plain 0 too.
[[nodiscard]] std::chrono::milliseconds parse_duration(std::string_view text, std::string_view what);

/// A decimal number, whole and within range.
[[nodiscard]] std::uint64_t parse_uint(std::string_view text, std::string_view what, std::uint64_t min = 0,
                                       std::uint64_t max = UINT64_MAX);

/// A finite decimal number such as "0.25", within range.
[[nodiscard]] double parse_real(std::string_view text, std::string_view what, double min, double max);

/// Decimal, three significant digits or exact below 1000: "1.14 TB", "512 B". As SI: 1 TB = 10^12 bytes.
[[nodiscard]] std::string format_bytes(Bytes bytes);

/// Binary where it is a whole number of MiB or more ("256 MiB", "8 GiB"), for capacities made by users; else
/// decimal.
[[nodiscard]] std::string format_capacity(Bytes bytes);

/// "417 MB/s", decimal.
[[nodiscard]] std::string format_rate(double bytes_per_second);

/// Three significant digits, never with an exponent: "0.0123", "9,180", "67".
[[nodiscard]] std::string format_real(double value);

/// "1d 04h", "2h 05m", "3m 20s", "4.2s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

/// "2026-05-01 14:03:22" UTC, and ISO 8601 with milliseconds and Z.
[[nodiscard]] std::string format_time(WallTime time);
[[nodiscard]] std::string format_iso_time(WallTime time);

}  // namespace wearout
