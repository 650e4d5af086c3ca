#pragma once

#include "facts/finding.h"
#include "tools/wearctl/console.h"
#include "tools/wearctl/json_text.h"

#include <string>

namespace wearout::tools {

/// One finding as a block of lines; with `evidence` also what was expected and what was there, side by side
/// where they differ.
[[nodiscard]] std::string finding_text(const Finding& finding, bool evidence, const Screen& screen);

/// All of it, evidence as hexadecimal digits.
[[nodiscard]] Json finding_json(const Finding& finding);

}  // namespace wearout::tools
