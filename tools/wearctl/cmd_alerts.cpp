#include "base/quantity.h"
#include "store/store.h"
#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/table.h"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array alerts_options = {
    OptionInfo{"ack", "ID", "Acknowledge an open alert by its number; it opens again if it grows further."},
};

Json json_of(const Alert& alert) {
    Json json = {{"id", alert.id},
                 {"rule", alert.rule},
                 {"drive", alert.drive_key},
                 {"run", nullptr},
                 {"text", alert.text},
                 {"baseline", alert.baseline},
                 {"value", alert.value},
                 {"growth", alert.value - alert.baseline},
                 {"per_tb", nullptr},
                 {"since", format_iso_time(alert.since)},
                 {"updated", format_iso_time(alert.updated)},
                 {"acknowledged", nullptr}};
    if (alert.run) json["run"] = alert.run->value;
    if (alert.per_tb) json["per_tb"] = *alert.per_tb;
    if (alert.acknowledged) json["acknowledged"] = format_iso_time(*alert.acknowledged);
    return json;
}

void print(const Alert& alert, const store::Store& store, Console& console) {
    const auto drive = store.drive(alert.drive_key);
    const bool open = !alert.acknowledged;
    console.out << paint(console.screen, open ? Tone::bad : Tone::faint,
                         fmt::format("{} {}", alert.id, open ? "OPEN" : "acknowledged"))
                << "  " << printable(alert.rule) << '\n';
    Listing listing;
    listing.add("  drive", drive && !drive->drive.model.empty()
                               ? fmt::format("{} {}{}", drive->drive.model, drive->drive.serial,
                                             drive->drive.simulated ? " (SIMULATED)" : "")
                               : alert.drive_key);
    listing.add("  what", alert.text);
    listing.add(
        "  growth",
        fmt::format(
            "{} over the baseline of {}{}", grouped(alert.value - alert.baseline), grouped(alert.baseline),
            alert.per_tb ? fmt::format(", {} per TB written", format_real(*alert.per_tb)) : std::string()));
    listing.add("  since", format_time(alert.since) + " UTC");
    if (alert.updated != alert.since) listing.add("  grew until", format_time(alert.updated) + " UTC");
    if (alert.run) listing.add("  run", std::to_string(alert.run->value));
    if (alert.acknowledged) listing.add("  acknowledged", format_time(*alert.acknowledged) + " UTC");
    console.out << listing.text(console.screen);
}

ExitCode run_alerts(Context& context) {
    Console& console = context.console;
    if (const auto id = context.arguments.value("ack")) {
        const auto number = parse_uint(*id, "--ack", 1);
        DaemonClient(context.globals.socket).acknowledge(number);
        if (context.globals.json)
            console.out << json_text({{"acknowledged", number}});
        else
            console.out << fmt::format("Alert {} is acknowledged.\n", number);
        return ExitCode::pass;
    }
    const store::Store store(context.globals.db, store::OpenMode::read_only);
    auto alerts = store.alerts();
    std::stable_sort(alerts.begin(), alerts.end(), [](const Alert& a, const Alert& b) {
        return std::pair(a.acknowledged.has_value(), -a.id) < std::pair(b.acknowledged.has_value(), -b.id);
    });
    if (context.globals.json) {
        Json list = Json::array();
        for (const Alert& alert : alerts)
            list.push_back(json_of(alert));
        console.out << json_text({{"schema", 1}, {"alerts", list}});
        return ExitCode::pass;
    }
    if (alerts.empty()) console.out << "No alerts.\n";
    for (const Alert& alert : alerts)
        print(alert, store, console);
    return ExitCode::pass;
}

}  // namespace

const Command alerts_command = {"alerts",
                                "",
                                "What grew on the drives under test, open alerts first: how much over the "
                                "run's baseline, since when, and how fast.",
                                "",
                                alerts_options,
                                0,
                                0,
                                run_alerts};

}  // namespace wearout::tools
