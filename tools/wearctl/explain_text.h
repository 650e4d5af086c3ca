#pragma once

#include "health/explain.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/json_text.h"

#include <string>

/// What was decoded from a drive's answer, as `decode`, `report --explain` and `drives --explain` show it.
namespace wearout::tools {

/// Metrics with value, unit, place and confidence; then the fields that nobody can decode.
[[nodiscard]] std::string readings_text(const health::Explanation& explanation, const Screen& screen);

/// The whole: families and why, each metric with what the answer has there, how that is decoded, where that
/// is known from and what was passed over; then the unknown fields.
[[nodiscard]] std::string explanation_text(const health::Explanation& explanation, const Screen& screen);

/// decoder, family, metrics, unknown, problems, failing; with `whole` also families and what was passed over.
[[nodiscard]] Json explanation_json(const health::Explanation& explanation, bool whole);

/// "model", "serial", "wwn", "firmware", "capacity_bytes"; null where it is not told.
[[nodiscard]] Json identity_json(const health::Identity& identity);

}  // namespace wearout::tools
