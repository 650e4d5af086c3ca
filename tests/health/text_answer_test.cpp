#include "health/text_answer.h"

#include "fixtures.h"
#include "health/answer.h"
#include "health/identity.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
using enum Metric;

Answer answer_of(const std::string& text) {
    auto result = read_answer(text);
    REQUIRE_MESSAGE(result.answer, result.error);
    return std::move(*result.answer);
}

/// Each line of it changed.
template <typename Change>
std::string each_line(const std::string& text, const Change& change) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        result += change(line);
    return result;
}

const std::map<Metric, std::int64_t> old_format_values{{erase_count_avg, 946},
                                                       {erase_count_max, 1047},
                                                       {nand_bytes_written, 265009 * gib},
                                                       {host_bytes_written, 269518080123 * 512},
                                                       {host_bytes_read, 8761966592 * 512},
                                                       {retired_blocks, 2},
                                                       {factory_bad_blocks, 556},
                                                       {percentage_used, 31},
                                                       {unsafe_shutdowns, 19},
                                                       {crc_errors, 0},
                                                       {power_on_hours, 9311},
                                                       {power_cycles, 31},
                                                       {temperature_c, 29}};

TEST_CASE("an ATA drive by smartctl 6.4: old attribute format, old device statistics, failing") {
    const auto text = text_fixture("ata-old-format");
    const auto sample = decode_text(text);
    CHECK(values(sample) == old_format_values);
    CHECK(sample.raw == text);
    CHECK(
        sample.problem ==
        "the drive says that it is FAILING; attribute 5 Retired_Block_Count is at 9, with a threshold of 10");
    CHECK(sample.decoder ==
          "catalogue ATA device statistics 2, Phison, by Kingston and others 2; smartctl 6.4; drive database "
          "none; "
          "family Phison Driven SSDs; firmware SAFM00.r");
    CHECK(source_of(sample, host_bytes_written) == "device statistics 1+24 Logical Sectors Written");
    CHECK(source_of(sample, percentage_used) == "device statistics 7+8 Percentage Used Endurance Indicator");
    CHECK(source_of(sample, retired_blocks) == "attribute 170 Bad_Blk_Ct_Erl/Lat, bytes 54");
    CHECK(unknown_names(sample) ==
          std::vector<std::string>{"attribute 1 Raw_Read_Error_Rate", "attribute 183 Unknown_Attribute"});

    const auto answer = answer_of(text);
    CHECK(answer.protocol == Protocol::ata);
    CHECK(answer.attributes.size() == 13);
    CHECK(answer.attribute(1)->failing_now == false);
    CHECK(answer.attribute(5)->failing_now);
    CHECK_FALSE(answer.attribute(183)->thresh);
    CHECK_FALSE(answer.attribute(170)->raw);
    CHECK(answer.attribute(242)->raw == 4178);
    CHECK(answer.statistic(4, 8) == nullptr);
    const auto identity = identify(answer);
    CHECK(identity.model == "KINGSTON SHSS37A240G");
    CHECK(identity.serial == "50026B72AB00CD11");
    CHECK(identity.wwn == "5 0026b7 2ab00cd11");
    CHECK(identity.capacity_bytes == 240057409536);
    REQUIRE(identity.time);
    CHECK_FALSE(identity.time->exact);
    CHECK(identity.time->text == "Sat Jan  3 18:22:07 2015 CET");
}

TEST_CASE("quoted, indented, in code tags, with CR LF or twice the line ends: the same") {
    const auto text = text_fixture("ata-old-format");
    for (const std::string prefix : {"> ", "    ", "\t", "> > ", ">"})
        for (const std::string end : {"\n", "\r\n", " \n", "\n\n"}) {
            CAPTURE(prefix);
            CAPTURE(end);
            const auto changed =
                each_line(text, [&](const std::string& line) { return prefix + line + end; });
            CHECK(values(decode_text(changed)) == old_format_values);
        }
    CHECK(values(decode_text("[code]" + text + "[/code]")) == old_format_values);
    CHECK(values(decode_text("```\n" + text + "```\n")) == old_format_values);
    CHECK(values(decode_text("\xef\xbb\xbf" + text)) == old_format_values);
    CHECK(values(decode_text("Hello,\nmy drive fails:\n\n" + text + "\nAny ideas?\n")) == old_format_values);
}

TEST_CASE("a row that a mail program has broken in two") {
    auto text = text_fixture("ata-old-format");
    CHECK(values(decode_text(replaced(text, "1047 (Average 946)", "1047\n(Average 946)"))) ==
          old_format_values);
    CHECK(values(decode_text(replaced(text, "-       1047 (Average 946)", "-\n1047 (Average 946)"))) ==
          old_format_values);
}

