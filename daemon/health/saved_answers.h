#pragma once

#include <string_view>
#include <vector>

namespace wearout::health {

/// The answers saved in one file, each a view of it, in the order of the file: text outputs of smartctl,
/// which begin with its own first line (or, without those, with their information section), or JSON
/// documents, one after the other, a line each, or in an array. What lies behind one belongs to it. A file
/// that holds nothing of the kind is one answer, and can't be read.
[[nodiscard]] std::vector<std::string_view> split_answers(std::string_view file);

}  // namespace wearout::health
