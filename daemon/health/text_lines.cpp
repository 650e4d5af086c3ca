#include "health/text_lines.h"

#include "health/json.h"
#include "health/text_values.h"

#include <algorithm>

namespace wearout::health {

std::string_view next_line(std::string_view& text) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

std::string_view bare_line(std::string_view line) {
    for (const std::string_view tag : {"\xef\xbb\xbf", "[code]", "[CODE]", "```"}) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
        if (line.starts_with(tag)) line.remove_prefix(tag.size());
    }
    return trimmed(line);
}

std::optional<std::pair<std::string, std::string>> header_version(std::string_view line) {
    if (!line.starts_with("smartctl ")) return std::nullopt;
    const auto row = words(line);
    if (row.size() < 3) return std::nullopt;
    const std::size_t place = row[1] == "version" ? 2 : 1;
    auto version = row[place];
    if (version.starts_with("pre-")) version.remove_prefix(4);
    const auto dot = version.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto major = parse_integer(version.substr(0, dot));
    const auto minor = leading_integer(version.substr(dot + 1));
    const bool dated = place + 1 < row.size() && row[place + 1].size() == 10 && row[place + 1][4] == '-';
    // Else it is somebody's sentence about smartctl.
    if (!major || !minor || (!dated && line.find('[') == std::string_view::npos)) return std::nullopt;
    return std::pair(std::to_string(*major), std::to_string(*minor));
}

bool is_information_start(std::string_view line) {
    return line.starts_with("=== START OF INFORMATION SECTION");
}

bool is_attribute_header(std::string_view line) {
    return line.starts_with("ID#") && line.find("ATTRIBUTE_NAME") != std::string_view::npos;
}

}  // namespace wearout::health
