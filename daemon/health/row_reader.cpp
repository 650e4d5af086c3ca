#include "health/row_reader.h"

#include "health/log_field.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// A field's number before scaling: some come as a decimal fraction.
struct RawNumber {
    std::int64_t whole = 0;
    std::string_view fraction;  ///< Digits behind the point, trailing zeroes left out.
};

std::optional<RawNumber> parse_number(std::string_view text) {
    if (!is_decimal(text)) return std::nullopt;
    const auto point = std::min(text.find('.'), text.size());
    const auto whole = parse_integer(text.substr(0, point));
    auto fraction = text.substr(std::min(point + 1, text.size()));
    while (fraction.ends_with('0'))
        fraction.remove_suffix(1);
    if (!whole || (text.starts_with('-') && !fraction.empty())) return std::nullopt;
    return RawNumber{*whole, fraction};
}

/// fraction * scale / 10^digits, where that is whole.
std::optional<std::int64_t> scaled_fraction(std::string_view fraction, std::int64_t scale) {
    if (fraction.empty()) return 0;
    auto digits = parse_integer(fraction);
    if (!digits) return std::nullopt;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(*digits, scale, &product)) return std::nullopt;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        if (product % 10 != 0) return std::nullopt;
        product /= 10;
    }
    return product;
}

std::optional<std::int64_t> scaled(const RawNumber& raw, std::int64_t scale, std::int64_t add) {
    const auto fraction = scaled_fraction(raw.fraction, scale);
    std::int64_t value = 0;
    if (!fraction || __builtin_mul_overflow(raw.whole, scale, &value) ||
        __builtin_add_overflow(value, *fraction, &value) || __builtin_add_overflow(value, add, &value))
        return std::nullopt;
    return value;
}

/// Takes the wanted raw bytes out of a number that was put together in `order`. Nothing where it can't have
/// been: it is too long, or not zero where the order has a 'z'.
std::optional<std::int64_t> pick_bytes(std::int64_t value, std::string_view order, std::string_view wanted) {
    const auto byte_at = [&](std::size_t position) {
        const auto shift = 8 * (order.size() - 1 - position);
        return static_cast<std::uint64_t>(value) >> shift & 0xffU;
    };
    if (order.size() < 8 && value >> (8 * order.size()) != 0) return std::nullopt;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i] == 'z' && byte_at(i) != 0) return std::nullopt;
    std::uint64_t result = 0;
    for (const char c : wanted)
        result = result << 8U | byte_at(order.find(c));
    return static_cast<std::int64_t>(result);
}

/// The first group of the pattern that took part in the match of what smartctl prints; 0 where none did.
std::optional<std::int64_t> printed_number(const Pattern& pattern, const std::string& printed) {
    std::smatch match;
    if (!std::regex_match(printed, match, pattern.regex)) return std::nullopt;
    if (match.size() < 2 || !match[1].matched) return 0;
    return parse_integer(match[1].str());
}

bool has_name(const Attribute& attribute, const std::optional<Pattern>& named, const Answer& answer) {
    return !answer.listed || !named || named->matches(attribute.name);
}

const Attribute* find_attribute(const AttributeField& field, const Answer& answer) {
    const auto* attribute = answer.attribute(field.id);
    return attribute != nullptr && has_name(*attribute, field.named, answer) ? attribute : nullptr;
}

/// Whether a normalised value counts from 100 down what the raw one counts up: a byte, which firmware lets
/// stay at 0 or 1 past the end, or wrap.
bool counts_down_with(std::int64_t value, std::int64_t raw) {
    constexpr std::int64_t start = 100;
    if (raw <= start) return value == std::max(start - raw, std::int64_t{0}) || (raw == start && value == 1);
    return value == 0 || value == 1 || value == (((start - raw) % 256) + 256) % 256;
}

/// The sum with the further attributes that the drive has; nothing where one of them is called otherwise.
std::optional<std::int64_t> with_addends(std::int64_t number, const AttributeField& field,
                                         const Answer& answer) {
    for (const auto& addend : field.plus) {
        const auto* attribute = answer.attribute(addend.id);
        if (attribute == nullptr) continue;
        if (!has_name(*attribute, addend.named, answer) || !attribute->raw || *attribute->raw < 0 ||
            __builtin_add_overflow(number, *attribute->raw, &number))
            return std::nullopt;
    }
    return number;
}

std::optional<std::int64_t> number_in_raw(const AttributeField& field, const Attribute& attribute,
                                          bool listed) {
    if (!attribute.raw || *attribute.raw < 0) return std::nullopt;
    const auto number =
        pick_bytes(*attribute.raw, listed ? std::string_view(field.order) : "543210", field.bytes);
    if (listed && field.printed && printed_number(*field.printed, attribute.printed) != number)
        return std::nullopt;
    return number;
}

/// Text output shows some raw values only in the format that the drive database gives them: then what is
/// printed is the number.
std::optional<std::int64_t> number_printed(const AttributeField& field, const Attribute& attribute) {
    return field.printed ? printed_number(*field.printed, attribute.printed) : std::nullopt;
}

