#pragma once

#include "facts/sample.h"
#include "health/catalogue.h"
#include "health/health_source.h"
#include "health/identity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Why decode reads what it reads.
namespace wearout::health {

/// A field of the answer that tells a metric, or could.
struct ExplainedField {
    std::string source;                     ///< As in Reading: "attribute 173 MaxAvgErase_Ct, bytes 32".
    std::string told;                       ///< What the answer has there: "1047 (Average 946)".
    std::optional<std::int64_t> raw_value;  ///< Of an attribute, all of its bytes.
    std::string bytes;                      ///< Of an attribute, which of them; empty: all.
    std::optional<std::int64_t> number;     ///< What is read there, before scaling.
    std::int64_t scale = 1;                 ///< The value is number * scale / steps + add,
    std::int64_t steps = 1;                 ///< rounded down,
    std::int64_t add = 0;                   ///<
    std::optional<std::int64_t> value;      ///< in the metric's unit.
    Confidence confidence = Confidence::vendor;
    std::string family;       ///< Of the catalogue, whose row it is,
    std::string known_from;   ///< and where that row's facts are from.
    std::string passed_over;  ///< Why it is not what the drive is said to tell; empty: it is.
};

/// One metric, with its fields in the catalogue's order of preference: at most one is not passed over.
struct ExplainedMetric {
    Metric metric{};
    std::vector<ExplainedField> fields;
    [[nodiscard]] const ExplainedField* chosen() const;
};

/// A family of the catalogue that fits the drive, or nearly.
struct ExplainedFamily {
    std::string name;
    std::int64_t version = 0;
    bool used = false;
    std::string why;
};

struct Explanation {
    Sample sample;  ///< What decode gives.
    Identity identity;
    std::vector<ExplainedFamily> families;
    std::vector<ExplainedMetric> metrics;  ///< Those of which a field was found, in the order of Metric.
    bool readable = false;                 ///< It is an answer of smartctl's, whatever it says.
    bool failing =
        false;  ///< The drive says so, or one of its attributes is at its threshold and is believed.
};

/// Never throws for bad text.
[[nodiscard]] Explanation explain(const RawAnswer& answer, const Catalogue& catalogue = builtin_catalogue());

}  // namespace wearout::health
