#pragma once

#include <string_view>

namespace wearout {

/// A text file that was built into the program.
struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

}  // namespace wearout
