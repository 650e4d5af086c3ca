#include "tools/wearctl/text.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
};

/// The character at the start of `text`, which is not empty; nothing where it is no UTF-8 (RFC 3629).
std::optional<Character> decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return Character{lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return std::nullopt;
    char32_t code = lead & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return std::nullopt;
        code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return std::nullopt;
    return Character{code, bytes};
}

/// The blocks that matter for names of drives and files (Unicode 14, East Asian Width W and F; general
/// category Mn of the common blocks).
std::size_t columns_of(char32_t code) {
    const auto in = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
    if (in(0x300, 0x36f) || in(0x200b, 0x200f) || in(0x20d0, 0x20ff) || in(0xfe00, 0xfe0f)) return 0;
    if (in(0x1100, 0x115f) || in(0x2e80, 0x303e) || in(0x3041, 0xa4cf) || in(0xac00, 0xd7a3) ||
        in(0xf900, 0xfaff) || in(0xfe30, 0xfe6f) || in(0xff00, 0xff60) || in(0xffe0, 0xffe6) ||
        in(0x1f300, 0x1faff) || in(0x20000, 0x3fffd))
        return 2;
    return 1;
}

/// Calls `visit(bytes of one character, its columns)` until that returns false.
template <typename Visit>
void each_character(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const auto character = decode(text);
        const std::size_t bytes = character ? character->bytes : 1;
        if (!visit(text.substr(0, bytes), character ? columns_of(character->code) : 1)) return;
        text.remove_prefix(bytes);
    }
}

/// Optimal string alignment distance: like Levenshtein's, with swapped neighbours as one mistake.
std::size_t mistakes_between(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const auto character = decode(text);
        const std::size_t bytes = character ? character->bytes : 1;
        const bool control = !character || character->code < 0x20 ||
                             (character->code >= 0x7f && character->code < 0xa0) ||
                             (character->code >= 0x2028 && character->code <= 0x202e) ||
                             (character->code >= 0x2066 && character->code <= 0x2069);
        if (control)
            safe += '?';
        else
            safe += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return safe;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    each_character(text, [&](std::string_view, std::size_t columns) {
        width += columns;
        return true;
    });
    return width;
}

std::string truncated(std::string_view text, std::size_t width, bool unicode) {
    if (display_width(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::string kept;
    std::size_t used = 1;
    each_character(text, [&](std::string_view bytes, std::size_t columns) {
        if (used + columns > width) return false;
        used += columns;
        kept += bytes;
        return true;
    });
    return kept + (unicode ? "…" : "~");
}

std::string padded(std::string_view text, std::size_t width, Align align) {
    const std::size_t taken = display_width(text);
    const std::string fill(width > taken ? width - taken : 0, ' ');
    return align == Align::left ? std::string(text) + fill : fill + std::string(text);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        std::string& line = lines.back();
        if (line.empty())
            line = word;
        else if (display_width(line) + 1 + display_width(word) <= width)
            line += fmt::format(" {}", word);
        else
            lines.emplace_back(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string_view closest(std::string_view word, std::span<const std::string_view> known) {
    constexpr std::size_t longest = 64;
    if (word.size() > longest) return {};
    std::string_view best;
    std::size_t fewest = word.size() <= 3 ? 2 : 3;
    for (const std::string_view candidate : known)
        if (const auto mistakes = mistakes_between(word, candidate); mistakes < fewest) {
            fewest = mistakes;
            best = candidate;
        }
    return best;
}

std::string grouped(long long value) {
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string counted(unsigned long long count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace wearout::tools
