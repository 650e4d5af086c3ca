// pause, resume and stop: the three orders that a run takes.

#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/run_text.h"
#include "tools/wearctl/select.h"
#include "tools/wearctl/text.h"

#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

ExitCode give_order(Context& context, std::string_view order) {
    const DaemonClient daemon(context.globals.socket);
    const auto run = find_run(daemon, context.arguments.positional.front(), false);
    const auto after = daemon.order(run.id, order);
    Console& console = context.console;
    if (context.globals.json)
        console.out << json_text(json_from(control::to_json(after)));
    else
        console.out << fmt::format("Run {} on {} is {}.\n", after.id, printable(drive_text(after)),
                                   printable(after.state));
    return ExitCode::pass;
}

}  // namespace

const Command pause_command = {
    "pause", "RUN|DRIVE", "Pauses a run: it reads and writes nothing until it is resumed.", "", {},
    1,       1,           [](Context& context) { return give_order(context, "pause"); }};

const Command resume_command = {
    "resume", "RUN|DRIVE", "Lets a paused run go on from where it was.", "", {}, 1, 1, [](Context& context) {
        return give_order(context, "resume");
    }};

const Command stop_command = {
    "stop", "RUN|DRIVE", "Ends a run for good; its history is kept.", "", {}, 1, 1, [](Context& context) {
        return give_order(context, "stop");
    }};

}  // namespace wearout::tools
