#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// NVMe log pages as text, behind smartctl's JSON in an answer (RawAnswer::text): each a line of its own,
///   nvme-pci VVVV:DDDD            the controller's PCI vendor and device, four hexadecimal digits each
///   nvme-log 0xLL GROUP HEX       the bytes of log page LL; GROUP is the endurance group that was asked
///                                 for, 0 for a log of the whole controller
/// from the first such line to the end of the text. An answer without them is smartctl's alone.
namespace wearout::health {

/// A controller's PCI vendor and device number. No device has the number 0.
struct PciId {
    int vendor = 0;
    int device = 0;
    bool operator==(const PciId&) const = default;
};

struct NvmeLog {
    int id = 0;
    int group = 0;
    std::string bytes;
    /// All zero, or all FFh: the drive has such a page and keeps nothing there.
    [[nodiscard]] bool is_blank() const;
    bool operator==(const NvmeLog&) const = default;
};

/// A log page that matters is 512 bytes to 4 KiB, and a drive has a handful of them; more is not a drive's.
inline constexpr std::size_t longest_nvme_log = 4096;
inline constexpr std::size_t most_nvme_logs = 64;

struct NvmeLogs {
    std::optional<PciId> pci;
    std::vector<NvmeLog> logs;
    std::size_t bad_lines = 0;  ///< That are none of the two above, or too many.
    /// The only one of that id, if there is exactly one: of several endurance groups nobody knows which one
    /// a namespace lies in.
    [[nodiscard]] const NvmeLog* only(int id) const;
};

struct AnswerParts {
    std::string_view json;  ///< A part of the text that was given.
    NvmeLogs nvme;
};

/// Never throws.
[[nodiscard]] AnswerParts split_answer(std::string_view text);

/// The lines, with their line ends.
[[nodiscard]] std::string to_line(const PciId& id);
[[nodiscard]] std::string to_line(const NvmeLog& log);

/// The whole text as a number from 0 to `max`.
[[nodiscard]] std::optional<int> parse_unsigned(std::string_view text, int base, int max);
/// "144d:a80a"
[[nodiscard]] std::optional<PciId> parse_pci_id(std::string_view text);
/// Nothing unless it is pairs of hexadecimal digits.
[[nodiscard]] std::optional<std::string> bytes_from_hex(std::string_view text);
[[nodiscard]] std::string hex_of(std::string_view bytes);
/// "NVMe log C0h"
[[nodiscard]] std::string log_name(int id);

}  // namespace wearout::health
