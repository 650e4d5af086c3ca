#include "tools/wearctl/command.h"
#include "tools/wearctl/report.h"

#include <array>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array report_options = {
    OptionInfo{"csv", "DIR", "Write wear.csv, passes.csv and findings.csv into this folder instead."},
};

ExitCode run_report(Context& context) {
    const store::Store store(context.globals.db, store::OpenMode::read_only);
    const auto& positional = context.arguments.positional;
    const Report report = make_report(
        store, find_subject(store, positional.empty() ? std::nullopt : std::optional(positional.front())));
    Console& console = context.console;
    const auto folder = context.arguments.value("csv");
    if (folder) write_csv(report, store, *folder);
    if (context.globals.json)
        console.out << report_json(report);
    else if (folder)
        console.out << fmt::format("{}: wear.csv, passes.csv and findings.csv are written.\n", *folder);
    else
        console.out << report_text(report, console.screen);
    return exit_code(report.verdict.result);
}

}  // namespace

const Command report_command = {
    "report",
    "[DRIVE|RUN]",
    "The verdict and why, bytes written against the rating, findings, wear, write amplification, forecast, "
    "and curves. Read from the database, also without the daemon.",
    "Of a drive (default: the only one there is) its newest run, with all of the drive's history; of a run, "
    "its own stretch of that.\n"
    "The verdict is fail when data came back wrong or not at all, when a write failed, or when the run ended "
    "before its limit. An open-ended run (--until failure) that ends since the drive takes no more writes "
    "fails below the rating and passes from the rating on; with no rating known it passes if no data came "
    "back "
    "wrong, and says so. Findings of host-memory alone (right when read again) blame this machine and not "
    "the "
    "drive: insufficient-data, as when nothing was verified. Exit code: 0 for pass, 1 for fail, 5 for "
    "running, "
    "aborted and insufficient-data.",
    report_options,
    0,
    1,
    run_report};

}  // namespace wearout::tools