TEST_CASE("brief format, unlisted drive, failed in the past, and the SCT temperature") {
    const auto text = R"(smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.5.0] (local build)
=== START OF INFORMATION SECTION ===
Device Model:     KINGSTON SEDC600M960G
Serial Number:    50026B7686BC0A1B
Firmware Version: SCEKH3.3
Sector Sizes:     512 bytes logical, 4096 bytes physical
Device is:        Not in smartctl database 7.3/5528
Local Time is:    Mon May 20 08:00:00 2024 UTC
=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED
ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
  9 Power_On_Hours          -O--CK   100   100   000    -    811 (12 7 0)
 12 Power_Cycle_Count       -O--CK   100   100   000    -    9
173 Unknown_Attribute       -O--CK   100   100   000    Past 1638433
194 Temperature_Celsius     -O---K   062   047   000    -    38 (Min/Max 18/45)
                            ||||||_ K auto-keep
                            |______ P prefailure warning
SCT Status Version:                  3
SCT Version (vendor specific):       256 (0x0100)
Current Temperature:                    -3 Celsius
Power Cycle Min/Max Temperature:     18/45 Celsius
)";
    const auto sample = decode_text(text);
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{erase_count_max, 33},
                                                           {erase_count_avg, 25},
                                                           {power_on_hours, 811},
                                                           {power_cycles, 9},
                                                           {temperature_c, -3}});
    CHECK(sample.problem.empty());
    CHECK(sample.decoder.find("smartctl 7.4; drive database 7.3/5528; family none") != std::string::npos);
    CHECK(identify(answer_of(text)).time->exact);
    CHECK(identify(answer_of(text)).time->seconds == 1716192000);  // date -u -d '2024-05-20 08:00' +%s
}

TEST_CASE("attributes alone, as smartctl -A prints them, tell only what needs no name") {
    auto text = text_fixture("ata-old-format");
    text = text.substr(text.find("SMART Attributes Data"));
    const auto sample = decode_text(text.substr(0, text.find("Device Statistics")));
    CHECK(values(sample) ==
          std::map<Metric, std::int64_t>{{power_on_hours, 9311}, {power_cycles, 31}, {temperature_c, 29}});
}

const std::map<Metric, std::int64_t> nvme_values{{host_bytes_written, 337802357LL * 512000},
                                                 {host_bytes_read, 86115037LL * 512000},
                                                 {spare_percent, 98},
                                                 {percentage_used, 114},
                                                 {unsafe_shutdowns, 8},
                                                 {power_on_hours, 5231},
                                                 {power_cycles, 11},
                                                 {temperature_c, 44},
                                                 {critical_warning, 4}};

TEST_CASE("an NVMe drive by smartctl 7.5, one counter with 128 bits") {
    const auto text = text_fixture("nvme");
    const auto sample = decode_text(text);
    CHECK(values(sample) == nvme_values);
    CHECK(sample.problem ==
          "the drive says that it is FAILING; critical warning 0x04: its reliability is degraded (at 114 % "
          "used, with "
          "98 % of its spare)");
    REQUIRE(sample.unknown.size() == 1);
    CHECK(sample.unknown[0] == UnknownField{"nvme_smart_health_information_log.media_errors",
                                            "340282366920938463463374607431768211455"});
    const auto identity = identify(answer_of(text));
    CHECK(identity.serial == "S1A2B3C4D5E6F7");
    CHECK(identity.capacity_bytes == 2000398934016);
    CHECK(identity.time->seconds == 1759315580);
}

TEST_CASE("NVMe numbers with the separators of other locales") {
    for (const std::string separator : {".", " ", "'", "\xe2\x80\x99", "\xc2\xa0", "\xff", ""}) {
        CAPTURE(separator);
        const auto changed = each_line(text_fixture("nvme"), [&](const std::string& line) {
            std::string plain = line + "\n";
            if (line.find("Local Time") != std::string::npos) return plain;
            for (std::size_t at = 0; (at = plain.find(',', at)) != std::string::npos; at += separator.size())
                plain.replace(at, 1, separator);
            return plain;
        });
        CHECK(values(decode_text(changed)) == nvme_values);
    }
}

TEST_CASE("an NVMe field twice with different numbers is not read, with the same it is") {
    const auto text = text_fixture("nvme");
    const std::string line = "Percentage Used:                    114%\n";
    CHECK(value_of(decode_text(replaced(text, line, line + line)), percentage_used) == 114);
    CHECK_FALSE(
        value_of(decode_text(replaced(text, line, line + "Percentage Used:  14%\n")), percentage_used));
    CHECK_FALSE(value_of(decode_text(replaced(text, "114%", "-")), percentage_used));
    CHECK_FALSE(value_of(decode_text(replaced(text, "337,802,357", "337,80")), host_bytes_written));
}

