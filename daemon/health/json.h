#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::health {

/// A JSON value that keeps each number as the text it came in, since counters exceed what a double holds
/// exactly, and some exceed 64 bits.
struct Json {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    bool truth = false;             ///< Of a boolean.
    std::string text;               ///< Of a string, or of a number.
    std::vector<std::string> keys;  ///< Of an object, in the order of `items`.
    std::vector<Json> items;        ///< Of an array or an object.

    /// A member; a null where there is none, where there are several of that name (nobody can tell which one
    /// is meant), or where this is no object.
    [[nodiscard]] const Json& operator[](std::string_view key) const;
    /// Several steps at once: "smart_status.nvme.value".
    [[nodiscard]] const Json& at_path(std::string_view path) const;

    /// The text of a string; empty for anything else.
    [[nodiscard]] std::string_view string() const;
    /// A whole number within range, written without fraction or exponent.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
};

/// Whole text as a decimal integer.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

struct JsonLimits {
    std::size_t bytes = std::size_t{8} << 20U;
    std::size_t depth = 32;
    std::size_t values = 200'000;
};

struct JsonResult {
    std::optional<Json> value;
    std::string error;  ///< Why there is none.
};

/// Never throws for bad text.
[[nodiscard]] JsonResult parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace wearout::health
