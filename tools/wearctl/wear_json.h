#pragma once

#include "base/types.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/wear_history.h"

#include <optional>
#include <vector>

/// The JSON of a wear history, as `report --json` has it.
namespace wearout::tools {

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] inline Json or_null(const std::optional<Bytes>& bytes) {
    return bytes ? Json(bytes->value) : Json(nullptr);
}

[[nodiscard]] Json wear_json(const std::vector<WearLine>& lines);
[[nodiscard]] Json waf_json(const std::optional<WafLine>& line);
[[nodiscard]] Json forecast_json(const std::vector<ForecastLine>& lines);
[[nodiscard]] Json curves_json(const std::vector<NamedCurve>& curves);

}  // namespace wearout::tools
