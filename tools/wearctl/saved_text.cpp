#include "base/quantity.h"
#include "tools/wearctl/explain_text.h"
#include "tools/wearctl/saved_output.h"
#include "tools/wearctl/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string time_text(const health::Identity& identity) {
    if (!identity.time) return "not told";
    if (!identity.time->text.empty()) return identity.time->text;
    return format_time(WallTime(std::chrono::seconds(identity.time->seconds))) + " UTC";
}

std::string reading_text(const SavedAnswer& answer, Metric metric) {
    for (const auto& reading : answer.explanation.sample.readings)
        if (reading.metric == metric) return value_text(metric, reading.value);
    return "-";
}

const char* or_none(const std::string& text, const char* none) {
    return text.empty() ? none : text.c_str();
}

void add_identity(Listing& listing, const health::Identity& identity) {
    listing.add("  serial", or_none(identity.serial, "hidden, or not told"));
    if (!identity.wwn.empty()) listing.add("  wwn", identity.wwn);
    listing.add("  firmware", or_none(identity.firmware, "not told"));
    if (identity.capacity_bytes && *identity.capacity_bytes > 0)
        listing.add("  size", format_bytes({static_cast<std::uint64_t>(*identity.capacity_bytes)}));
    listing.add("  family", identity.drivedb_family.empty()
                                ? "none in smartctl's drive database"
                                : identity.drivedb_family + " (smartctl's drive database)");
}

std::string head_text(const SavedDrive& drive, const Screen& screen) {
    const auto& identity = drive.identity;
    std::string text =
        paint(screen, Tone::strong, printable(or_none(identity.model, "a drive that tells no model"))) + "\n";
    Listing listing;
    if (!identity.model.empty()) add_identity(listing, identity);
    const auto& newest = drive.answers.back();
    if (drive.answers.size() == 1) {
        listing.add("  time", time_text(identity));
        listing.add("  from", newest.name());
    } else {
        listing.add("  answers",
                    fmt::format("{}, from {} to {}", drive.answers.size(),
                                time_text(drive.answers.front().explanation.identity), time_text(identity)));
    }
    if (!drive.note.empty()) listing.add("  note", drive.note, Tone::warning);
    const auto& problem = newest.explanation.sample.problem;
    if (!problem.empty())
        listing.add("  problem", problem, newest.explanation.failing ? Tone::bad : Tone::warning);
    return text + listing.text(screen);
}

/// What can't be read at all.
std::string stray_text(const SavedAnswer& answer, const Screen& screen) {
    Listing listing;
    listing.add("  problem", answer.explanation.sample.problem, Tone::warning);
    return paint(screen, Tone::strong, printable(answer.name())) + "\n" + listing.text(screen);
}

/// First, last and what lies between.
std::string answers_text(const SavedDrive& drive, const Screen& screen) {
    constexpr std::size_t shown_at_each_end = 4;
    Table table({{"  TIME"},
                 {"POWERED ON, h", Align::right},
                 {"WRITTEN", Align::right},
                 {"USED", Align::right, 0, 2},
                 {"FROM", Align::left, 12}});
    const std::size_t count = drive.answers.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > 2 * shown_at_each_end + 1 && i == shown_at_each_end) {
            i = count - shown_at_each_end - 1;
            table.add({{screen.unicode ? "  ⋮" : "  :"}, {""}, {""}, {""}, {""}});
            continue;
        }
        const auto& answer = drive.answers[i];
        table.add({{"  " + time_text(answer.explanation.identity)},
                   {reading_text(answer, Metric::power_on_hours)},
                   {reading_text(answer, Metric::host_bytes_written)},
                   {reading_text(answer, Metric::percentage_used)},
                   {answer.name(), answer.explanation.failing ? Tone::bad : Tone::plain}});
    }
    return heading("Answers", screen) + table.text(screen);
}

std::string breaks_text(const SavedDrive& drive, const Screen& screen) {
    if (drive.breaks.empty()) return {};
    constexpr std::size_t most = 20;
    std::string text = heading("Counted anew, so that nothing is subtracted across it", screen);
    for (std::size_t i = 0; i < std::min(drive.breaks.size(), most); ++i) {
        std::string_view mark = "- ";
        for (const std::string& line : wrapped(printable(drive.breaks[i]), screen.columns - 4)) {
            text += fmt::format("  {}{}\n", mark, line);
            mark = "  ";
        }
    }
    if (drive.breaks.size() > most) text += fmt::format("  and {} more\n", drive.breaks.size() - most);
    return text;
}

std::string series_text(const SavedDrive& drive, const Screen& screen) {
    std::string text = answers_text(drive, screen) + breaks_text(drive, screen) +
                       wear_text(drive.history, drive.answers.back().explanation.sample.problem, screen) +
                       forecast_text(drive.history, screen);
    if (!drive.counts_host_bytes)
        return text + "\nNo curves: the drive does not tell how much was written to it.\n";
    return text + plots_text(drive.history, "TB written to the drive (as it counts)", screen);
}

}  // namespace

std::string saved_text(const SavedDrive& drive, bool explain, const Screen& screen) {
    const auto& newest = drive.answers.back();
    if (!newest.explanation.readable && drive.answers.size() == 1) return stray_text(newest, screen);
    std::string text = head_text(drive, screen);
    if (drive.answers.size() > 1) text += series_text(drive, screen);
    if (drive.answers.size() > 1 && explain)
        text += "\n" + paint(screen, Tone::strong, "The newest answer, " + printable(newest.name())) + "\n";
    if (explain) return text + explanation_text(newest.explanation, screen);
    return drive.answers.size() == 1 ? text + readings_text(newest.explanation, screen) : text;
}

}  // namespace wearout::tools
