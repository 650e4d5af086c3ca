#include "block/sim/sim_device.h"

#include "base/error.h"
#include "block/sim/sim_target.h"
#include "tests/block/sim_support.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::block;
using namespace wearout::block::sim;

namespace {

OpenOptions options_in(const std::string& folder) {
    OpenOptions options;
    options.state_dir = folder;
    options.queue_depth = 4;
    options.transfer_bytes = 256U << 10U;
    return options;
}

const Options tiny = {{"size", "1MiB"}, {"erase-block", "16KiB"}, {"endurance", "40"}};

IoOutcome perform(BlockDevice& device, IoKind kind, std::uint64_t offset, std::uint32_t length) {
    device.submit({kind, offset, length, 0});
    IoCompletion completion;
    REQUIRE(device.reap({&completion, 1}, std::chrono::milliseconds{0}) == 1);
    CHECK(completion.request.offset == offset);
    return completion.outcome;
}

bool is_done(const IoOutcome& outcome) {
    return std::holds_alternative<IoDone>(outcome);
}

Failure failure_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Failure& failure) {
        return failure;
    }
    return {ExitCode::pass, ""};
}

/// Overwrites in order until an error, at most `passes` times.
IoOutcome overwrite(BlockDevice& device, std::uint32_t passes) {
    const std::uint32_t step = device.buffer_bytes();
    for (std::uint32_t pass = 0; pass < passes; ++pass)
        for (std::uint64_t at = 0; at < device.geometry().capacity.value; at += step) {
            fill(device.buffer(0), pass * 1000 + at);
            const IoOutcome outcome = perform(device, IoKind::write, at, step);
            if (!is_done(outcome)) return outcome;
        }
    return IoDone{};
}

const nlohmann::json* attribute(const nlohmann::json& document, int id) {
    for (const auto& row : document.at("ata_smart_attributes").at("table"))
        if (row.at("id") == id) return &row;
    return nullptr;
}

std::uint64_t raw(const nlohmann::json& document, int id) {
    const auto* const row = attribute(document, id);
    REQUIRE(row != nullptr);
    return row->at("raw").at("value").get<std::uint64_t>();
}

std::int64_t statistic(const nlohmann::json& document, int page, int offset) {
    for (const auto& part : document.at("ata_device_statistics").at("pages"))
        if (part.at("number") == page)
            for (const auto& row : part.at("table"))
                if (row.at("offset") == offset) return row.at("value").get<std::int64_t>();
    FAIL("no such statistic");
    return -1;
}

}  // namespace

TEST_CASE("a drive is made once, and found again") {
    const ScratchFolder folder;
    const OpenOptions options = options_in(folder.path() + "/state");
    const Drive planned = describe_simulated("one", tiny, options);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/state"));
    CHECK(planned.key == "sim:one");
    CHECK(planned.serial == "SIM-one");
    CHECK(planned.model == "Wearout SIMULATED SSD 1 MiB");
    CHECK(planned.transport == "simulated");
    CHECK(planned.simulated);
    CHECK(planned.capacity == Bytes{1U << 20U});
    {
        const SimOpened opened = open_simulated("one", tiny, options);
        CHECK(opened.created);
        CHECK(opened.drive == planned);
        CHECK(opened.device->geometry() == Geometry{{1U << 20U}, 512});
        CHECK(opened.device->queue_depth() == 4);
        CHECK(reinterpret_cast<std::uintptr_t>(opened.device->buffer(3).data()) % 4096 == 0);
        CHECK(opened.device->buffer(3).size() == (256U << 10U));
        fill(opened.device->buffer(0), 9);
        CHECK(is_done(perform(*opened.device, IoKind::write, 512, 1024)));
        CHECK(failure_of([&] { static_cast<void>(open_simulated("one", {}, options)); }).code() ==
              ExitCode::refused);
        CHECK(describe_simulated("one", {}, options) == planned);
    }
    const SimOpened again = open_simulated("one", {}, options);
    CHECK_FALSE(again.created);
    CHECK(again.drive == planned);
    CHECK(is_done(perform(*again.device, IoKind::read, 512, 1024)));
    std::vector<std::byte> expected(again.device->buffer_bytes());
    fill(expected, 9);
    CHECK(std::ranges::equal(again.device->buffer(0).first(1024), std::span(expected).first(1024)));
}