std::optional<std::int64_t> attribute_number(const AttributeField& field, const Answer& answer) {
    const auto* attribute = find_attribute(field, answer);
    if (attribute == nullptr) return std::nullopt;
    if (field.take == Take::value) return attribute->value;
    const auto number = answer.listed && !attribute->raw ? number_printed(field, *attribute)
                                                         : number_in_raw(field, *attribute, answer.listed);
    if (!number) return std::nullopt;
    if (field.take == Take::value_if_raw_agrees && attribute->value != number) return std::nullopt;
    if (field.take == Take::raw_if_value_agrees &&
        (!attribute->value || !counts_down_with(*attribute->value, *number)))
        return std::nullopt;
    return with_addends(*number, field, answer);
}

std::string source_of(const Row& row, const Answer& answer) {
    if (row.key) return row.key->called;
    if (row.log) return row.log->called;
    if (row.statistic)
        return fmt::format("device statistics {}+{} {}", row.statistic->page, row.statistic->offset,
                           answer.statistic(row.statistic->page, row.statistic->offset)->name);
    const auto& field = *row.attribute;
    const bool normalised = field.take == Take::value || field.take == Take::value_if_raw_agrees;
    auto text = fmt::format("attribute {} {}{}{}", field.id, answer.attribute(field.id)->name,
                            normalised ? " VALUE" : "",
                            normalised || field.bytes == "543210" ? "" : ", bytes " + field.bytes);
    for (const auto& addend : field.plus)
        if (const auto* attribute = answer.attribute(addend.id); attribute != nullptr)
            text += fmt::format(" + attribute {} {}", attribute->id, attribute->name);
    return text;
}

std::optional<RawNumber> raw_number(const Row& row, const Answer& answer, const std::string& key_text) {
    if (row.key) return parse_number(key_text);
    if (row.log) {
        const auto number = log_number(*row.log, answer.nvme);
        return number ? std::optional(RawNumber{*number, {}}) : std::nullopt;
    }
    if (row.statistic) {
        const auto* statistic = answer.statistic(row.statistic->page, row.statistic->offset);
        return statistic == nullptr ? std::nullopt : std::optional(RawNumber{statistic->value, {}});
    }
    const auto number = attribute_number(*row.attribute, answer);
    return number ? std::optional(RawNumber{*number, {}}) : std::nullopt;
}

bool is_plausible(const Row& row, const RawNumber& raw) {
    const auto& none = row.not_reported;
    if (raw.fraction.empty() && std::find(none.begin(), none.end(), raw.whole) != none.end()) return false;
    return raw.whole >= row.min.value_or(0) && (!row.max || raw.whole <= *row.max);
}

/// ATA and SCSI blocks are 512 bytes to 64 KiB, a power of two.
std::optional<std::int64_t> scale_of(const Row& row, const Answer& answer) {
    if (!row.scale_is_logical_block) return row.scale;
    const auto size = answer.json["logical_block_size"].integer();
    if (!size || *size < 512 || *size > 65536 || (*size & (*size - 1)) != 0) return std::nullopt;
    return size;
}

}  // namespace

std::optional<RowReading> read_row(const Row& row, const Answer& answer) {
    const auto key_text = row.key ? answer.number_text(row.key->path).value_or("") : std::string();
    const auto raw = raw_number(row, answer, key_text);
    const auto scale = scale_of(row, answer);
    if (!raw || !scale || !is_plausible(row, *raw)) return std::nullopt;
    const auto value =
        row.steps > 1 ? scaled({raw->whole / row.steps, {}}, 1, row.add) : scaled(*raw, *scale, row.add);
    if (!value) return std::nullopt;
    return RowReading{raw->whole, *scale, *value, source_of(row, answer)};
}

bool has_field(const Row& row, const Answer& answer) {
    if (row.attribute) return find_attribute(*row.attribute, answer) != nullptr;
    if (row.statistic) return answer.statistic(row.statistic->page, row.statistic->offset) != nullptr;
    if (row.log) return has_log_field(*row.log, answer.nvme);
    return answer.number_text(row.key->path).has_value();
}

std::string place_of(const Row& row, const Answer& answer) {
    return source_of(row, answer);
}

std::string refusal(const Row& row, const Answer& answer) {
    if (!has_field(row, answer)) {
        const auto* attribute = row.attribute ? answer.attribute(row.attribute->id) : nullptr;
        return attribute == nullptr
                   ? ""
                   : fmt::format("smartctl's drive database names it {}, which is another field",
                                 attribute->name);
    }
    const auto key_text = row.key ? answer.number_text(row.key->path).value_or("") : std::string();
    const auto raw = raw_number(row, answer, key_text);
    if (!raw && row.attribute && row.attribute->take == Take::value_if_raw_agrees)
        return "its normalised and its raw value disagree, or are not told";
    if (!raw) return "it is printed in another format than the catalogue knows, or not told as a number";
    if (!is_plausible(row, *raw))
        return fmt::format("{} means that it is not reported, or is none that this field can have",
                           raw->whole);
    if (!scale_of(row, answer)) return "the size of the drive's logical blocks is not told";
    return "it does not fit 64 bits in the metric's unit";
}

}  // namespace wearout::health
