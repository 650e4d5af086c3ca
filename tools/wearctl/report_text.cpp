#include "analysis/counter_unit.h"
#include "base/quantity.h"
#include "health/endurance.h"
#include "tools/wearctl/report.h"
#include "tools/wearctl/report_sampling.h"
#include "tools/wearctl/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string head_text(const Report& report, const Screen& screen) {
    const Drive& drive = report.subject.drive.drive;
    const store::StoredRun& run = report.subject.run;
    Listing listing;
    listing.add("drive", fmt::format("{}{}", drive.model.empty() ? "unknown model" : drive.model,
                                     drive.simulated ? " (SIMULATED: a flash model, not a real drive)" : ""));
    listing.add("serial", fmt::format("{}{}", drive.serial.empty() ? "none" : drive.serial,
                                      drive.firmware.empty() ? "" : ", firmware " + drive.firmware));
    listing.add("size", fmt::format("{}, {}-byte blocks, {}", format_capacity(drive.capacity),
                                    drive.logical_block_bytes, drive.transport));
    listing.add("run", fmt::format("{}, profile {}, {}", run.id.value, run.spec.profile,
                                   run_state_names[run.checkpoint.state]));
    listing.add("time", fmt::format("{} to {} UTC, {} at work", format_time(run.started),
                                    run.ended ? format_time(*run.ended) : "now",
                                    format_duration(run.checkpoint.counters.active)));
    return listing.text(screen);
}

std::string verdict_text(const Verdict& verdict, const Screen& screen) {
    std::string word(verdict_names[verdict.result]);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const Tone tone = verdict.result == VerdictResult::pass   ? Tone::good
                      : verdict.result == VerdictResult::fail ? Tone::bad
                                                              : Tone::warning;
    std::string text = "\n" + paint(screen, tone, "VERDICT: " + word) + "\n";
    for (const std::string& reason : verdict.reasons) {
        std::string_view mark = "- ";
        for (const std::string& line : wrapped(printable(reason), screen.columns - 4)) {
            text += fmt::format("  {}{}\n", mark, line);
            mark = "  ";
        }
    }
    return text;
}

std::string tbw_text(const Report& report, const Screen& screen) {
    const Tbw& tbw = report.tbw;
    Listing listing;
    listing.add("  written", fmt::format("{} by this run, {} by all our runs", format_bytes(tbw.written),
                                         format_bytes(report.subject.drive.written)));
    listing.add("  verified", format_bytes(tbw.verified));
    if (tbw.host_bytes_by_drive)
        listing.add("  by the drive",
                    fmt::format("{} of host writes", format_bytes(*tbw.host_bytes_by_drive)));
    if (tbw.rated_used_percent)
        listing.add(
            "  rating",
            fmt::format("{:.1f} % of {}{}{}", *tbw.rated_used_percent, format_bytes(*tbw.rated),
                        tbw.rated_dwpd_milli
                            ? ", " + health::dwpd_text(*tbw.rated_dwpd_milli, *tbw.warranty_years)
                            : std::string(),
                        tbw.rating_source.empty() ? std::string() : fmt::format(" ({})", tbw.rating_source)));
    else
        listing.add("  rating", "unknown; 'wearctl ratings set' or 'wearctl start --rating' tells it");
    return heading("Bytes written (TBW)", screen) + listing.text(screen);
}

std::string findings_text(const Report& report, const Screen& screen) {
    const RunCounters& counters = report.subject.run.checkpoint.counters;
    std::string text = heading("Findings", screen);
    if (counters.findings.total() == 0) {
        text += "  none\n";
    } else {
        Table table({{"  CLASS"}, {"RANGES", Align::right}, {"SECTORS", Align::right}});
        for (std::size_t i = 0; i < finding_class_count; ++i)
            if (counters.findings.ranges[i] > 0)
                table.add({{"  " + std::string(finding_class_names.names[i]), Tone::bad},
                           {grouped(static_cast<long long>(counters.findings.ranges[i]))},
                           {grouped(static_cast<long long>(counters.findings.sectors[i]))}});
        text += table.text(screen);
        text += fmt::format("  'wearctl findings {}' shows each.\n", report.subject.run.id.value);
    }
    if (counters.unverified.value > 0)
        text += fmt::format("  {} could not be verified: unreadable, or their writes had failed.\n",
                            format_bytes(counters.unverified));
    return text;
}

