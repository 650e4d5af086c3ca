#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/table.h"

#include <ostream>

namespace wearout::tools {

namespace {

ExitCode run_profiles(Context& context) {
    const DaemonClient daemon(context.globals.socket);
    Console& console = context.console;
    if (context.globals.json) {
        console.out << json_text(json_from(daemon.get("/v1/profiles")));
        return ExitCode::pass;
    }
    Listing listing;
    for (const auto& profile : daemon.profiles())
        listing.add(printable(profile.name), profile.summary);
    console.out << listing.text(console.screen);
    return ExitCode::pass;
}

}  // namespace

const Command profiles_command = {
    "profiles", "", "The profiles that a run can have, and what each does.", "", {}, 0, 0, run_profiles};

}  // namespace wearout::tools
