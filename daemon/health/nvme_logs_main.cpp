// Asks an NVMe drive for log pages beyond what smartctl prints. A program of its own, so that a drive that
// hangs holds up a child and nobody else.
//   wearout-nvme-logs plan DEVICE             which logs are worth asking for
//   wearout-nvme-logs read DEVICE REQUEST...  those logs
// See nvme_source.h for what it prints.
#include "base/error.h"
#include "health/libnvme_controller.h"

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace wearout;
using namespace wearout::health;

namespace {

void plan(NvmeController& controller) {
    const auto facts = controller.identify();
    fmt::print("{}", to_line(facts.pci));
    for (const auto& request : plan_logs(controller, facts, builtin_catalogue()))
        fmt::print("request {}\n", to_text(request));
}

void read(NvmeController& controller, std::span<const std::string> requests) {
    for (const auto& text : requests) {
        const auto request = parse_request(text);
        if (!request) throw usage_error("no such request: " + text);
        const auto reply = controller.read(*request);
        switch (reply.kind) {
            case LogReply::Kind::answered:
                fmt::print("{}", to_line(NvmeLog{request->id, request->group, reply.bytes}));
                break;
            case LogReply::Kind::refused:
                fmt::print("refused {}\n", text);
                break;
            case LogReply::Kind::failed:
                fmt::print("failed {} {}\n", text, reply.reason);
                break;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (arguments.size() < 2 || (arguments[0] != "plan" && arguments[0] != "read"))
            throw usage_error("usage: wearout-nvme-logs plan|read DEVICE [REQUEST...]");
        const auto controller = open_nvme(arguments[1]);
        if (arguments[0] == "plan")
            plan(*controller);
        else
            read(*controller, std::span(arguments).subspan(2));
        return 0;
    } catch (const Failure& failure) {
        fmt::print(stderr, "{}\n", failure.what());
        return static_cast<int>(failure.code());
    }
}
