#pragma once

#include "health/explain.h"
#include "tools/wearctl/wear_history.h"

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

/// Drives' answers that were saved in files, put together to the histories of drives.
namespace wearout::tools {

struct SavedAnswer {
    std::string file;
    std::size_t place = 1;  ///< In the file, from 1,
    std::size_t of = 1;     ///< which holds so many.
    health::Explanation explanation;

    /// "log.txt", "log.txt #3".
    [[nodiscard]] std::string name() const;
};

/// Answers of one drive, oldest first.
struct SavedDrive {
    health::Identity identity;  ///< As the newest answer tells it.
    std::vector<SavedAnswer> answers;
    std::string note;                 ///< What the user must know of how they came together; may be empty.
    WearHistory history;              ///< Over the drive's own count of the bytes written to it.
    std::vector<std::string> breaks;  ///< Where counters fell or were decoded otherwise: not subtracted.
    bool counts_host_bytes = false;
};

/// Every answer in a file; "-" is `input`. Throws a Failure (usage) for one that can't be read.
[[nodiscard]] std::vector<SavedAnswer> read_saved(const std::string& file, std::istream& input);

/// Sorts answers by drive and time. Those whose serial number is hidden are one drive only where model and
/// family agree and nothing that only grows goes back; else each stands alone.
[[nodiscard]] std::vector<SavedDrive> by_drive(std::vector<SavedAnswer> answers);

}  // namespace wearout::tools