TEST_CASE("options that contradict the drive are refused") {
    const ScratchFolder folder;
    const OpenOptions options = options_in(folder.path());
    static_cast<void>(open_simulated("one", tiny, options));
    for (const auto& option : Options{{"size", "2MiB"},
                                      {"block", "4096"},
                                      {"endurance", "41"},
                                      {"op", "8"},
                                      {"seed", "1"},
                                      {"factory-bad", "7"},
                                      {"erase-block", "32KiB"}}) {
        const Failure failure =
            failure_of([&] { static_cast<void>(open_simulated("one", {option}, options)); });
        CAPTURE(option.first);
        CHECK(failure.code() == ExitCode::usage);
        CHECK(std::string(failure.what()).find(option.first) != std::string::npos);
        CHECK(failure_of([&] { static_cast<void>(describe_simulated("one", {option}, options)); }).code() ==
              ExitCode::usage);
    }
    CHECK(failure_of([&] {
              static_cast<void>(open_simulated("one", {{"x", "1"}}, options));
          }).code() == ExitCode::usage);
    CHECK_FALSE(open_simulated("one", {{"size", "1048576"}, {"op", "7"}}, options).created);
    CHECK(failure_of([&] { static_cast<void>(open_simulated("../one", {}, options)); }).code() ==
          ExitCode::usage);
}

TEST_CASE("opened for reading, a drive takes no writes, and none is made") {
    const ScratchFolder folder;
    OpenOptions options = options_in(folder.path());
    options.reads_only = true;
    CHECK(failure_of([&] { static_cast<void>(open_simulated("one", tiny, options)); }).code() ==
          ExitCode::unreachable);
    CHECK(std::filesystem::is_empty(folder.path()));
    static_cast<void>(open_simulated("one", tiny, options_in(folder.path())));
    const SimOpened opened = open_simulated("one", {}, options);
    CHECK(std::get<IoFailed>(perform(*opened.device, IoKind::write, 0, 512)).error == EBADF);
    CHECK(is_done(perform(*opened.device, IoKind::read, 0, 512)));
}

TEST_CASE("requests outside of the geometry are programming errors") {
    SimDevice device("one", Image::anonymous(plan_geometry("one", tiny)), options_in(""), system_clock());
    const auto refused = [&](const IoRequest& request) {
        CHECK_THROWS_AS(device.submit(request), std::invalid_argument);
    };
    refused({IoKind::write, 1, 512, 0});
    refused({IoKind::write, 0, 100, 0});
    refused({IoKind::write, 0, 0, 0});
    refused({IoKind::write, 0, 512, 4});
    refused({IoKind::read, 1U << 20U, 512, 0});
    refused({IoKind::read, (1U << 20U) - 512, 1024, 0});
    refused({IoKind::read, UINT64_MAX - 511, 512, 0});
    refused({IoKind::read, 0, 512U << 10U, 0});
    for (std::uint32_t i = 0; i < 4; ++i)
        device.submit({IoKind::read, 0, 512, i});
    refused({IoKind::read, 0, 512, 0});
    std::vector<IoCompletion> out(3);
    CHECK(device.reap(out, std::chrono::milliseconds{0}) == 3);
    CHECK(device.reap(out, std::chrono::milliseconds{0}) == 1);
    CHECK(device.reap(out, std::chrono::milliseconds{0}) == 0);
}

TEST_CASE("the SMART answer is the model's, from new to dead") {
    ManualClock clock;
    const SimGeometry geometry =
        plan_geometry("one", {{"size", "8MiB"}, {"erase-block", "32KiB"}, {"endurance", "60"}});
    SimDevice device("one", Image::anonymous(geometry), options_in(""), clock);
    std::uint64_t retired = 0;
    for (;;) {
        const bool alive = is_done(overwrite(device, 4));
        static_cast<void>(perform(device, IoKind::read, 0, 4096));
        clock.advance(std::chrono::hours(2));
        const SmartFacts facts = device.facts();
        const auto document = nlohmann::json::parse(smart_face(device)->smart_json());
        CHECK(raw(document, 5) == facts.retired);
        CHECK(raw(document, 5) >= retired);
        retired = raw(document, 5);
        CHECK(raw(document, 9) == facts.power_on_hours);
        CHECK(raw(document, 12) == 1);
        CHECK((raw(document, 170) >> 24U) == facts.retired);
        CHECK((raw(document, 170) & 0xffffffU) == geometry.factory_bad);
        CHECK(attribute(document, 170)->at("value") == facts.spare_left * 100 / geometry.spare_blocks());
        CHECK(raw(document, 171) + raw(document, 172) == facts.retired);
        CHECK((raw(document, 173) & 0xffffU) == facts.max_erases);
        CHECK((raw(document, 173) >> 16U) == raw(document, 244));
        CHECK(raw(document, 192) == 0);
        CHECK(raw(document, 231) == facts.life_left_percent());
        CHECK(raw(document, 233) == (facts.flash_written.value >> 30U));
        CHECK(raw(document, 241) == (facts.host_written.value >> 30U));
        CHECK(raw(document, 242) == (facts.host_read.value >> 30U));
        CHECK(raw(document, 244) == facts.total_erases / (geometry.blocks() - geometry.factory_bad));
        CHECK(raw(document, 245) == facts.max_erases);
        CHECK(raw(document, 246) == facts.total_erases);
        CHECK(statistic(document, 1, 24) == static_cast<std::int64_t>(facts.host_written.value / 512));
        CHECK(statistic(document, 1, 40) == static_cast<std::int64_t>(facts.host_read.value / 512));
        CHECK(statistic(document, 7, 8) == facts.percentage_used());
        const bool worn = facts.spare_left_percent() <= 10;
        CHECK(document.at("smart_status").at("passed") == !worn);
        CHECK(document.at("smartctl").at("exit_status") == (worn ? 24 : 0));
        CHECK(attribute(document, 170)->at("when_failed") == (worn ? "now" : ""));
        if (alive) continue;
        CHECK(facts.read_only);
        CHECK(raw(document, 167) == 1);
        break;
    }
    CHECK(std::get<IoFailed>(perform(device, IoKind::write, 0, 512)).error == EIO);
    CHECK(is_done(perform(device, IoKind::read, 0, 512)));
    CHECK(retired == geometry.spare_blocks() + 1);
}

