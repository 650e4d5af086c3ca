#include "base/quantity.h"
#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/run_text.h"
#include "tools/wearctl/stored_sample.h"
#include "tools/wearctl/table.h"

#include <array>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string rating_text(const control::DriveStatus& drive) {
    if (!drive.rating_bytes) return "-";
    return format_bytes({*drive.rating_bytes});
}

std::string name_of(const control::DriveStatus& drive) {
    return !drive.by_id.empty() ? drive.by_id : !drive.path.empty() ? drive.path : drive.key;
}

constexpr std::array drives_options = {
    OptionInfo{
        "explain", "",
        "Show instead what was decoded from the newest stored sample of each drive, and why. Read from "
        "the database; no drive is asked."},
};

ExitCode explain_drives(Context& context) {
    const store::Store store(context.globals.db, store::OpenMode::read_only);
    std::vector<ExplainedSample> samples;
    for (const auto& stored : store.drives())
        if (!store.samples(stored.drive.key).empty())
            samples.push_back(explain_sample(store, stored.drive, std::nullopt, std::nullopt));
    if (samples.empty())
        throw Failure(ExitCode::insufficient_data, "no drive was asked for its wear counters yet");
    Console& console = context.console;
    if (context.globals.json) {
        Json json = {{"schema", 1}, {"drives", Json::array()}};
        for (const auto& sample : samples)
            json["drives"].push_back(explained_json(sample));
        console.out << json_text(json);
        return ExitCode::pass;
    }
    for (const auto& sample : samples) {
        if (&sample != &samples.front()) console.out << '\n';
        console.out << explained_text(sample, console.screen);
    }
    return ExitCode::pass;
}

ExitCode run_drives(Context& context) {
    if (context.arguments.has("explain")) return explain_drives(context);
    const DaemonClient daemon(context.globals.socket);
    Console& console = context.console;
    if (context.globals.json) {
        console.out << json_text(json_from(daemon.get("/v1/drives")));
        return ExitCode::pass;
    }
    const auto drives = daemon.drives();
    if (drives.empty()) console.out << "No drives here.\n";
    for (const auto& drive : drives) {
        const bool refused = !drive.reasons.empty();
        const Tone tone = drive.run ? Tone::warning : refused ? Tone::faint : Tone::good;
        const std::string state = drive.run ? fmt::format("run {} is on it", *drive.run)
                                  : refused ? "refused"
                                            : "free";
        console.out << paint(console.screen, Tone::strong, printable(name_of(drive))) << "  "
                    << paint(console.screen, tone, state) << '\n';
        Listing listing;
        listing.add("  model", fmt::format("{}{}", drive.model.empty() ? "unknown" : drive.model,
                                           drive.simulated ? " (SIMULATED)" : ""));
        listing.add("  serial", drive.serial.empty() ? "none" : drive.serial);
        listing.add("  size", fmt::format("{}, {}-byte blocks, {}", format_capacity({drive.capacity_bytes}),
                                          drive.logical_block_bytes, drive.transport));
        if (!drive.path.empty()) listing.add("  path", drive.path);
        listing.add(
            "  written",
            fmt::format(
                "{} by us, rating {}{}", format_bytes({drive.written_bytes}), rating_text(drive),
                drive.rating_source.empty() ? std::string() : fmt::format(" ({})", drive.rating_source)));
        if (!drive.wear.empty()) listing.add("  wear", wear_text(drive.wear));
        for (const std::string& reason : drive.reasons)
            listing.add("  refused", reason, Tone::warning);
        console.out << listing.text(console.screen);
    }
    return ExitCode::pass;
}

}  // namespace

const Command drives_command = {
    "drives",
    "",
    "Every drive here: name, model, serial number, size, transport, bytes written, "
    "wear, rating, and whether it is free or why it is refused.",
    "",
    drives_options,
    0,
    0,
    run_drives};

}  // namespace wearout::tools
