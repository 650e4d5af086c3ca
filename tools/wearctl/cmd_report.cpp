#include "tools/wearctl/command.h"
#include "tools/wearctl/report.h"
#include "tools/wearctl/stored_sample.h"

#include <array>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array report_options = {
    OptionInfo{"csv", "DIR", "Write wear.csv, passes.csv and findings.csv into this folder instead."},
    OptionInfo{"explain", "",
               "Show instead what was decoded from a stored sample, from which field, and why (default: the "
               "newest)."},
    OptionInfo{
        "sample", "N|TIME",
        "The sample to explain: its number, from 1, or a moment in UTC, '2026-05-01 14:03:22', for the "
        "newest that is not later."},
};

ExitCode run_explain(Context& context, const store::Store& store, const Subject& subject) {
    const auto sample = explain_sample(store, subject.drive.drive,
                                       subject.whole_drive ? std::nullopt : std::optional(subject.run.id),
                                       context.arguments.value("sample"));
    Console& console = context.console;
    if (context.globals.json) {
        Json json = {{"schema", 1}};
        json.update(explained_json(sample));
        console.out << json_text(json);
    } else {
        console.out << explained_text(sample, console.screen);
    }
    return explained_exit_code(sample);
}

ExitCode run_report(Context& context) {
    const store::Store store(context.globals.db, store::OpenMode::read_only);
    const auto& positional = context.arguments.positional;
    const Subject subject =
        find_subject(store, positional.empty() ? std::nullopt : std::optional(positional.front()));
    if (context.arguments.has("explain") || context.arguments.value("sample"))
        return run_explain(context, store, subject);
    const Report report = make_report(store, subject);
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
    "aborted and insufficient-data.\n"
    "--explain decodes the answer that was kept with a sample anew, and says where that differs from what "
    "was "
    "stored. Exit code then: 1 when the drive says that it is failing, 5 when nothing was decoded.",
    report_options,
    0,
    1,
    run_report};

}  // namespace wearout::tools
