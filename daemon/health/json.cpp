#include "health/json.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wearout::health {
namespace {

const Json nothing;

/// Builds the tree from nlohmann's events, of which `number_float` brings the digits as they are written.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit Builder(const JsonLimits& limits) : limits_(limits) {}

    bool null() override { return add({}); }
    bool boolean(bool value) override {
        Json json;
        json.kind = Json::Kind::boolean;
        json.truth = value;
        return add(std::move(json));
    }
    bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { return number(text); }
    bool string(string_t& value) override {
        Json json;
        json.kind = Json::Kind::string;
        json.text = std::move(value);
        return add(std::move(json));
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::Kind::object); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Json::Kind::array); }
    bool end_array() override { return close(); }
    bool key(string_t& value) override {
        open_.back().keys.push_back(std::move(value));
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        return fail(fmt::format("not valid JSON at byte {}", position));
    }

    JsonResult result(bool complete) {
        if (complete && root_) return {std::move(root_), {}};
        return {std::nullopt, error_.empty() ? "not valid JSON" : std::move(error_)};
    }

  private:
    bool fail(std::string error) {
        error_ = std::move(error);
        return false;
    }
    bool number(std::string text) {
        Json json;
        json.kind = Json::Kind::number;
        json.text = std::move(text);
        return add(std::move(json));
    }
    bool add(Json json) {
        if (++values_ > limits_.values) return fail("it holds too many values");
        if (open_.empty())
            root_ = std::move(json);
        else
            open_.back().items.push_back(std::move(json));
        return true;
    }
    bool open(Json::Kind kind) {
        if (open_.size() >= limits_.depth) return fail("it is nested too deep");
        open_.emplace_back().kind = kind;
        return true;
    }
    bool close() {
        Json json = std::move(open_.back());
        open_.pop_back();
        return add(std::move(json));
    }

    JsonLimits limits_;
    std::vector<Json> open_;
    std::optional<Json> root_;
    std::size_t values_ = 0;
    std::string error_;
};

}  // namespace

const Json& Json::operator[](std::string_view key) const {
    if (kind != Kind::object) return nothing;
    const auto first = std::find(keys.begin(), keys.end(), key);
    if (first == keys.end() || std::find(first + 1, keys.end(), key) != keys.end()) return nothing;
    return items[static_cast<std::size_t>(first - keys.begin())];
}

const Json& Json::at_path(std::string_view path) const {
    const Json* json = this;
    for (;;) {
        const auto dot = path.find('.');
        json = &(*json)[path.substr(0, dot)];
        if (dot == std::string_view::npos) return *json;
        path.remove_prefix(dot + 1);
    }
}

std::string_view Json::string() const {
    return kind == Kind::string ? std::string_view(text) : std::string_view();
}

std::optional<std::int64_t> Json::integer() const {
    return kind == Kind::number ? parse_integer(text) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

JsonResult parse_json(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes) return {std::nullopt, "it is too long"};
    Builder builder(limits);
    const bool complete = nlohmann::json::sax_parse(text, &builder);
    return builder.result(complete);
}

}  // namespace wearout::health
