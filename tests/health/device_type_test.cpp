#include "health/device_type.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

using Types = std::vector<std::string>;

Types tried_for(const std::string& message, int exit_status = 1) {
    const auto result = read_answer(fmt::format(
        R"({{"smartctl": {{"exit_status": {}, "messages": [{{"string": "{}", "severity": "error"}}]}}}})",
        exit_status, message));
    REQUIRE(result.answer);
    return device_types_to_try(*result.answer);
}

TEST_CASE("what a configuration may give to smartctl's -d") {
    for (const char* type : {"sat",
                             "sat,12",
                             "sat,auto",
                             "scsi",
                             "nvme",
                             "ata",
                             "sntjmicron",
                             "usbjmicron,x",
                             "megaraid,3",
                             "megaraid,200",
                             "cciss,0",
                             "3ware,2",
                             "areca,2",
                             "areca,3/1",
                             "aacraid,0,0,2",
                             "hpt,1/3",
                             "hpt,1/2/3",
                             "sssraid,0,1",
                             "sat+megaraid,3",
                             "scsi+cciss,1",
                             "sat,auto+aacraid,1,0,4"})
        CHECK_MESSAGE(device_type_problem(type).empty(), type);
}

TEST_CASE("all else is refused, whatever it tries to be") {
    for (const char* type : {"",
                             " ",
                             "sat ",
                             "megaraid",
                             "megaraid,",
                             "megaraid,x",
                             "megaraid,-1",
                             "megaraid,1,2",
                             "megaraid,12345",
                             "megaraid/3",
                             "areca,1,2",
                             "areca,1/2/3",
                             "aacraid,1,2",
                             "sat+sat",
                             "sat+",
                             "+megaraid,1",
                             "usb+megaraid,1",
                             "megaraid,1+sat",
                             "sat+megaraid,1+megaraid,2",
                             "test",
                             "auto",
                             "--version",
                             "-d",
                             "sat;reboot",
                             "sat\n",
                             "megaraid,3 -s off",
                             "usbcypress,0x24",
                             "SAT",
                             "megaraid,٣"})
        CHECK_MESSAGE(device_type_problem(type) != "", type);
    CHECK(device_type_problem("jmb39x-q,0,force") == "smartctl asks 'jmb39x' drives by writing to them");
    CHECK_FALSE(device_type_problem("jms56x,1").empty());
    CHECK_FALSE(device_type_problem("intelliprop,1+sat").empty());
    CHECK(device_type_problem("raid,1") == "'raid,1' is no device type of smartctl");
}

TEST_CASE("only where smartctl does not know how to ask is anything tried") {
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x1234:0x5678 (0x100)]") == Types{"sat", "sat,12"});
    CHECK(tried_for("/dev/sdb: Unable to detect device type") == Types{"sat", "sat,12"});
    CHECK(tried_for("/dev/sdb: Unsupported USB bridge [0x1234:0x5678 (0x100)]").empty());
    CHECK(tried_for("Smartctl open device: /dev/sdb failed: Permission denied", 2).empty());
    CHECK(tried_for("Smartctl open device: /dev/sdb failed: No such device", 2).empty());
    CHECK(tried_for("Unknown USB bridge", 0).empty());
}

TEST_CASE("a maker's own commands are sent to its own bridges only, after the standard's") {
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x152d:0x0583 (0x214)]") ==
          Types{"sat", "sat,12", "usbjmicron", "sntjmicron"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x174c:0x9999]") == Types{"sat", "sat,12", "sntasmedia"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x0bda:0x9999]") == Types{"sat", "sat,12", "sntrealtek"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x04fc:0x9999]") == Types{"sat", "sat,12", "usbsunplus"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x067b:0x9999]") == Types{"sat", "sat,12", "usbprolific"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x04b4:0x9999]") == Types{"sat", "sat,12"});
    CHECK(tried_for("/dev/sdb: Unknown USB bridge [0x") == Types{"sat", "sat,12"});
}

TEST_CASE("an ambiguous bridge is asked in the two ways that smartctl names, SAT first") {
    CHECK(tried_for("/dev/sdb: USB bridge [0x152d:0x0583] type is ambiguous: 'sntjmicron' or 'sat'") ==
          Types{"sat", "sntjmicron"});
    CHECK(tried_for("/dev/sdb: USB bridge [0x152d:0x0583] type is ambiguous: '[unsupported]' or 'sat'") ==
          Types{"sat"});
    CHECK(tried_for("/dev/sdb: USB bridge [0x1:0x2] type is ambiguous: '--help' or 'jmb39x,0' or 'sat")
              .empty());
}

}  // namespace
}  // namespace wearout::health