/// What asking for them cost.
std::string sampling_line(const Report& report, const Screen& screen) {
    Listing listing;
    listing.add("  SMART sampling", sampling_text(report.sampling));
    return listing.text(screen);
}

std::string counter_text(const CounterUnit& unit) {
    const std::string catalogue = unit.catalogue_step ? analysis::unit_name(*unit.catalogue_step) : "";
    switch (unit.verdict) {
        case CounterVerdict::unsettled:
            return fmt::format("{}: too little written to check it",
                               catalogue.empty() ? "unit unknown" : catalogue);
        case CounterVerdict::agrees:
            return fmt::format("counts in {}, as the catalogue has it", catalogue);
        case CounterVerdict::learnt:
            return fmt::format("counts in {}: learnt", analysis::unit_name(unit.step.value_or(0)));
        case CounterVerdict::contradicts:
            return fmt::format("counts in {}, and NOT in {} as the catalogue has it: {}",
                               unit.step ? analysis::unit_name(*unit.step) : "no known unit", catalogue,
                               analysis::evidence(unit));
        case CounterVerdict::unknown:
            return "counts in no known unit: " + analysis::evidence(unit);
        case CounterVerdict::moves:
            return "moves as the flash is written";
        case CounterVerdict::still:
            return fmt::format("STANDS STILL: it did not move while {} were written",
                               format_bytes(unit.written));
    }
    return {};
}

/// What the bytes that we wrote say of the drive's own counters of them.
std::string counters_text(const Report& report, const Screen& screen) {
    if (report.counter_units.empty()) return {};
    Listing listing;
    for (const CounterUnit& unit : report.counter_units) {
        const bool bad = unit.verdict == CounterVerdict::contradicts || unit.verdict == CounterVerdict::still;
        std::string text = counter_text(unit);
        if (unit.longest_still.value > 0 && !bad)
            text += fmt::format("; up to {} late", format_bytes(unit.longest_still));
        listing.add("  " + unit.field, text, bad ? Tone::bad : Tone::plain);
    }
    return heading("The drive's counters of bytes written, held against ours", screen) + listing.text(screen);
}

/// First, last and what lies between: a run can have thousands of passes.
std::string passes_text(const Report& report, const Screen& screen) {
    if (report.passes.empty()) return {};
    constexpr std::size_t shown_at_each_end = 4;
    Table table({{"  PASS", Align::right},
                 {"WHAT"},
                 {"BYTES", Align::right},
                 {"TIME", Align::right},
                 {"SPEED", Align::right},
                 {"FOUND", Align::right}});
    std::string text = heading("Passes", screen);
    const std::size_t count = report.passes.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > 2 * shown_at_each_end + 1 && i == shown_at_each_end) {
            i = count - shown_at_each_end - 1;
            table.add({{screen.unicode ? "⋮" : ":"}});
            continue;
        }
        const PassRecord& pass = report.passes[i];
        const double seconds = static_cast<double>(pass.active.count()) / 1000;
        table.add({{std::to_string(pass.generation.value)},
                   {std::string(run_state_names[pass.kind])},
                   {format_bytes(pass.bytes)},
                   {format_duration(pass.active)},
                   {seconds > 0 ? format_rate(static_cast<double>(pass.bytes.value) / seconds) : "-"},
                   {std::to_string(pass.finding_ranges), pass.finding_ranges > 0 ? Tone::bad : Tone::plain}});
    }
    return text + table.text(screen);
}

std::string alerts_text(const Report& report, const Screen& screen) {
    if (report.alerts.empty()) return {};
    std::string text = heading("Open alerts", screen);
    Listing listing;
    for (const Alert& alert : report.alerts)
        listing.add(fmt::format("  {}", alert.id),
                    fmt::format("{} (since {} UTC)", alert.text, format_time(alert.since)), Tone::bad);
    return text + listing.text(screen);
}

}  // namespace

std::string report_text(const Report& report, const Screen& screen) {
    return head_text(report, screen) + verdict_text(report.verdict, screen) + tbw_text(report, screen) +
           findings_text(report, screen) + alerts_text(report, screen) +
           wear_text(report, report.counters_problem, screen) + sampling_line(report, screen) +
           counters_text(report, screen) + forecast_text(report, screen) + passes_text(report, screen) +
           plots_text(report,
                      report.tbw.host_bytes_by_drive ? "TB written to the drive (as it counts)"
                                                     : "TB written to the drive (by our runs)",
                      screen);
}

}  // namespace wearout::tools
