// From a drive to the answer that is stored for it: by the configuration, by trying, or plainly.

#include "service/sampling_source.h"

#include "support/scratch_dir.h"

#include <filesystem>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

/// A machine with one drive; smartctl is a script that knows the serial number behind each way to ask.
struct Machine {
    explicit Machine(const std::string& cases) {
        config.state_dir = folder.path();
        config.smartctl = folder.write(
            "smartctl",
            "#!/bin/sh\necho \"$*\" >> " + folder.file("asked") +
                "\ncounters() { printf '{\"smartctl\": {\"version\": [7, 3], \"exit_status\": 0}, "
                "\"device\": "
                "{\"protocol\": \"NVMe\"}, \"serial_number\": \"%s\", \"nvme_smart_health_information_log\": "
                "{\"percentage_used\": 7}}' \"$1\"; exit 0; }\n"
                "unknown() { printf '{\"smartctl\": {\"exit_status\": 1, \"messages\": [{\"string\": "
                "\"Unknown USB "
                "bridge [0x1234:0x1]\", \"severity\": \"error\"}]}}'; exit 1; }\n"
                "case \"$*\" in\n" +
                cases + "\n*) unknown;;\nesac\n");
        ::chmod(config.smartctl.c_str(), 0755);
        target.drive.key = "wwn:5000c500a1b2c3d4";
        target.drive.serial = "S3Z7NB0K123456";
        target.drive.transport = "sata";
        target.device_path = "/dev/sdq";
    }

    health::RawAnswer ask() {
        store.remember_drive(target.drive, false);
        const auto source =
            make_health_source(target, {config, store, system_clock(), {}, [this] { return idle; }});
        REQUIRE(source != nullptr);
        return source->ask();
    }
    std::string asked() {
        std::ifstream in(folder.file("asked"));
        std::string text{std::istreambuf_iterator<char>(in), {}};
        std::filesystem::remove(folder.file("asked"));
        return text;
    }

    test::ScratchDir folder;
    Config config;
    store::Store store{folder.file("wearout.db"), store::OpenMode::read_write};
    block::OpenTarget target;
    bool idle = false;
};

}  // namespace

TEST_CASE("what is no drive is not asked") {
    Machine machine("");
    machine.target.device_path.clear();
    CHECK(make_health_source(machine.target, {machine.config, machine.store, system_clock(), {}, [] {
                                                  return false;
                                              }}) == nullptr);
}

TEST_CASE("a drive is asked by its own path, and the answer has to be its own") {
    Machine machine("*' /dev/sdq') counters S3Z7NB0K123456;;");
    CHECK(health::decode(machine.ask()).readings.size() == 1);
    CHECK(machine.asked() == "--json -x -- /dev/sdq\n");
    machine.target.drive.serial = "S3Z7NB0K999999";
    machine.target.drive.wwn = "5000c500ffffffff";
    const auto other = health::decode(machine.ask());
    CHECK(other.readings.empty());
    CHECK(other.raw.empty());
    CHECK(other.problem.starts_with("the answer is another drive's (serial number S3Z7NB0K123456,"));
}

TEST_CASE("an idle drive's sleep is respected") {
    Machine machine("*) counters S3Z7NB0K123456;;");
    machine.idle = true;
    (void)machine.ask();
    CHECK(machine.asked() == "--json -x -n standby,3 -- /dev/sdq\n");
}

TEST_CASE("a drive behind a RAID controller is asked as the configuration says") {
    Machine machine(
        "*'-d megaraid,3 -- /dev/sda') counters Z840ABCD;; *'-d megaraid,4 -- /dev/sda') counters ;;"
        " *megaraid,5*) counters S3Z7NB0K123456;;");
    const auto configured = [&](const std::string& line) {
        machine.config.smart_devices = {parse_smart_device("wwn:5000c500a1b2c3d4 " + line, "test")};
        return health::decode(machine.ask());
    };
    // The volume's serial number is not its disk's, which has to be named.
    CHECK(configured("/dev/sda megaraid,3 Z840ABCD").readings.size() == 1);
    CHECK(machine.asked() == "--json -x -d megaraid,3 -- /dev/sda\n");
    CHECK(configured("/dev/sda megaraid,5").readings.size() == 1);
    // A neighbour's counters are not taken for this one's, nor somebody's who does not say who he is.
    CHECK(configured("/dev/sda megaraid,3").problem ==
          "the answer is another drive's (serial number Z840ABCD, wanted S3Z7NB0K123456), so that nothing of "
          "it "
          "is used");
    CHECK(configured("/dev/sda megaraid,5 Z840ABCD").problem.starts_with("the answer is another drive's"));
    CHECK(configured("/dev/sda megaraid,4 Z840ABCD").problem.starts_with("the answer is perhaps another"));
}

TEST_CASE("the type that works for a drive behind a USB bridge is kept in the database") {
    Machine machine("*'-d sat,12 '*) counters S3Z7NB0K123456;;");
    machine.target.drive.transport = "usb";
    CHECK(health::decode(machine.ask()).readings.size() == 1);
    CHECK(machine.store.device_type(machine.target.drive.key) == "sat,12");
    (void)machine.asked();
    CHECK(health::decode(machine.ask()).readings.size() == 1);
    CHECK(machine.asked() == "--json -x -d sat,12 -- /dev/sdq\n");
}

TEST_CASE("types are tried over USB only") {
    Machine machine("*-d*) counters S3Z7NB0K123456;;");
    CHECK(health::decode(machine.ask()).readings.empty());
    CHECK(machine.asked() == "--json -x -- /dev/sdq\n");
}