TEST_CASE("a SAS drive by smartctl 7.3 with a comma in its gigabytes") {
    const auto text = text_fixture("sas");
    const auto sample = decode_text(text);
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{host_bytes_written, 12103790000000},
                                                           {host_bytes_read, 2295821000000},
                                                           {retired_blocks, 4},
                                                           {percentage_used, 3},
                                                           {power_on_hours, 4665},
                                                           {temperature_c, 30}});
    CHECK(sample.problem.empty());
    const auto identity = identify(answer_of(text));
    CHECK(identity.model == "MAKER SAS1600/007");
    CHECK(identity.firmware == "GXA0");
    CHECK(identity.wwn == "0x5002538b000a1b20");
    CHECK(identity.capacity_bytes == 1600321314816);
    CHECK(identity.time->exact);
    const auto failing =
        decode_text(replaced(text, "SMART Health Status: OK",
                             "SMART Health Status: FIRMWARE IMPENDING FAILURE TOO MANY BLOCK REASSIGNS"));
    CHECK(failing.problem == "the drive says that it is FAILING");
    CHECK(values(failing) == values(sample));
}

TEST_CASE("why there are no data") {
    const std::string head =
        "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.12.24] (local build)\n"
        "Copyright (C) 2002-23, Bruce Allen, Christian Franke, www.smartmontools.org\n\n";
    const std::pair<const char*, const char*> cases[] = {
        {"Device is in STANDBY mode, exit(2)\n",
         "the drive is in standby and was not woken for its SMART counters"},
        {"Smartctl open device: /dev/sda failed: Permission denied\n",
         "no permission to ask for SMART (Smartctl open device: /dev/sda failed: Permission denied); it "
         "takes "
         "root, or the capabilities of wearoutd's unit"},
        {"/dev/sdb: Unknown USB bridge [0x152d:0x0583 (0x209)]\nPlease specify device type with the -d "
         "option.\n",
         "no SMART here: smartctl does not know how to ask this device (/dev/sdb: Unknown USB bridge "
         "[0x152d:0x0583 (0x209)])"},
        {"", "smartctl could not open or identify the device (its exit status is 2)"},
    };
    for (const auto& [lines, problem] : cases) {
        const auto sample = decode_text(head + lines);
        CHECK(sample.problem == problem);
        CHECK(sample.readings.empty());
    }
    const auto damaged = decode_text(replaced(text_fixture("ata-old-format"), "General SMART Values:\n",
                                              "Warning! SMART Attribute Data Structure error: invalid SMART "
                                              "checksum.\nGeneral SMART Values:\n"));
    CHECK(damaged.problem.find("a checksum was wrong (Warning! SMART Attribute Data") != std::string::npos);
    CHECK(values(damaged) == old_format_values);
}

TEST_CASE("several outputs at once are not mixed up") {
    const auto both = text_fixture("ata-old-format") + text_fixture("nvme");
    CHECK(decode_text(both).readings.empty());
    CHECK(decode_text(both).problem ==
          "smartctl's answer can't be read: it holds several answers, of which each is to be read alone");
}

TEST_CASE("hidden serial numbers") {
    for (const char* serial : {"", "--", "0", "00000000", "XXXXXXXX", "xxxx1234", "[REDACTED]", "S3Z...",
                               "****", "<removed>", "S4XXXXXXX", "-"})
        CHECK_MESSAGE(is_hidden(serial), serial);
    for (const char* serial : {"50026B72AB00CD11", "S1A2B3C4D5E6F7", "12", "WD-WX11A1234567"})
        CHECK_MESSAGE(!is_hidden(serial), serial);
}

TEST_CASE("texts with lines and bytes changed at random never throw, and stay bounded") {
    const std::vector<std::string> texts{text_fixture("ata-old-format"), text_fixture("nvme"),
                                         text_fixture("sas")};
    const auto held = rc::check("mutated texts", [&] {
        auto text = *rc::gen::elementOf(texts);
        const auto changes = *rc::gen::inRange(1, 12);
        for (int i = 0; i < changes; ++i) {
            const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
            const auto length = *rc::gen::inRange<std::size_t>(0, 80);
            const auto& other = *rc::gen::elementOf(texts);
            const auto from = *rc::gen::inRange<std::size_t>(0, other.size());
            text.replace(position, length,
                         *rc::gen::arbitrary<bool>()
                             ? other.substr(from, length)
                             : *rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
        }
        const auto sample = decode_text(text);
        RC_ASSERT(sample.raw == text);
        RC_ASSERT(!sample.readings.empty() || !sample.problem.empty());
        for (const auto& field : sample.unknown)
            for (const char c : field.name + field.value)
                RC_ASSERT(c >= ' ' && c <= '~');
    });
    CHECK(held);
    std::string rows = "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE\n";
    for (int i = 0; i < 20'000; ++i)
        rows += " 77 X                       -O--CK   100   100   000    -    1\n";
    CHECK(decode_text(rows).unknown.size() == 256);
    CHECK(decode_text("=== START OF INFORMATION SECTION ===\n" + std::string(200'000, '\n')).problem ==
          "smartctl's answer can't be read: it has too many lines");
    CHECK(decode_text("ID# ATTRIBUTE_NAME\n" + std::string(9U << 20U, 'x')).problem ==
          "smartctl's answer can't be read: it is too long");
}

}  // namespace
}  // namespace wearout::health
