#pragma once

#include "base/error.h"

#include <string>

#include <nlohmann/json.hpp>

namespace wearout::tools {

using Json = nlohmann::ordered_json;

/// As it is printed: indented by two, bytes that are no UTF-8 replaced.
[[nodiscard]] inline std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A daemon's answer; a Failure (unreachable) where it is no JSON.
[[nodiscard]] inline Json json_from(const std::string& answer) {
    Json json = Json::parse(answer, nullptr, false);
    if (json.is_discarded()) throw Failure(ExitCode::unreachable, "the daemon's answer is no JSON");
    return json;
}

/// As one line.
[[nodiscard]] inline std::string json_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wearout::tools