TEST_CASE("the SMART answer is in smartctl's form, and says that it is simulated") {
    ManualClock clock;
    SimDevice device("one", Image::anonymous(plan_geometry("one", {{"block", "4096"}})), options_in(""),
                     clock);
    fill(device.buffer(0), 1);
    CHECK(is_done(perform(device, IoKind::write, 0, 8192)));
    const auto document = nlohmann::json::parse(device.smart_json());
    CHECK(document.at("json_format_version") == nlohmann::json{1, 0});
    CHECK(document.at("smartctl").at("version") == nlohmann::json{7, 4});
    CHECK(document.at("device").at("protocol") == "ATA");
    CHECK(document.at("model_family") == "Wearout simulated drive");
    CHECK(document.at("model_name") == "Wearout SIMULATED SSD 256 MiB");
    CHECK(document.at("serial_number") == "SIM-one");
    CHECK(document.at("in_smartctl_database") == true);
    CHECK(document.at("user_capacity").at("bytes") == (256U << 20U));
    CHECK(document.at("logical_block_size") == 4096);
    CHECK(statistic(document, 1, 24) == 2);
    CHECK(attribute(document, 170)->at("name") == "Bad_Blk_Ct_Lat/Erl");
    CHECK(attribute(document, 170)->at("raw").at("string") == "0/10");
    CHECK(attribute(document, 173)->at("raw").at("string") == "0 (Average 0)");
    CHECK(attribute(document, 170)->at("flags").at("string") == "PO---- ");
    CHECK(attribute(document, 194)->at("raw").at("string") == "28 (Min/Max 28/28)");
    CHECK(document.at("temperature").at("current") == 28);
}

TEST_CASE("time, power and warmth are counted over openings") {
    const ScratchFolder folder;
    const OpenOptions options = options_in(folder.path());
    ManualClock clock;
    const auto facts_of = [](const SimOpened& opened) {
        return dynamic_cast<const SimDevice&>(*opened.device).facts();
    };
    {
        const SimOpened opened = open_simulated("one", {{"size", "8MiB"}}, options, clock);
        clock.advance(std::chrono::minutes(40));
        CHECK(facts_of(opened).power_on_hours == 0);
        for (int i = 0; i < 600; ++i) {  // A minute at 2.6 MB/s, then one at 524 MB/s.
            for (int turn = 0; turn < (i < 300 ? 1 : 200); ++turn)
                CHECK(is_done(perform(*opened.device, IoKind::read, 0, 256U << 10U)));
            clock.advance(std::chrono::milliseconds(i < 300 ? 200 : 100));
        }
        CHECK(facts_of(opened).temperature > 40);
        CHECK(facts_of(opened).temperature < 70);
        CHECK(facts_of(opened).temperature_min == 28);
    }
    clock.advance(std::chrono::hours(100));  // Switched off.
    const SimOpened opened = open_simulated("one", {}, options, clock);
    CHECK(facts_of(opened).temperature == 28);
    CHECK(facts_of(opened).temperature_max > 40);
    clock.advance(std::chrono::minutes(20));
    CHECK(facts_of(opened).power_on_hours == 1);
    CHECK(facts_of(opened).power_cycles == 2);
    CHECK(facts_of(opened).unsafe_shutdowns == 0);
}

TEST_CASE("SMART may be asked while I/O goes on") {
    SimDevice device("one", Image::anonymous(plan_geometry("one", tiny)), options_in(""), system_clock());
    std::atomic<bool> over = false;
    std::uint64_t last = 0;
    bool fell = false;
    std::jthread asking([&] {
        while (!over) {
            const auto document = nlohmann::json::parse(smart_face(device)->smart_json());
            const std::uint64_t now = raw(document, 246);
            fell = fell || now < last;
            last = now;
        }
    });
    static_cast<void>(overwrite(device, 30));
    over = true;
    asking.join();
    CHECK_FALSE(fell);
    CHECK(last > 0);
}
