#include "tools/wearctl/command.h"
#include "tools/wearctl/saved_output.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>

namespace wearout::tools {

namespace {

constexpr std::array decode_options = {
    OptionInfo{"explain", "",
               "Show for each metric what the answer has, how it is decoded, and what was passed over."},
};

ExitCode exit_code(const std::vector<SavedDrive>& drives) {
    bool decoded = false;
    bool failing = false;
    for (const SavedDrive& drive : drives)
        for (const SavedAnswer& answer : drive.answers) {
            decoded = decoded || !answer.explanation.sample.readings.empty();
            failing = failing || answer.explanation.failing;
        }
    if (failing) return ExitCode::findings;
    return decoded ? ExitCode::pass : ExitCode::insufficient_data;
}

ExitCode run_decode(Context& context) {
    std::vector<SavedAnswer> answers;
    for (const std::string& file : context.arguments.positional) {
        auto more = read_saved(file, context.console.in);
        std::move(more.begin(), more.end(), std::back_inserter(answers));
    }
    const auto drives = by_drive(std::move(answers));
    const bool explain = context.arguments.has("explain");
    Console& console = context.console;
    if (context.globals.json) {
        console.out << saved_json(drives, explain);
        return exit_code(drives);
    }
    for (const SavedDrive& drive : drives) {
        if (&drive != &drives.front()) console.out << '\n';
        console.out << saved_text(drive, explain, console.screen);
    }
    return exit_code(drives);
}

}  // namespace

const Command decode_command = {
    "decode",
    "FILE...",
    "What saved answers of smartctl tell of a drive's wear: value, unit, field and confidence of each "
    "metric. "
    "Needs neither daemon, database nor drive.",
    "A FILE holds smartctl's JSON or its text output (-a, -A, -x), once or many times, as a log that is "
    "appended to; - is the standard input.\n"
    "Several answers of one drive, in one file or in several, are a series in the order of time: first and "
    "last "
    "value, growth per TB written, write amplification, forecast, and curves over the TB that the drive "
    "itself "
    "counts. Where a counter falls or is decoded otherwise it is counted anew, so that nothing is subtracted "
    "across it.\n"
    "Drives are told apart by serial number, else by WWN. Answers whose serial number was hidden are taken "
    "as "
    "one drive where model, family, capacity and counters agree, which is then said.\n"
    "Exit code: 0 when something was decoded; 1 when a drive says in one of its answers that it is failing; "
    "2 "
    "for a file that can't be read; 5 when nothing could be decoded.",
    decode_options,
    1,
    10'000,
    run_decode};

}  // namespace wearout::tools
