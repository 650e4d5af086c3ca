#include "block/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace wearout::block {
namespace {

bool is_padding(char c) {
    return c == '\0' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The length of the valid UTF-8 sequence that the text begins with, 0 for none (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0U) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool surrogate = lead == 0xed && second >= 0xa0;
    const bool beyond = lead == 0xf4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

std::optional<char> hex_byte(std::string_view digits) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return static_cast<char>(value);
}

/// One step of a name in its natural order: a run of digits counts by its value, other text as it is.
struct NamePart {
    std::string_view text;
    std::string_view number;
    bool operator<(const NamePart& other) const {
        return std::tuple(text, number.size(), number) <
               std::tuple(other.text, other.number.size(), other.number);
    }
};

/// Disks that the kernel counts in letters; between them and the rest of the name lies the count.
constexpr std::array<std::string_view, 4> lettered_disks{"xvd", "sd", "vd", "hd"};

NamePart take_part(std::string_view& rest, bool at_start) {
    std::size_t text_end = 0;
    while (text_end < rest.size() && !is_digit(rest[text_end]))
        ++text_end;
    if (at_start)
        for (const auto prefix : lettered_disks)
            if (rest.starts_with(prefix) && text_end > prefix.size()) {
                const NamePart part{prefix, rest.substr(prefix.size(), text_end - prefix.size())};
                rest.remove_prefix(text_end);
                return part;
            }
    std::size_t end = text_end;
    while (end < rest.size() && is_digit(rest[end]))
        ++end;
    auto number = rest.substr(text_end, end - text_end);
    while (number.size() > 1 && number.front() == '0')
        number.remove_prefix(1);
    const NamePart part{rest.substr(0, text_end), number};
    rest.remove_prefix(end);
    return part;
}

std::string_view without_folder(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string clean_text(std::string_view raw, std::size_t longest) {
    while (!raw.empty() && is_padding(raw.front()))
        raw.remove_prefix(1);
    while (!raw.empty() && is_padding(raw.back()))
        raw.remove_suffix(1);
    std::string out;
    for (const char c : raw) {
        if (out.size() >= longest) break;
        const bool printable = c >= ' ' && c <= '~';
        if (!is_padding(c))
            out.push_back(printable ? c : '?');
        else if (out.back() != ' ')
            out.push_back(' ');
    }
    while (!out.empty() && out.back() == ' ')
        out.pop_back();
    return out;
}

std::string printable_path(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::size_t length = utf8_length(path);
        const auto first = static_cast<unsigned char>(path.front());
        const bool c1_control = length == 2 && first == 0xc2 && static_cast<unsigned char>(path[1]) < 0xa0;
        if (length == 0 || first < ' ' || first == 0x7f || first == '\\') {
            out += fmt::format("\\x{:02x}", first);
            path.remove_prefix(1);
        } else if (c1_control) {
            out += fmt::format("\\xc2\\x{:02x}", static_cast<unsigned char>(path[1]));
            path.remove_prefix(2);
        } else {
            out += path.substr(0, length);
            path.remove_prefix(length);
        }
    }
    return out;
}

std::string decode_udev(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        if (text.starts_with("\\x") && text.size() >= 4)
            if (const auto byte = hex_byte(text.substr(2, 2))) {
                out.push_back(*byte);
                text.remove_prefix(4);
                continue;
            }
        out.push_back(text.front());
        text.remove_prefix(1);
    }
    return out;
}

bool natural_less(std::string_view a, std::string_view b) {
    std::string_view rest_a = without_folder(a);
    std::string_view rest_b = without_folder(b);
    for (bool at_start = true; !rest_a.empty() && !rest_b.empty(); at_start = false) {
        const NamePart part_a = take_part(rest_a, at_start);
        const NamePart part_b = take_part(rest_b, at_start);
        if (part_a < part_b) return true;
        if (part_b < part_a) return false;
    }
    if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
    return a < b;
}

}  // namespace wearout::block
