#include "tools/wearctl/app.h"

#include "base/version.h"
#include "tools/wearctl/help.h"
#include "tools/wearctl/parse.h"
#include "tools/wearctl/text.h"

#include <array>
#include <ostream>

namespace wearout::tools {

std::span<const Command* const> commands() {
    static constexpr std::array all = {&drives_command, &profiles_command, &start_command,  &pause_command,
                                       &resume_command, &stop_command,     &status_command, &report_command,
                                       &decode_command, &findings_command, &alerts_command, &ratings_command};
    return all;
}

std::span<const OptionInfo> global_options() {
    static constexpr std::array all = {
        OptionInfo{"socket", "PATH",
                   "The daemon's socket (default: $WEAROUT_SOCKET, else /run/wearout/control.sock)."},
        OptionInfo{"db", "FILE",
                   "The database that is read (default: $WEAROUT_DB, else /var/lib/wearout/wearout.db)."},
        OptionInfo{"json", "", "Print JSON instead of text."},
        OptionInfo{"color", "WHEN",
                   "auto, always or never (default: auto: on a terminal, unless NO_COLOR is set)."},
        OptionInfo{"help", "", "Print this and exit."},
        OptionInfo{"version", "", "Print the version and exit."},
    };
    return all;
}

namespace {

ExitCode run(const CommandLine& line, Console& console) {
    console.screen = with_color(console.screen, line.globals.color);
    if (line.help) {
        console.out << (line.command == nullptr ? general_help(console.screen)
                                                : command_help(*line.command, console.screen));
        return ExitCode::pass;
    }
    if (line.version) {
        console.out << "wearctl " << version() << '\n';
        return ExitCode::pass;
    }
    Context context{console, line.globals, line.arguments};
    return line.command->run(context);
}

}  // namespace

ExitCode run_wearctl(std::span<const std::string> arguments, Console console) {
    const auto failed = [&console](ExitCode code, std::string_view message) {
        console.out.flush();
        console.err << "wearctl: " << printable(message) << '\n';
        return code;
    };
    try {
        const ExitCode code = run(parse_command_line(arguments), console);
        console.out.flush();
        if (!console.out) return failed(ExitCode::unreachable, "the output can't be written");
        return code;
    } catch (const Failure& failure) {
        return failed(failure.code(), failure.what());
    } catch (const StorageUnavailable& problem) {
        return failed(ExitCode::unreachable, problem.what());
    } catch (const std::exception& problem) {
        return failed(ExitCode::unreachable, problem.what());
    }
}

}  // namespace wearout::tools
