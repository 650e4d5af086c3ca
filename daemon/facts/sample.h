#pragma once

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/types.h"
#include "facts/metric.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wearout {

/// How far a decoded value can be trusted.
enum class Confidence {
    standard,  ///< Fixed by a standard (NVMe, ACS, SCSI).
    verified,  ///< A vendor's field whose unit was checked against standard counters of real drives.
    vendor,    ///< As the vendor, or the smartmontools drive database, names it.
    learnt,    ///< From the bytes that we wrote.
};
inline constexpr EnumNames<Confidence, 4> confidence_names{{"standard", "verified", "vendor", "learnt"}};

/// One decoded counter.
struct Reading {
    Metric metric{};
    std::int64_t value = 0;  ///< In the metric's unit.
    std::string source;      ///< Where it was read: "attribute 173 MaxAvgErase_Ct, average", "NVMe log 02h".
    Confidence confidence = Confidence::vendor;
    /// What this number depends on beside the drive (firmware, drive database, its part of the catalogue): a
    /// change starts an epoch of the metric. Empty: Sample::decoder.
    std::string decoder{};
    bool operator==(const Reading&) const = default;
};

/// A field that the drive tells and that nothing here can decode for certain.
struct UnknownField {
    std::string name;   ///< "attribute 183 Unknown_Attribute"
    std::string value;  ///< As the drive's answer has it: "2621443".
    bool operator==(const UnknownField&) const = default;
};

enum class SampleReason { start, periodic, pass, end, manual };
inline constexpr EnumNames<SampleReason, 5> sample_reason_names{
    {"start", "periodic", "pass", "end", "manual"}};

/// What a question did to the run's I/O.
struct IoStall {
    std::chrono::microseconds longest{0};  ///< Without a completion, while the question was open,
    std::chrono::microseconds usual{0};    ///< and the longest such time in the seconds before it.
    /// What can be blamed on the question.
    [[nodiscard]] std::chrono::microseconds caused() const {
        return longest > usual ? longest - usual : std::chrono::microseconds(0);
    }
    bool operator==(const IoStall&) const = default;
};

/// One reading of the drive's wear counters.
struct Sample {
    WallTime time;
    SampleReason reason = SampleReason::periodic;
    Bytes run_written;  ///< By the run, up to this moment.
    std::chrono::milliseconds took{0};
    std::optional<IoStall> stall{};  ///< Where the run's I/O went on before and during the question.
    std::string raw;                 ///< The answer as it came, byte for byte; empty where there was none.
    std::vector<Reading> readings;
    std::vector<UnknownField> unknown;
    std::string problem;  ///< Why there is no answer, or what is wrong with it; empty: nothing.
    std::string decoder;  ///< What all of the numbers together depend on beside the drive.
};

}  // namespace wearout
