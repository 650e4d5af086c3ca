#pragma once

#include "health/catalogue.h"
#include "health/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::health {

/// A row of the ATA SMART attribute table. What the answer leaves out is empty.
struct Attribute {
    int id = 0;
    std::string name;
    std::optional<std::int64_t> value;   ///< Normalised.
    std::optional<std::int64_t> thresh;  ///< What `value` is compared with.
    std::optional<std::int64_t> raw;     ///< As smartctl has put its bytes together.
    std::string printed;                 ///< The raw value as smartctl prints it.
    bool failing_now = false;            ///< By the drive's own threshold.
};

/// A valid entry of the ATA device statistics log.
struct Statistic {
    std::int64_t page = 0;
    std::int64_t offset = 0;
    std::string name;
    std::int64_t value = 0;
};

/// smartctl's answer, taken apart but not yet interpreted. Names from the drive hold printable ASCII only.
struct Answer {
    Json json;
    std::string smartctl_version;  ///< "7.3"
    std::string database_version;  ///< "7.3/5319"; empty before 7.3.
    std::optional<std::int64_t> exit_status;
    std::optional<Protocol> protocol;
    std::string model;
    std::string serial;
    std::string wwn;  ///< "5 00a075 1e2345678", or the EUI-64 or logical unit id as it is told.
    std::string firmware;
    bool listed = false;         ///< In smartctl's drive database,
    std::string drivedb_family;  ///< where it has this family.
    std::vector<Attribute> attributes;
    std::vector<Statistic> statistics;
    NvmeLogs nvme;                ///< The log pages that follow smartctl's part.
    std::size_t stray_lines = 0;  ///< That are no JSON, and were left out.

    /// Bits 0 and 1 of the exit status (smartctl(8)) say that the device could not be talked to.
    [[nodiscard]] bool has_data() const { return exit_status && (*exit_status & 3) == 0; }
    /// The only one of that id, if there is exactly one.
    [[nodiscard]] const Attribute* attribute(int id) const;
    [[nodiscard]] const Statistic* statistic(std::int64_t page, std::int64_t offset) const;
    /// The number at a path as decimal text, of any length: smartctl writes a large KEY also as the text
    /// KEY_s and as the little-endian bytes KEY_le. Nothing where these disagree.
    [[nodiscard]] std::optional<std::string> number_text(std::string_view path) const;
    [[nodiscard]] bool is_of(const Family& family) const;
};

struct AnswerResult {
    std::optional<Answer> answer;
    std::string error;
};

/// Takes smartctl's JSON, or its text output (text_answer.h). Never throws for bad text. Lines that can't be
/// a part of JSON are left out: smartctl 7.0 to 7.2 print such ones for some SAS drives ("  Pending defect
/// count:0 Pending Defects").
[[nodiscard]] AnswerResult read_answer(std::string_view text);

/// At most so many characters, the unprintable ones replaced: what a drive says ends up on a terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 80);

/// Digits, perhaps with a sign before and a fraction behind.
[[nodiscard]] bool is_decimal(std::string_view text);

}  // namespace wearout::health
