#include "tools/wearctl/finding_text.h"

#include "base/quantity.h"
#include "tools/wearctl/table.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::size_t dump_row = 8;
constexpr std::size_t most_dump_rows = 16;

std::string hex(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

std::string hex_row(const std::vector<std::byte>& bytes, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < std::min(from + dump_row, bytes.size()); ++i)
        text += fmt::format("{}{:02x}", i == from ? "" : " ", std::to_integer<unsigned>(bytes[i]));
    return text;
}

/// Only the rows that differ.
std::string evidence_text(const Finding& finding, const Screen& screen) {
    const auto& expected = finding.expected_bytes;
    const auto& actual = finding.actual_bytes;
    if (expected.empty() && actual.empty()) return "    no evidence is kept\n";
    Table table({{"    byte", Align::right}, {"expected"}, {"found"}});
    std::size_t rows = 0;
    std::size_t left_out = 0;
    for (std::size_t at = 0; at < std::max(expected.size(), actual.size()); at += dump_row) {
        const std::string want = hex_row(expected, at);
        const std::string have = hex_row(actual, at);
        if (want == have) continue;
        if (++rows > most_dump_rows)
            ++left_out;
        else
            table.add({{std::to_string(at)}, {want}, {have, Tone::bad}});
    }
    std::string text = table.text(screen);
    if (left_out > 0) text += fmt::format("    {} more rows differ (all with --json)\n", left_out);
    return text;
}

std::string torn_text(unsigned torn) {
    std::string text;
    for (unsigned sector = 0; sector < 8; ++sector)
        if ((torn >> sector & 1U) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", sector);
    return text;
}

std::string flips_text(const Finding& finding) {
    return fmt::format("{}: {} to one, {} to zero; the first in byte {}, mask 0x{:02x}",
                       counted(finding.flips_to_one + finding.flips_to_zero, "bit"), finding.flips_to_one,
                       finding.flips_to_zero, finding.first_wrong_byte, finding.first_wrong_bits);
}

std::string_view reread_text(Reread reread) {
    switch (reread) {
        case Reread::not_done:
            return "not done";
        case Reread::same:
            return "the same wrong bytes again";
        case Reread::different:
            return "other wrong bytes";
        case Reread::correct:
            return "right the second time";
        case Reread::failed:
            return "failed";
    }
    return "unknown";
}

template <typename T>
Json optional_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string finding_text(const Finding& finding, bool evidence, const Screen& screen) {
    std::string text = fmt::format(
        "#{} {}  LBA {} (byte {}), {}\n", finding.sequence,
        paint(screen, Tone::bad, finding_class_names[finding.cls]), finding.lba.value,
        grouped(static_cast<long long>(finding.lba.byte_offset())), counted(finding.sectors, "sector"));
    Listing listing;
    listing.add("    when", fmt::format("{} UTC, pass {}", format_time(finding.time), finding.pass));
    listing.add("    expected", fmt::format("generation {}", finding.expected.value));
    if (finding.found) {
        const std::int64_t behind = std::int64_t{finding.expected.value} - std::int64_t{finding.found->value};
        listing.add("    found",
                    fmt::format("generation {}{}", finding.found->value,
                                behind > 0 ? fmt::format(", {} too old", behind) : std::string()));
    }
    if (finding.source_lba)
        listing.add("    belongs at", fmt::format("LBA {}, {} sectors away", finding.source_lba->value,
                                                  grouped(*finding.source_lba - finding.lba)));
    if (finding.foreign_run) listing.add("    of run", fmt::format("{:016x}", *finding.foreign_run));
    if (finding.foreign_drive) listing.add("    of drive", fmt::format("{:016x}", *finding.foreign_drive));
    if (finding.flips_to_one + finding.flips_to_zero > 0) listing.add("    flipped", flips_text(finding));
    if (finding.torn_sectors != 0)
        listing.add("    torn", "sectors with the older write: " + torn_text(finding.torn_sectors));
    if (finding.error != 0)
        listing.add("    error",
                    fmt::format("{} ({})", std::generic_category().message(finding.error), finding.error));
    if (finding.reread != Reread::not_done)
        listing.add("    read again", std::string(reread_text(finding.reread)));
    text += listing.text(screen);
    return evidence ? text + evidence_text(finding, screen) : text;
}

Json finding_json(const Finding& finding) {
    Json json = {{"sequence", finding.sequence},
                 {"class", finding_class_names[finding.cls]},
                 {"lba", finding.lba.value},
                 {"byte_offset", finding.lba.byte_offset()},
                 {"sectors", finding.sectors},
                 {"pass", finding.pass},
                 {"time", format_iso_time(finding.time)},
                 {"expected_generation", finding.expected.value}};
    json["found_generation"] = finding.found ? Json(finding.found->value) : Json(nullptr);
    json["source_lba"] = finding.source_lba ? Json(finding.source_lba->value) : Json(nullptr);
    json["foreign_run"] = optional_json(finding.foreign_run);
    json["foreign_drive"] = optional_json(finding.foreign_drive);
    json["flips_to_one"] = finding.flips_to_one;
    json["flips_to_zero"] = finding.flips_to_zero;
    json["first_wrong_byte"] = finding.first_wrong_byte;
    json["first_wrong_bits"] = finding.first_wrong_bits;
    json["torn_sectors"] = finding.torn_sectors;
    json["errno"] = finding.error;
    json["reread"] = reread_names[finding.reread];
    json["expected_bytes"] = hex(finding.expected_bytes);
    json["actual_bytes"] = hex(finding.actual_bytes);
    return json;
}

}  // namespace wearout::tools
