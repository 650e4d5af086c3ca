#include "base/error.h"
#include "health/saved_answers.h"
#include "tools/wearctl/saved.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20U;
constexpr std::size_t most_answers = 20'000;

std::string read_all(std::istream& stream, const std::string& name) {
    std::string text;
    std::string block(std::size_t{64} << 10U, '\0');
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
        text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
        if (text.size() > most_bytes)
            throw usage_error(fmt::format("{}: longer than {} MiB", name, most_bytes >> 20U));
    }
    if (stream.bad()) throw usage_error(name + ": can't be read");
    return text;
}

/// Windows' shell writes what it redirects as UTF-16; smartctl's output is ASCII but for the separators.
std::string without_utf16(const std::string& text) {
    const bool little = text.starts_with("\xff\xfe");
    if (!little && !text.starts_with("\xfe\xff")) return text;
    std::string plain;
    for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
        const char low = text[little ? i : i + 1];
        const char high = text[little ? i + 1 : i];
        plain += high == 0 && (low & 0x80) == 0 ? low : '?';
    }
    return plain;
}

std::string text_of(const std::string& file, std::istream& input) {
    if (file == "-") return read_all(input, "standard input");
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) throw usage_error(file + ": is a folder");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw usage_error(errno_text(file));
    return read_all(stream, file);
}

}  // namespace

std::string SavedAnswer::name() const {
    const std::string shown = file == "-" ? "standard input" : file;
    return of == 1 ? shown : fmt::format("{} #{}", shown, place);
}

std::vector<SavedAnswer> read_saved(const std::string& file, std::istream& input) {
    const std::string text = without_utf16(text_of(file, input));
    const auto parts = health::split_answers(text);
    if (parts.size() > most_answers)
        throw usage_error(fmt::format("{}: more than {} answers", file, most_answers));
    std::vector<SavedAnswer> answers;
    for (std::size_t i = 0; i < parts.size(); ++i)
        answers.push_back(
            {file, i + 1, parts.size(), health::explain({.text = std::string(parts[i]), .problem = {}})});
    return answers;
}

}  // namespace wearout::tools
