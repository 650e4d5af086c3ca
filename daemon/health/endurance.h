#pragma once

#include "facts/endurance.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Rated endurance as bytes (TBW) and as drive writes a day (DWPD), and from one to the other:
/// TBW = DWPD x 365 x years x capacity. It gives what Kingston says of its DC500M: 1.3 DWPD over 5 years are
/// 1139 TB for 480 GB and 9110 TB for 3.84 TB. All of it is exact in integers.
namespace wearout::health {

/// "300TB", also "300TBW", or "1.3DWPD/5y". Throws a Failure (usage) that quotes the text; `what` names it
/// there.
[[nodiscard]] Endurance parse_endurance(std::string_view text, std::string_view what);

/// The bytes, where they are told or follow from the drive writes a day; rounded down. Nothing where neither
/// holds, or where they come to none or to more than a drive can count (2^63 - 1).
[[nodiscard]] std::optional<Bytes> rated_bytes(const Endurance& endurance, Bytes capacity);

/// The drive writes a day that so many bytes come to, in thousandths, rounded to the nearest. Nothing without
/// capacity or years, or where they don't fit.
[[nodiscard]] std::optional<std::uint32_t> dwpd_milli_of(Bytes tbw, Bytes capacity, std::uint32_t years);

/// Of a decimal number such as "1.3", the thousandths; nothing where it is malformed, has a finer grain, is 0
/// or above 1000.
[[nodiscard]] std::optional<std::uint32_t> parse_dwpd(std::string_view text);

/// "1.3", "0.329": without zeros at its end.
[[nodiscard]] std::string dwpd_text(std::uint32_t dwpd_milli);

/// "1.3 DWPD over 5 years".
[[nodiscard]] std::string dwpd_text(std::uint32_t dwpd_milli, std::uint32_t years);

}  // namespace wearout::health
