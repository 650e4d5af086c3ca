#include "health/usb_source.h"

#include "fake_smartctl.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

using namespace std::chrono_literals;

constexpr auto serial = "S3Z7NB0K123456";

/// Shell: what smartctl prints for a type. $1 the exit status, $2 the JSON beside it.
constexpr auto helpers = R"(
echo "$*" >> "$here/asked"
say() { printf '{"smartctl": {"version": [7, 3], "exit_status": %s%s}%s}' "$1" "$3" "$2"; exit "$1"; }
unknown() { say 1 "" ', "messages": [{"string": "/dev/sdb: Unknown USB bridge [0x152d:0x9999 (0x100)]", "severity": "error"}]'; }
counters() { say 0 ", \"device\": {\"protocol\": \"NVMe\"}, \"serial_number\": \"$1\", \"user_capacity\": {\"bytes\": $2}, \"nvme_smart_health_information_log\": {\"percentage_used\": 7}"; }
type=
[ "$3" = -d ] && type=$4
)";

/// A bridge by a case for each type, "*" what smartctl finds by itself.
struct Bridge {
    explicit Bridge(const std::string& cases)
        : smartctl(fmt::format("{}case \"$type\" in\n{}\nesac\nsay 2\n", helpers, cases)) {}

    void attach(const std::string& known = {}) {
        options.program = smartctl.path();
        source = usb_source("/dev/sdb", options, expected,
                            {known, [this](const std::string& type) { remembered.push_back(type); }}, clock);
    }
    /// The types that were asked with since the last time.
    std::string asked() {
        std::istringstream lines(smartctl.text_of("asked"));
        std::filesystem::remove(smartctl.file("asked"));
        std::string types;
        for (std::string line; std::getline(lines, line);) {
            const auto at = line.find("-d ");
            const auto type =
                at == std::string::npos ? "-" : line.substr(at + 3, line.find(' ', at + 3) - at - 3);
            types += (types.empty() ? "" : " ") + type;
        }
        return types;
    }

    FakeSmartctl smartctl;
    SmartctlOptions options{};
    Expected expected{.serial = serial, .wwn = {}, .capacity = {1000}, .own = false};
    ManualClock clock;
    std::vector<std::string> remembered;
    std::unique_ptr<HealthSource> source;
};

TEST_CASE("a bridge that smartctl knows is asked as it does") {
    Bridge bridge("'') counters S3Z7NB0K123456 1000;;");
    bridge.attach();
    CHECK(decode(bridge.source->ask()).readings.size() == 1);
    CHECK(bridge.asked() == "-");
    CHECK(bridge.remembered.empty());
}

TEST_CASE(
    "one that it does not know is asked with one type after the other, and the one that works is "
    "remembered") {
    Bridge bridge("'') unknown;; usbjmicron) say 4;; sntjmicron) counters S3Z7NB0K123456 1000;;");
    bridge.attach();
    const auto answer = bridge.source->ask();
    CHECK(answer.problem.empty());
    CHECK(decode(answer).readings.size() == 1);
    CHECK(bridge.asked() == "- sat sat,12 usbjmicron sntjmicron");
    CHECK(bridge.remembered == std::vector<std::string>{"sntjmicron"});
    CHECK(decode(bridge.source->ask()).readings.size() == 1);
    CHECK(bridge.asked() == "sntjmicron");

    bridge.attach("sntjmicron");  // The next time it is plugged in.
    CHECK(decode(bridge.source->ask()).readings.size() == 1);
    CHECK(bridge.asked() == "sntjmicron");
    CHECK(bridge.remembered.size() == 1);
}

TEST_CASE("types are tried once, and again after an hour only") {
    Bridge bridge("'') unknown;;");
    bridge.attach();
    CHECK(bridge.source->ask().problem ==
          "no device type that was tried (sat; sat,12; usbjmicron; sntjmicron) gives this drive's wear "
          "counters; smart-device in wearoutd.conf can name one");
    CHECK(bridge.asked() == "- sat sat,12 usbjmicron sntjmicron");
    for (int i = 0; i < 3; ++i)
        (void)bridge.source->ask();
    CHECK(bridge.asked() == "- - -");
    bridge.clock.advance(1h);
    (void)bridge.source->ask();
    CHECK(bridge.asked() == "- sat sat,12 usbjmicron sntjmicron");
    CHECK(bridge.remembered.empty());
}

TEST_CASE("a type whose answer is another drive's, or perhaps, is not taken") {
    // The bridge's own serial number is all that is known of the drive: its size has to fit.
    Bridge bridge(
        "'') unknown;; sat) counters S3Z7NB0K999999 2000;; sat,12) counters '' 2000;;"
        " usbjmicron) counters S3Z7NB0K999999 1000;;");
    bridge.attach();
    CHECK(decode(bridge.source->ask()).readings.size() == 1);
    CHECK(bridge.remembered == std::vector<std::string>{"usbjmicron"});

    // Where the drive's own is known, another contradicts, whatever the size.
    bridge.remembered.clear();
    bridge.expected.own = true;
    bridge.attach();
    CHECK(decode(bridge.source->ask()).readings.empty());
    CHECK(bridge.remembered.empty());
}

TEST_CASE("a type that does not work any more is forgotten, and the next one found") {
    Bridge bridge("'') unknown;; sat) counters S3Z7NB0K123456 1000;;");
    bridge.attach("sntjmicron");
    CHECK(decode(bridge.source->ask()).readings.size() == 1);
    CHECK(bridge.asked() == "sntjmicron - sat");
    CHECK(bridge.remembered == std::vector<std::string>{"sat"});

    Bridge gone("'') unknown;;");
    gone.attach("sat");
    (void)gone.source->ask();
    CHECK(gone.remembered == std::vector<std::string>{""});

    Bridge known("'') counters S3Z7NB0K123456 1000;;");  // A newer smartctl knows the bridge.
    known.attach("sat");
    (void)known.source->ask();
    CHECK(known.remembered == std::vector<std::string>{""});
}

TEST_CASE("a failure that is not the type's leaves it remembered") {
    Bridge away("*) say 2;;");
    away.attach("sat");
    (void)away.source->ask();
    CHECK(away.asked() == "sat -");
    (void)away.source->ask();
    CHECK(away.asked() == "sat -");
    CHECK(away.remembered.empty());
    Bridge silent("*) exit 0;;");
    silent.attach("sat");
    CHECK_FALSE(silent.source->ask().problem.empty());
    CHECK(silent.asked() == "sat");
    CHECK(silent.remembered.empty());
}

TEST_CASE("a bridge that hangs over a type is left alone") {
    Bridge bridge("'') unknown;; sat) exec sleep 1000;; *) counters S3Z7NB0K123456 1000;;");
    bridge.options.timeout = 500ms;
    bridge.attach();
    CHECK(bridge.source->ask().problem.starts_with("no device type that was tried (sat) gives"));
    CHECK(bridge.asked() == "- sat");
}

}  // namespace
}  // namespace wearout::health
