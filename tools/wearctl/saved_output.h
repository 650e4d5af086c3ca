#pragma once

#include "tools/wearctl/console.h"
#include "tools/wearctl/saved.h"

#include <string>
#include <vector>

namespace wearout::tools {

/// A drive's section: of one answer what is decoded, of several the series with its curves. With `explain`
/// also all of the newest answer.
[[nodiscard]] std::string saved_text(const SavedDrive& drive, bool explain, const Screen& screen);

/// { "schema": 1, "records": [ … ], "series": [ … ] }: a record for each answer; a series for each drive of
/// which there are several.
[[nodiscard]] std::string saved_json(const std::vector<SavedDrive>& drives, bool explain);

}  // namespace wearout::tools
