#include "base/error.h"
#include "service/config.h"
#include "service/daemon.h"
#include "service/log.h"

#include <cstdio>
#include <exception>

#include <fmt/core.h>

int main(int argc, char** argv) {
    using namespace wearout;
    try {
        const auto command_line = service::read_command_line({argv + 1, argv + argc});
        if (command_line.print_and_exit) {
            std::fputs(command_line.print_and_exit->c_str(), stdout);
            return 0;
        }
        if (command_line.check_config) {
            fmt::print("the configuration is good\n");
            return 0;
        }
        service::block_signals();
        service::start_log(command_line.config.log_level);
        return service::run_daemon(command_line.config);
    } catch (const Failure& failure) {
        fmt::print(stderr, "wearoutd: {}\n", failure.what());
        return static_cast<int>(failure.code());
    } catch (const std::exception& error) {
        fmt::print(stderr, "wearoutd: {}\n", error.what());
        return static_cast<int>(ExitCode::unreachable);
    }
}
