#include "health/saved_answers.h"

#include "health/text_answer.h"
#include "health/text_lines.h"
#include "health/text_values.h"

#include <algorithm>

namespace wearout::health {
namespace {

/// From each start to the next; the first from the file's beginning.
std::vector<std::string_view> cut_at(std::string_view file, std::vector<std::size_t> starts) {
    if (starts.empty()) return {file};
    starts.front() = 0;
    starts.push_back(file.size());
    std::vector<std::string_view> answers;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        answers.push_back(file.substr(starts[i], starts[i + 1] - starts[i]));
    return answers;
}

std::vector<std::string_view> split_text(std::string_view file) {
    std::vector<std::size_t> starts;
    bool informed = false;  ///< The current one has its information section.
    for (std::string_view rest = file; !rest.empty();) {
        const std::size_t place = file.size() - rest.size();
        const auto line = next_line(rest);
        if (line.size() > longest_line) continue;
        const auto bare = bare_line(line);
        const bool header = header_version(bare).has_value();
        const bool information = is_information_start(bare);
        if (header || (information && (informed || starts.empty()))) {
            starts.push_back(place);
            informed = false;
        }
        informed = informed || information;
    }
    return cut_at(file, std::move(starts));
}

/// Follows braces outside of strings.
class Braces {
  public:
    void read(std::string_view line, std::size_t place, std::vector<std::size_t>& starts) {
        if (resumes_at(line)) depth_ = 0;
        in_string_ = false;  // A string of JSON ends on its line.
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (in_string_ && c == '\\')
                ++i;
            else if (c == '"')
                in_string_ = !in_string_;
            else if (!in_string_ && c == '{' && depth_++ == 0 && begins_line(line.substr(0, i)))
                starts.push_back(place + i);
            else if (!in_string_ && c == '}')
                depth_ = std::max(depth_ - 1, 0);
        }
    }

  private:
    /// Whether an answer begins here although the one before was cut off.
    static bool resumes_at(std::string_view line) {
        if (!line.starts_with('{')) return false;
        const auto rest = trimmed(line.substr(1));
        return rest.empty() || rest.starts_with("\"json_format_version\"") ||
               rest.starts_with("\"smartctl\"");
    }

    /// Also in an array.
    static bool begins_line(std::string_view before) {
        return before.find_first_not_of(" \t\r,[") == std::string_view::npos;
    }

    int depth_ = 0;
    bool in_string_ = false;
};

/// Without the commas and brackets of an array around it.
std::string_view without_brackets(std::string_view text) {
    constexpr std::string_view around = " \t\r\n,[]";
    const auto first = text.find_first_not_of(around);
    if (first == std::string_view::npos) return text;
    if (text[first] == '{') text.remove_prefix(first);
    const auto last = text.find_last_not_of(around);
    return text[last] == '}' ? text.substr(0, last + 1) : text;
}

std::vector<std::string_view> split_json(std::string_view file) {
    if (file.find("\"smartctl\"") == std::string_view::npos) return {file};
    std::vector<std::size_t> starts;
    Braces braces;
    for (std::string_view rest = file; !rest.empty();) {
        const std::size_t place = file.size() - rest.size();
        braces.read(next_line(rest), place, starts);
    }
    if (starts.size() < 2 && !trimmed(file).starts_with('[')) return {file};
    auto answers = cut_at(file, std::move(starts));
    for (auto& answer : answers)
        answer = without_brackets(answer);
    return answers;
}

}  // namespace

std::vector<std::string_view> split_answers(std::string_view file) {
    return is_text_answer(file) ? split_text(file) : split_json(file);
}

}  // namespace wearout::health
