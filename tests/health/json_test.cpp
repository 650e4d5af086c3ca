#include "health/json.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

Json parsed(std::string_view text) {
    auto result = parse_json(text);
    REQUIRE_MESSAGE(result.value, result.error);
    return std::move(*result.value);
}

TEST_CASE("numbers keep their text, whatever their size") {
    const auto json = parsed(R"({"a": 9007199254740993, "b": 340282366920938463463374607431768211455,
                                 "c": 18446744073709551615, "d": -42, "e": 1.5, "f": 1e3, "g": 9223372036854775807})");
    CHECK(json["a"].text == "9007199254740993");
    CHECK(json["b"].text == "340282366920938463463374607431768211455");
    CHECK(json["c"].text == "18446744073709551615");
    CHECK(json["a"].integer() == 9007199254740993);
    CHECK(json["d"].integer() == -42);
    CHECK(json["g"].integer() == INT64_MAX);
    for (const auto* key : {"b", "c", "e", "f"})
        CHECK_FALSE(json[key].integer());
}

TEST_CASE("what is not there, or is there twice, is a null") {
    const auto json = parsed(R"({"a": {"b": [1, "x", true, null]}, "twice": 1, "twice": 2})");
    CHECK(json.at_path("a.b").items.size() == 4);
    CHECK(json.at_path("a.b").items[1].string() == "x");
    CHECK(json["twice"].is(Json::Kind::null));
    CHECK(json.at_path("a.c.d").is(Json::Kind::null));
    CHECK(json["a"]["b"]["c"].is(Json::Kind::null));
    CHECK_FALSE(json["a"].integer());
    CHECK(json["a"].string().empty());
}

TEST_CASE("bad text is refused with a reason") {
    CHECK(parse_json("").error == "not valid JSON at byte 1");
    for (const auto* text : {"{", "[1,]", "{\"a\":}", "nul", "{\"a\":1}x", "\"\xff\"", "01", "+1", "NaN"})
        CHECK_FALSE(parse_json(text).value);
    CHECK_FALSE(parse_json(std::string(400, '9')).value);
}

TEST_CASE("size, depth and count are bounded") {
    CHECK(parse_json(std::string(32, '[') + std::string(32, ']')).value);
    CHECK(parse_json(std::string(33, '[') + std::string(33, ']')).error == "it is nested too deep");
    CHECK(parse_json(std::string(5'000'000, '[')).error == "it is nested too deep");
    CHECK(parse_json("[1,2,3]", {.bytes = 6}).error == "it is too long");
    CHECK(parse_json("[1,2,3]", {.values = 3}).error == "it holds too many values");
}

}  // namespace
}  // namespace wearout::health
