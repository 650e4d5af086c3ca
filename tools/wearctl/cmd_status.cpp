#include "base/quantity.h"
#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/run_text.h"
#include "tools/wearctl/select.h"
#include "tools/wearctl/table.h"

#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

Tone tone_of(const control::RunStatus& run) {
    if (run.findings_total > 0 || run.state == "failed" || run.state == "stuck") return Tone::bad;
    if (run.state.starts_with("waiting") || run.state == "paused") return Tone::warning;
    return run.state == "finished" ? Tone::good : Tone::plain;
}

std::string percent_text(double percent) {
    return fmt::format("{:.0f}%", percent);
}

std::string runs_text(const std::vector<control::RunStatus>& runs, const Screen& screen) {
    constexpr std::size_t bar_columns = 8;
    Table table({{"RUN", Align::right},
                 {"DRIVE", Align::left, 10},
                 {"STATE", Align::left, 7},
                 {"PASS", Align::right, 0, 3},
                 {"PROGRESS", Align::left, 0, 6},
                 {"", Align::right, 0, 2},
                 {"RATE", Align::right, 0, 4},
                 {"TBW", Align::right, 0, 1},
                 {"WEAR", Align::right, 0, 5},
                 {"FOUND", Align::right},
                 {"ETA", Align::right, 0, 2}});
    for (const auto& run : runs) {
        const auto worn = wear_percent(run.wear);
        table.add({{std::to_string(run.id)},
                   {drive_text(run)},
                   {run.state, tone_of(run)},
                   {pass_text(run)},
                   {bar(run.pass_percent, bar_columns, screen.unicode)},
                   {percent_text(run.pass_percent)},
                   {format_rate(run.bytes_per_second)},
                   {format_bytes({run.written_bytes})},
                   {worn ? fmt::format("{}%", *worn) : "-"},
                   {std::to_string(run.findings_total), run.findings_total > 0 ? Tone::bad : Tone::plain},
                   {eta_text(run.eta_seconds)}});
    }
    return table.text(screen);
}

std::string findings_text(const control::RunStatus& run) {
    if (run.findings_total == 0) return "none";
    std::string text;
    for (const auto& [name, ranges] : run.findings)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ranges, name);
    return text;
}

std::string run_text(const control::RunStatus& run, const Screen& screen) {
    Listing listing;
    listing.add("run", fmt::format("{}, {}, started {}", run.id, run.profile, run.started));
    listing.add("drive", fmt::format("{}, serial {}", run.model.empty() ? "unknown model" : run.model,
                                     run.serial.empty() ? "none" : run.serial));
    listing.add("key", run.drive_key);
    listing.add("target", run.target);
    listing.add("state", run.reason.empty() ? run.state : fmt::format("{}: {}", run.state, run.reason),
                tone_of(run));
    listing.add("pass", fmt::format("{} ({})", pass_text(run), run.phase));
    listing.add("progress",
                fmt::format("{} {:.1f} %", bar(run.pass_percent, 20, screen.unicode), run.pass_percent));
    listing.add("rate", format_rate(run.bytes_per_second));
    listing.add("to go", eta_text(run.eta_seconds));
    listing.add(
        "active",
        format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(run.active_seconds * 1000))));
    listing.add("written", format_bytes({run.written_bytes}));
    listing.add("verified", format_bytes({run.verified_bytes}));
    if (run.rating_bytes)
        listing.add("rating",
                    fmt::format("{}, of which this run wrote {:.1f} %", format_bytes({*run.rating_bytes}),
                                100 * static_cast<double>(run.written_bytes) /
                                    static_cast<double>(std::max<std::uint64_t>(1, *run.rating_bytes))));
    listing.add("findings", findings_text(run), run.findings_total > 0 ? Tone::bad : Tone::good);
    listing.add("wear", wear_text(run.wear));
    if (!run.health.empty())
        listing.add("counters", run.health, run.health == "ok" ? Tone::plain : Tone::warning);
    for (const std::string& note : run.notes)
        listing.add("note", note);
    return listing.text(screen);
}

ExitCode run_status(Context& context) {
    const DaemonClient daemon(context.globals.socket);
    Console& console = context.console;
    if (!context.arguments.positional.empty()) {
        const auto run = find_run(daemon, context.arguments.positional.front(), true);
        console.out << (context.globals.json ? json_text(json_from(control::to_json(run)))
                                             : run_text(run, console.screen));
        return ExitCode::pass;
    }
    if (context.globals.json) {
        console.out << json_text(json_from(daemon.get("/v1/status")));
        return ExitCode::pass;
    }
    const auto runs = daemon.runs();
    console.out << (runs.empty() ? "No runs. 'wearctl start TARGET' starts one.\n"
                                 : runs_text(runs, console.screen));
    return ExitCode::pass;
}

}  // namespace

const Command status_command = {
    "status", "[RUN|DRIVE]", "Every run, one line each; of one run, all there is to say now.", "", {}, 0,
    1,        run_status};

}  // namespace wearout::tools
