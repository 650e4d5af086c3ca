#include "fixtures.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

std::string problem_of(int exit_status, const std::string& message, const std::string& severity = "error") {
    return decode_text(fmt::format(R"({{"smartctl": {{"version": [7, 3], "messages": [{{"string": "{}",
                                       "severity": "{}"}}], "exit_status": {}}}}})",
                                   message, severity, exit_status))
        .problem;
}

std::string with_exit_status(const std::string& name, const std::string& was, int status) {
    return replaced(fixture(name), "\"exit_status\": " + was, "\"exit_status\": " + std::to_string(status));
}

TEST_CASE("no data: each reason is one line for the user") {
    CHECK(problem_of(1, "/dev/vda: Unable to detect device type") ==
          "no SMART here: smartctl does not know how to ask this device (/dev/vda: Unable to detect device "
          "type)");
    CHECK(problem_of(1, "/dev/sdb: Unknown USB bridge [0x0bc2:0x2036 (0x100)]").starts_with("no SMART here"));
    CHECK(problem_of(2, "Smartctl open device: /dev/vda [SAT] failed: Permission denied")
              .starts_with("no permission to ask for SMART (Smartctl open device"));
    CHECK(problem_of(2, "Smartctl open device: /dev/vda failed: Operation not permitted")
              .starts_with("no permission"));
    CHECK(problem_of(2, "Device is in STANDBY mode, exit(2)", "information") ==
          "the drive is in standby and was not woken for its SMART counters");
    CHECK(problem_of(2, "Smartctl open device: /dev/sdx failed: No such device") ==
          "smartctl can't ask this device: Smartctl open device: /dev/sdx failed: No such device");
    CHECK(decode_text(R"({"smartctl": {"exit_status": 2}})").problem ==
          "smartctl could not open or identify the device (its exit status is 2)");
    CHECK(decode_text(R"({"smartctl": {}})").problem ==
          "smartctl's answer has no exit status, so nothing in it is believed");
    CHECK(decode_text("").problem == "smartctl gave no answer");
    CHECK(decode_text("Segmentation fault").problem ==
          "smartctl's answer can't be read: it is neither JSON nor text output of smartctl");
    CHECK(decode_text("{").problem.starts_with("smartctl's answer can't be read: not valid JSON"));
    CHECK(decode_text(R"({"smartctl": {"exit_status": 0}})").problem == "the answer holds no wear counter");
}

TEST_CASE("data counts exactly when bits 0 and 1 of the exit status are clear") {
    for (int status = 0; status < 256; ++status) {
        const auto sample = decode_text(with_exit_status("ata-statistics", "0", status));
        CHECK(sample.readings.empty() == ((status & 3) != 0));
        CHECK(sample.unknown.empty() == ((status & 3) != 0));
        CHECK(sample.problem.empty() == ((status & (1 + 2 + 4 + 128)) == 0));
    }
    CHECK(decode_text(with_exit_status("ata-statistics", "0", 4)).problem ==
          "a SMART command failed or a checksum was wrong; the rest is used");
    CHECK(decode_text(with_exit_status("ata-statistics", "0", 128)).problem ==
          "the drive's self-test log has a failed test");
    CHECK(decode_text(with_exit_status("ata-statistics", "0", -1)).readings.empty());
}

TEST_CASE("a drive that says FAILING is told from an attribute whose threshold means nothing") {
    CHECK(decode_text(fixture("hyperx-savage-new")).problem.empty());
    const auto failing = replaced(fixture("hyperx-savage-new"), "\"passed\": true", "\"passed\": false");
    CHECK(decode_text(failing).problem == "the drive says that it is FAILING");
    CHECK_FALSE(decode_text(failing).readings.empty());
    const auto silent = replaced(fixture("hyperx-savage-new"), "\"smart_status\"", "\"other\"");
    CHECK(decode_text(replaced(silent, "\"exit_status\": 32", "\"exit_status\": 40")).problem ==
          "the drive says that it is FAILING");
    const auto worn = replaced(fixture("hyperx-savage-new"),
                               R"("thresh": 50, "when_failed": "", "raw": {"value": 0, "string": "0"}})",
                               R"("thresh": 100, "when_failed": "now", "raw": {"value": 0, "string": "0"}})");
    CHECK(decode_text(worn).problem == "attribute 1 Raw_Read_Error_Rate is at 100, with a threshold of 100");
}

std::string with_warning(int warning) {
    return decode_text(replaced(replaced(fixture("nvme-worn"), "\"passed\": false", "\"passed\": true"),
                                "\"critical_warning\": 5", fmt::format("\"critical_warning\": {}", warning)))
        .problem;
}

TEST_CASE("each bit of NVMe's critical warning is told in words") {
    CHECK(with_warning(0).empty());
    CHECK(with_warning(1) == "critical warning 0x01: its spare is below its threshold");
    CHECK(with_warning(2) == "critical warning 0x02: its temperature is past a threshold");
    CHECK(with_warning(4) ==
          "critical warning 0x04: its reliability is degraded (at 117 % used, with 9 % of its spare)");
    CHECK(with_warning(8) == "critical warning 0x08: it has gone read-only");
    CHECK(with_warning(9) ==
          "critical warning 0x09: its spare is below its threshold, it has gone read-only");
    CHECK(with_warning(0xf0) ==
          "critical warning 0xf0: its backup of volatile memory has failed, its "
          "persistent memory region is unreliable, bit 6, bit 7");
    CHECK(with_warning(256).empty());
}

TEST_CASE("thresholds that always pass or always fail say nothing") {
    const std::string was = R"("thresh": 50, "when_failed": "", "raw": {"value": 0, "string": "0"}})";
    for (const auto& [threshold, told] :
         std::map<int, bool>{{0, false}, {1, true}, {253, true}, {254, false}, {255, false}}) {
        const auto text = replaced(
            fixture("hyperx-savage-new"), was,
            fmt::format(R"("thresh": {}, "when_failed": "now", "raw": {{"value": 0, "string": "0"}}}})",
                        threshold));
        CAPTURE(threshold);
        CHECK(decode_text(text).problem.empty() != told);
    }
}

TEST_CASE("a drive in standby is no failed drive, whatever the exit status that smartctl was told to give") {
    for (const int status : {0, 2, 3}) {
        const auto problem = problem_of(status, "Device is in STANDBY mode, exit(2)", "information");
        CHECK(problem == "the drive is in standby and was not woken for its SMART counters");
    }
}

TEST_CASE("what the source tells comes first, and its answer is still used") {
    const RawAnswer answer{.text = fixture("nvme-worn"), .problem = "it was slow"};
    CHECK(decode(answer).problem.starts_with(
        "it was slow; the drive says that it is FAILING; critical warning 0x05: its spare is below"));
    CHECK_FALSE(decode(answer).readings.empty());
    CHECK(decode(RawAnswer{.text = {}, .problem = "none"}).problem == "none");
    CHECK(decode(RawAnswer{.text = "{", .problem = "none"}).problem == "none");
    CHECK(decode(RawAnswer{.text = "{", .problem = "none"}).raw == "{");
}

}  // namespace
}  // namespace wearout::health
