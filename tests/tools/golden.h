#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

namespace wearout::test {

inline std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// With WEAROUT_NEW_GOLDEN set the file is written instead of compared: read the difference before
/// committing.
inline void check_golden(const std::string& name, const std::string& text) {
    const std::string path = WEAROUT_SOURCE_DIR "/tests/tools/golden/" + name;
    if (std::getenv("WEAROUT_NEW_GOLDEN") != nullptr) std::ofstream(path) << text;
    CHECK(text == text_of(path));
}

}  // namespace wearout::test
