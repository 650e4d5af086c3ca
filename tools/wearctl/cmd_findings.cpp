#include "tools/wearctl/command.h"
#include "tools/wearctl/finding_text.h"
#include "tools/wearctl/stored.h"
#include "tools/wearctl/text.h"
#include "tools/wearctl/wait.h"

#include <array>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array findings_options = {
    OptionInfo{"follow", "",
               "Go on and show new ones until the run is over or Ctrl-C; with --json one line each."},
    OptionInfo{"verbose", "", "Show the evidence: the bytes that differ."},
};

void print(const Finding& finding, const Context& context) {
    Console& console = context.console;
    console.out << (context.globals.json
                        ? json_line(finding_json(finding))
                        : finding_text(finding, context.arguments.has("verbose"), console.screen));
}

/// Prints those after `last` as they come. A finding that grows later is not shown again.
std::uint32_t print_new(const store::Store& store, RunId run, std::uint32_t last, const Context& context) {
    constexpr std::size_t at_once = 1000;
    while (true) {
        const auto findings = store.findings(run, last, at_once);
        for (const Finding& finding : findings) {
            print(finding, context);
            last = finding.sequence;
        }
        context.console.out << std::flush;
        if (findings.size() < at_once) return last;
    }
}

bool is_over(const store::Store& store, RunId run) {
    const auto stored = store.run(run);
    return !stored || wearout::is_over(stored->checkpoint.state);
}

std::uint32_t follow(const store::Store& store, RunId run, const Context& context) {
    const InterruptWatch watch;
    std::uint32_t last = 0;
    while (true) {
        // Asked first: what it found before its end is then read all the same.
        const bool over = is_over(store, run);
        last = print_new(store, run, last, context);
        if (over || InterruptWatch::interrupted()) return last;
        InterruptWatch::sleep_a_second();
    }
}

/// Findings beyond the cap of what is stored are counted only.
void say_what_is_missing(const store::StoredRun& run, std::uint64_t stored, Console& console) {
    const std::uint64_t total = run.checkpoint.counters.findings.total();
    if (total > stored) console.out << fmt::format("{} more were counted, but not kept.\n", total - stored);
}

ExitCode run_findings(Context& context) {
    const store::Store store(context.globals.db, store::OpenMode::read_only);
    const Subject subject = find_subject(store, context.arguments.positional.front());
    const RunId run = subject.run.id;
    Console& console = context.console;
    if (context.arguments.has("follow"))
        return follow(store, run, context) > 0 ? ExitCode::findings : ExitCode::pass;
    if (context.globals.json) {
        Json list = Json::array();
        for (const Finding& finding : store.findings(run))
            list.push_back(finding_json(finding));
        const bool none = list.empty();
        console.out << json_text({{"schema", 1},
                                  {"run", run.value},
                                  {"total", subject.run.checkpoint.counters.findings.total()},
                                  {"findings", std::move(list)}});
        return none ? ExitCode::pass : ExitCode::findings;
    }
    const std::uint32_t last = print_new(store, run, 0, context);
    if (last == 0)
        console.out << fmt::format("No findings in run {}.\n", run.value);
    else
        say_what_is_missing(subject.run, last, console);
    return last == 0 ? ExitCode::pass : ExitCode::findings;
}

}  // namespace

const Command findings_command = {"findings",
                                  "RUN|DRIVE",
                                  "Every finding of a run: its class, place, what was expected and what was "
                                  "there. Read from the database.",
                                  "The exit code is 1 when there are any.",
                                  findings_options,
                                  1,
                                  1,
                                  run_findings};

}  // namespace wearout::tools
