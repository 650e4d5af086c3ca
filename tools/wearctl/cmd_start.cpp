#include "base/quantity.h"
#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/select.h"
#include "tools/wearctl/table.h"
#include "tools/wearctl/wait.h"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array start_options = {
    OptionInfo{"profile", "NAME", "What the run does (default: burn-in); 'wearctl profiles' lists them."},
    OptionInfo{"passes", "N",
               "End after N write passes, each with its verify pass (default: the profile's)."},
    OptionInfo{"for", "TIME", "End after so much time at work, as 90s, 72h or 7d (default: the profile's)."},
    OptionInfo{"tbw", "SIZE",
               "End when this run has written so much, as 500GB or 30TB (default: the profile's)."},
    OptionInfo{
        "until", "END",
        "End at: rating (the rated TBW is written), wear=N (N percent of its life is used, as the drive "
        "tells), failure (it takes no more writes). Default: the profile's."},
    OptionInfo{"rate", "SIZE", "Read and write at most so much a second, as 100MB (default: no limit)."},
    OptionInfo{"rating", "TBW",
               "What the drive is rated for, as 300TB, or as 1.3DWPD/5y: drive writes a day over years of "
               "warranty (default: as set with 'wearctl ratings set', else the catalogue's, else unknown)."},
    OptionInfo{"seed", "N", "The pattern's seed, a whole number (default: random)."},
    OptionInfo{"range", "START..END",
               "Only this part of the drive, as 0..100GiB; END is left out (default: all)."},
    OptionInfo{"on-finding", "WHAT", "continue or stop, when something is found (default: the profile's)."},
    OptionInfo{"verify", "on|off", "Read back and check after each write pass (default: on)."},
    OptionInfo{"transfer", "SIZE", "Bytes in one transfer (default: 1MiB)."},
    OptionInfo{"queue-depth", "N", "Transfers under way at once (default: 16)."},
    OptionInfo{"confirm", "SERIAL",
               "Consent to the destruction of all data: the drive's serial number, or what the question on a "
               "terminal asks for (default: ask)."},
    OptionInfo{"overwrite-signature", "",
               "Go on though the drive carries a file system, RAID, LVM or partition table."},
    OptionInfo{"wait", "",
               "Show how the run goes on, and end with its verdict's exit code. Ctrl-C leaves it going."},
};
/// What the daemon reads itself, so that there is one reader and one error line.
constexpr std::array passed_on = {"passes", "for",   "tbw",        "until",  "rate",     "rating",
                                  "seed",   "range", "on-finding", "verify", "transfer", "queue-depth"};

const control::ProfileInfo& find_profile(const std::vector<control::ProfileInfo>& profiles,
                                         const std::string& name) {
    std::vector<std::string_view> names;
    std::string list;
    for (const auto& profile : profiles) {
        if (profile.name == name) return profile;
        names.push_back(profile.name);
        list += (list.empty() ? "" : ", ") + profile.name;
    }
    const std::string_view close = closest(name, names);
    throw usage_error(
        close.empty() ? fmt::format("--profile: '{}' is none of {}", name, list)
                      : fmt::format("--profile: '{}' is none of {}; did you mean {}?", name, list, close));
}

/// Shows what would be lost and reads the line that allows it.
std::string ask(Console& console, const control::ConsentInfo& info) {
    Listing listing;
    listing.add("model", info.model.empty() ? "unknown" : info.model);
    listing.add("serial", info.serial.empty() ? "none" : info.serial);
    listing.add("capacity", format_capacity({info.capacity_bytes}));
    console.err << listing.text(console.screen)
                << paint(console.screen, Tone::bad, "ALL DATA ON IT WILL BE DESTROYED.") << '\n'
                << fmt::format("To allow that, type {}'{}': ",
                               info.type_this == info.serial ? "its serial number " : "",
                               printable(info.type_this))
                << std::flush;
    std::string line;
    std::getline(console.in, line);
    const auto first = line.find_first_not_of(" \t\r");
    line = first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (line != info.type_this)
        throw Failure(ExitCode::refused, "that is not what was asked for; nothing is started or harmed");
    return line;
}

std::string consent(Context& context, const DaemonClient& daemon, const control::StartRequest& request) {
    const auto info = daemon.consent(request.target);
    if (!info.reasons.empty() && !request.overwrite_signature) {
        for (std::size_t i = 0; i + 1 < info.reasons.size(); ++i)
            context.console.err << "wearctl: refused: " << printable(info.reasons[i]) << '\n';
        throw Failure(ExitCode::refused, "refused: " + info.reasons.back());
    }
    if (info.type_this.empty() || !request.confirm.empty()) return request.confirm;
    if (context.console.screen.can_ask) return ask(context.console, info);
    throw Failure(ExitCode::refused,
                  fmt::format("all data on {} would be destroyed; to allow that, add --confirm '{}'",
                              info.model.empty() ? request.target : info.model, info.type_this));
}

ExitCode run_start(Context& context) {
    const DaemonClient daemon(context.globals.socket);
    const Arguments& arguments = context.arguments;
    control::StartRequest request;
    request.target = absolute_target(arguments.positional.front());
    request.profile = arguments.value("profile").value_or("burn-in");
    request.confirm = arguments.value("confirm").value_or("");
    request.overwrite_signature = arguments.has("overwrite-signature");
    for (const char* const name : passed_on)
        if (const auto value = arguments.value(name)) request.options[name] = *value;

    const auto profiles = daemon.profiles();
    if (!find_profile(profiles, request.profile).reads_only)
        request.confirm = consent(context, daemon, request);
    const RunId run = daemon.start(request);
    Console& console = context.console;
    if (context.globals.json)
        console.out << json_text({{"id", run.value}}) << std::flush;
    else
        console.out << fmt::format("Run {} is started: {} on {}.\n", run.value, request.profile,
                                   printable(request.target))
                    << std::flush;
    return arguments.has("wait") ? wait_for(daemon, run, console) : ExitCode::pass;
}

}  // namespace

const Command start_command = {
    "start",
    "TARGET",
    "Starts a run. ALL DATA ON THE TARGET IS DESTROYED, except by profiles that only read.",
    "TARGET is a block device (best by its name below /dev/disk/by-id), a regular file (file:PATH, made with "
    "?size=1GiB), or a simulated drive (sim:NAME?size=256MiB&endurance=300).\n"
    "A run goes on when wearctl ends, and by itself after a restart of the daemon or the machine.",
    start_options,
    1,
    1,
    run_start};

}  // namespace wearout::tools
