/// How fast a target is written and read through UringDevice, to be held against `fio` or `dd` on the same
/// target with the same transfer size and depth: the device layer must not be the limit.
///
///     uring_bench TARGET [DEPTH [TRANSFER]]     TARGET as wearctl takes it; its content is overwritten
#include "base/error.h"
#include "base/quantity.h"
#include "block/target.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

using namespace wearout;
using namespace wearout::block;

namespace {

/// One sequential walk over the whole drive with all buffers under way. Bytes per second.
double walk(BlockDevice& device, IoKind kind) {
    const std::uint64_t capacity = device.geometry().capacity.value;
    const SteadyTime start = system_clock().steady();
    std::uint64_t next = 0;
    std::uint32_t under_way = 0;
    const auto submit = [&](std::uint32_t buffer) {
        if (next == capacity) return;
        const auto length =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(device.buffer_bytes(), capacity - next));
        device.submit({kind, next, length, buffer});
        next += length;
        ++under_way;
    };
    for (std::uint32_t i = 0; i < device.queue_depth(); ++i)
        submit(i);
    std::array<IoCompletion, 64> out;
    while (under_way > 0) {
        const std::size_t count = device.reap(out, std::chrono::seconds(1));
        under_way -= static_cast<std::uint32_t>(count);
        for (const IoCompletion& completion : std::span(out).first(count)) {
            if (!std::holds_alternative<IoDone>(completion.outcome)) throw usage_error("a request failed");
            submit(completion.request.buffer);
        }
    }
    if (!std::holds_alternative<IoDone>(device.flush())) throw usage_error("the flush failed");
    const std::chrono::duration<double> seconds = system_clock().steady() - start;
    return static_cast<double>(capacity) / seconds.count();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 2) throw usage_error("usage: uring_bench TARGET [DEPTH [TRANSFER]]");
        OpenOptions options;
        if (argc > 2) options.queue_depth = static_cast<std::uint32_t>(parse_uint(argv[2], "depth", 1, 1024));
        if (argc > 3)
            options.transfer_bytes = static_cast<std::uint32_t>(parse_bytes(argv[3], "transfer").value);
        const OpenTarget target = open_target(parse_target(argv[1]), options);
        for (int round = 0; round < 5; ++round) {
            const double written = walk(*target.device, IoKind::write);
            const double read = walk(*target.device, IoKind::read);
            fmt::print("write {}, read {}\n", format_rate(written), format_rate(read));
        }
    } catch (const Failure& failure) {
        fmt::print(stderr, "{}\n", failure.what());
        return static_cast<int>(failure.code());
    }
    return 0;
}
