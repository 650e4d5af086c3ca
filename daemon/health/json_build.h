#pragma once

#include "health/json.h"

#include <string>
#include <string_view>
#include <utility>

/// Building a Json by hand, for what is read from text.
namespace wearout::health {

[[nodiscard]] inline Json json_string(std::string_view text) {
    Json json;
    json.kind = Json::Kind::string;
    json.text = text;
    return json;
}

/// Of its decimal digits.
[[nodiscard]] inline Json json_number(std::string digits) {
    Json json;
    json.kind = Json::Kind::number;
    json.text = std::move(digits);
    return json;
}

[[nodiscard]] inline Json json_boolean(bool truth) {
    Json json;
    json.kind = Json::Kind::boolean;
    json.truth = truth;
    return json;
}

/// Adds a member. One that is there with the same text stays alone; with another text both stay, so that
/// neither is read.
inline void put(Json& object, std::string_view key, Json value) {
    object.kind = Json::Kind::object;
    for (std::size_t i = 0; i < object.keys.size(); ++i)
        if (object.keys[i] == key && object.items[i].kind == value.kind &&
            object.items[i].text == value.text && value.items.empty())
            return;
    object.keys.emplace_back(key);
    object.items.push_back(std::move(value));
}

/// The first member of that name, made (of that kind) where there is none.
inline Json& member(Json& object, std::string_view key, Json::Kind kind = Json::Kind::object) {
    object.kind = Json::Kind::object;
    for (std::size_t i = 0; i < object.keys.size(); ++i)
        if (object.keys[i] == key) return object.items[i];
    object.keys.emplace_back(key);
    object.items.emplace_back().kind = kind;
    return object.items.back();
}

inline Json& append(Json& array) {
    array.kind = Json::Kind::array;
    return array.items.emplace_back();
}

}  // namespace wearout::health
