#include "service/config.h"

#include "base/error.h"
#include "base/version.h"
#include "support/scratch_dir.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

std::string failure_of(const std::vector<std::string>& arguments) {
    try {
        (void)read_command_line(arguments);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("command line over file over default") {
    const test::ScratchDir folder;
    const auto file = folder.write(
        "w.conf", "# comment\n\n  sample-interval = 10m  \nstate-dir=/srv/wear\nlog-level = debug\n");
    const auto read = read_command_line({"--config", file, "--log-level", "error"}).config;
    CHECK(read.sample_interval == 10min);
    CHECK(read.state_dir == "/srv/wear");
    CHECK(read.database() == "/srv/wear/wearout.db");
    CHECK(read.log_level == "error");
    CHECK(read.checkpoint_interval == 5s);
    CHECK(read.socket == "/run/wearout/control.sock");
}

TEST_CASE("what is wrong in a file is named with file, line and key") {
    const test::ScratchDir folder;
    const auto in_file = [&](const std::string& text) {
        const auto file = folder.write("w.conf", text);
        const auto failure = failure_of({"--config", file});
        CHECK(failure.starts_with(file));
        return failure.substr(file.size());
    };
    CHECK(in_file("colour = red\n") == ":1: unknown key 'colour'; see wearoutd --help");
    CHECK(in_file("\n\nsocket\n") == ":3: 'socket' is not of the form key = value");
    CHECK(in_file("socket = relative.sock\n") == ":1: socket: 'relative.sock' is not an absolute path");
    CHECK(in_file("sample-interval = 0\n").starts_with(":1: sample-interval: '0' is not between"));
    CHECK(in_file("# a\nsample-interval = soon\n").starts_with(":2: sample-interval: 'soon' is not a time"));
    CHECK(in_file("log-level = loud\n").starts_with(":1: log-level: 'loud' is none of"));
    CHECK(in_file("smartctl = bin/smartctl\n").starts_with(":1: smartctl:"));
    CHECK(in_file("smart-device = X /dev/sda sat\nsmart-device = X /dev/sdb sat\n") ==
          ":2: smart-device: 'X' is named twice");
}

TEST_CASE("drives that smartctl can't find by itself, one in each line") {
    const test::ScratchDir folder;
    const auto file =
        folder.write("w.conf",
                     "smart-device = S3Z7NB0K123456 /dev/sda megaraid,3\n"
                     "smart-device = wwn-0x600605b00d1c2e30  /dev/bus/0 -d sat+megaraid,4\tZ840ABCD\n");
    const auto devices = read_command_line({"--config", file, "--smart-device", "X1 /dev/sdc sntjmicron"})
                             .config.smart_devices;
    REQUIRE(devices.size() == 3);
    CHECK(devices[0].drive == "S3Z7NB0K123456");
    CHECK(devices[0].path == "/dev/sda");
    CHECK(devices[0].type == "megaraid,3");
    CHECK(devices[0].serial.empty());
    CHECK(devices[1].path == "/dev/bus/0");
    CHECK(devices[1].type == "sat+megaraid,4");
    CHECK(devices[1].serial == "Z840ABCD");
    CHECK(devices[2].type == "sntjmicron");

    Drive drive;
    CHECK(find_smart_device(devices, drive) == nullptr);  // Empty names are nobody's.
    drive.serial = "S3Z7NB0K123456";
    CHECK(find_smart_device(devices, drive) == &devices[0]);
    drive = {};
    drive.by_id = "wwn-0x600605b00d1c2e30";
    CHECK(find_smart_device(devices, drive) == &devices[1]);
    drive = {};
    drive.key = "X1";
    CHECK(find_smart_device(devices, drive) == &devices[2]);
}

TEST_CASE("a smart-device that would do harm or nothing is refused, with file, line and key") {
    const test::ScratchDir folder;
    const auto refused = [&](const std::string& value) {
        const auto file = folder.write("w.conf", "# a\nsmart-device = " + value + "\n");
        const auto failure = failure_of({"--config", file, "--check-config"});
        CHECK(failure.starts_with(file + ":2: smart-device: "));
        return failure.substr(std::min(failure.size(), (file + ":2: smart-device: ").size()));
    };
    CHECK(refused("X1 /dev/sda") == "'X1 /dev/sda' is not of the form DRIVE DEVICE TYPE [SERIAL]");
    CHECK(refused("X1 /dev/sda sat S1 more").find("is not of the form") != std::string::npos);
    CHECK(refused("") == "'' is not of the form DRIVE DEVICE TYPE [SERIAL]");
    CHECK(refused("X1 /dev/sda megaraid,x") == "'megaraid,x' is no device type of smartctl");
    CHECK(refused("X1 /dev/sda jmb39x,0") == "smartctl asks 'jmb39x' drives by writing to them");
    CHECK(refused("X1 /dev/sda --set=standby,now").find("is no device type") != std::string::npos);
    CHECK(refused("X1 /etc/passwd sat") == "'/etc/passwd' is no path below /dev");
    CHECK(refused("X1 /dev/../etc/passwd sat") == "'/dev/../etc/passwd' is no path below /dev");
    CHECK(refused("X1 /dev/ sat") == "'/dev/' is no path below /dev");
    CHECK(refused("X1 -V sat") == "'-V' is no path below /dev");
}

TEST_CASE("wrong arguments are refused") {
    CHECK(failure_of({"--colour"}).find("colour") != std::string::npos);
    CHECK(failure_of({"stray"}) != "accepted");
    CHECK(
        failure_of({"--config", "/nowhere/at/all.conf"}).starts_with("/nowhere/at/all.conf: cannot be read"));
    CHECK(failure_of({"--sample", "5m"}) != "accepted");  // No guessing of shortened names.
}

TEST_CASE("help and version are texts to print") {
    const auto help = read_command_line({"--help"}).print_and_exit;
    REQUIRE(help);
    for (const char* option :
         {"--config", "--state-dir", "--socket", "--log-level", "--check-config", "--version"})
        CHECK(help->find(option) != std::string::npos);
    CHECK(read_command_line({"--version"}).print_and_exit == "wearoutd " + std::string(version()) + "\n");
}
