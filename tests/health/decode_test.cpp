#include "health/decode.h"

#include "fixtures.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
using enum Metric;

bool lists(const Sample& sample, const std::string& name, const std::string& value) {
    return std::find(sample.unknown.begin(), sample.unknown.end(), UnknownField{name, value}) !=
           sample.unknown.end();
}

TEST_CASE("the first seed's HyperX Savage, as measured when it was new") {
    const auto sample = decode_text(fixture("hyperx-savage-new"));
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{erase_count_avg, 3},
                                                           {erase_count_max, 40},
                                                           {erase_count_total, 239616},
                                                           {nand_bytes_written, 570 * gib},
                                                           {host_bytes_written, 538 * gib},
                                                           {host_bytes_read, 186 * gib},
                                                           {retired_blocks, 0},
                                                           {factory_bad_blocks, 556},
                                                           {life_left_percent, 100},
                                                           {percentage_used, 0},
                                                           {uncorrectable, 0},
                                                           {unsafe_shutdowns, 19},
                                                           {crc_errors, 0},
                                                           {power_on_hours, 2488},
                                                           {power_cycles, 30},
                                                           {temperature_c, 24}});
    CHECK_MESSAGE(sample.problem.empty(), sample.problem);
    CHECK(lists(sample, "attribute 183 Unknown_Attribute", "2621443"));
    CHECK(lists(sample, "attribute 168 SATA_Phy_Error_Count", "0"));
    CHECK(sample.raw == fixture("hyperx-savage-new"));
}

TEST_CASE("the same drive worn: grown blocks, and a raw life left that disagrees with the normalised one") {
    const auto sample = decode_text(fixture("hyperx-savage-worn"));
    CHECK(value_of(sample, erase_count_max) == 1047);
    CHECK(value_of(sample, erase_count_avg) == 946);
    CHECK(value_of(sample, nand_bytes_written) == 265009 * gib);
    CHECK(value_of(sample, host_bytes_written) == 128515 * gib);
    CHECK(value_of(sample, retired_blocks) == 2);
    CHECK(value_of(sample, factory_bad_blocks) == 556);
    CHECK(source_of(sample, erase_count_avg) == "attribute 173 MaxAvgErase_Ct, bytes 32");
    CHECK(source_of(sample, host_bytes_written) == "attribute 241 Lifetime_Writes_GiB");
    CHECK_FALSE(value_of(sample, life_left_percent));
    CHECK_FALSE(value_of(sample, percentage_used));
    CHECK(lists(sample, "attribute 231 SSD_Life_Left", "68"));
}

TEST_CASE(
    "bad blocks: grown ones come first under either label, and where the drive database swaps no bytes") {
    auto text = fixture("hyperx-savage-worn");
    text = replaced(text, "Bad_Blk_Ct_Erl/Lat", "Bad_Blk_Ct_Lat/Erl");
    CHECK(value_of(decode_text(text), retired_blocks) == 2);
    CHECK(value_of(decode_text(text), factory_bad_blocks) == 556);

    const auto unlisted = decode_text(fixture("kingston-unlisted"));
    CHECK(value_of(unlisted, retired_blocks) == 3);
    CHECK(value_of(unlisted, factory_bad_blocks) == 1522);
}

TEST_CASE("a drive that the database does not list, but the catalogue knows") {
    const auto sample = decode_text(fixture("kingston-unlisted"));
    CHECK(value_of(sample, erase_count_max) == 33);
    CHECK(value_of(sample, erase_count_avg) == 25);
    CHECK(value_of(sample, life_left_percent) == 99);
    CHECK(value_of(sample, percentage_used) == 1);
    CHECK(value_of(sample, program_fails) == 2);
    CHECK(value_of(sample, erase_fails) == 1);
    CHECK(value_of(sample, crc_errors) == 5);
    CHECK(value_of(sample, temperature_c) == 38);
    CHECK(lists(sample, "attribute 199 UDMA_CRC_Error_Count", "131134"));

    const auto stranger = decode_text(replaced(fixture("kingston-unlisted"), "SEDC600M960G", "SNEW1"));
    CHECK(values(stranger) ==
          std::map<Metric, std::int64_t>{{power_on_hours, 811}, {power_cycles, 9}, {temperature_c, 38}});
    CHECK(stranger.unknown.size() == 21);
}

TEST_CASE("a number that smartctl prints otherwise than the catalogue decodes it is unknown") {
    const auto text = replaced(fixture("hyperx-savage-worn"), "1047 (Average 946)", "946/1047");
    const auto sample = decode_text(text);
    CHECK(source_of(sample, erase_count_max) == "attribute 245 Max_Erase_Count");
    CHECK(source_of(sample, erase_count_avg) == "attribute 244 Average_Erase_Count");
    CHECK(lists(sample, "attribute 173 MaxAvgErase_Ct", "946/1047"));
    const auto renamed =
        decode_text(replaced(fixture("hyperx-savage-worn"), "Flash_Writes_GiB", "Vendor_233"));
    CHECK_FALSE(value_of(renamed, nand_bytes_written));
    CHECK(lists(renamed, "attribute 233 Vendor_233", "265009"));
}

TEST_CASE("more written than the interface can carry: the unit must be another") {
    const auto text = replaced(fixture("hyperx-savage-worn"), "{\"hours\": 9311}", "{\"hours\": 60}");
    const auto sample = decode_text(text);
    CHECK_FALSE(value_of(sample, host_bytes_written));
    CHECK(lists(sample, "attribute 241 Lifetime_Writes_GiB", "128515"));
    CHECK(value_of(sample, erase_count_avg) == 946);
}

TEST_CASE("ATA device statistics: logical sectors, page 5 temperature, percentage used over 100") {
    const auto sample = decode_text(fixture("ata-statistics"));
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{host_bytes_written, 4294967296 * 4096},
                                                           {host_bytes_read, 1000 * 4096},
                                                           {percentage_used, 104},
                                                           {uncorrectable, 4},
                                                           {crc_errors, 6},
                                                           {power_on_hours, 900},
                                                           {power_cycles, 12},
                                                           {temperature_c, -7}});
    CHECK(unknown_names(sample) == std::vector<std::string>{"attribute 5 Reallocated_Sector_Ct",
                                                            "attribute 233 Media_Wearout_Indicator",
                                                            "attribute 249 Unknown_Attribute",
                                                            "device statistics 255+8 Vendor Specific"});
    CHECK(sample.readings.front().confidence == Confidence::standard);

    const auto saturated =
        decode_text(replaced(fixture("ata-statistics"), "\"value\": 104", "\"value\": 255"));
    CHECK_FALSE(value_of(saturated, percentage_used));
    const auto sectorless = decode_text(
        replaced(fixture("ata-statistics"), "\"logical_block_size\": 4096", "\"logical_block_size\": 0"));
    CHECK_FALSE(value_of(sectorless, host_bytes_written));
}

TEST_CASE("a statistic that wraps or sticks gives way to the attribute, and else is preferred") {
    const auto wrapped = decode_text(fixture("phison-wrapped-statistics"));
    CHECK(value_of(wrapped, host_bytes_written) == 1270441 * gib);
    CHECK(value_of(wrapped, percentage_used) == 45);
    CHECK(value_of(wrapped, life_left_percent) == 55);
    CHECK(value_of(wrapped, crc_errors) == 6505);
    // With an average of 0 smartctl prints the maximum alone.
    CHECK(value_of(wrapped, erase_count_max) == 1);
    CHECK(value_of(wrapped, erase_count_avg) == 0);

    const auto wraps = std::to_string(2664308069624 % (std::int64_t{1} << 32));
    const auto whole = decode_text(replaced(fixture("phison-wrapped-statistics"), wraps, "2664308069624"));
    CHECK(value_of(whole, host_bytes_written) == 2664308069624 * 512);
    CHECK(source_of(whole, host_bytes_written) == "device statistics 1+24 Logical Sectors Written");
}

TEST_CASE("NVMe log 02h") {
    const auto sample = decode_text(fixture("nvme-worn"));
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{host_bytes_written, 65602088 * 512000LL},
                                                           {host_bytes_read, 17176794 * 512000LL},
                                                           {percentage_used, 117},
                                                           {spare_percent, 9},
                                                           {critical_warning, 5},
                                                           {media_errors, 7},
                                                           {unsafe_shutdowns, 10},
                                                           {power_on_hours, 12798},
                                                           {power_cycles, 25},
                                                           {temperature_c, 35}});
    CHECK(sample.unknown.empty());
    CHECK(sample.problem ==
          "the drive says that it is FAILING; critical warning 0x05: its spare is below its threshold, its "
          "reliability is degraded (at 117 % used, with 9 % of its spare)");
    CHECK(sample.decoder ==
          "catalogue NVMe 1; smartctl 7.3; drive database 7.3/5319; family none; firmware 2B2QEXE7");
    const auto vendor = decode_text(replaced(fixture("nvme-worn"), "\"host_reads\"", "\"flash_reads\""));
    CHECK(lists(vendor, "nvme_smart_health_information_log.flash_reads", "118020838"));
}

TEST_CASE("NVMe: data units of zero are not reported, and 255 percent stays") {
    auto text =
        replaced(fixture("nvme-worn"), "\"data_units_written\": 65602088", "\"data_units_written\": 0");
    text = replaced(text, "\"percentage_used\": 117", "\"percentage_used\": 255");
    const auto sample = decode_text(text);
    CHECK_FALSE(value_of(sample, host_bytes_written));
    CHECK(value_of(sample, percentage_used) == 255);
    CHECK(lists(sample, "nvme_smart_health_information_log.data_units_written", "0"));
}

TEST_CASE("a firmware whose data units wrap tells no bytes, and the same drive with another one does") {
    const auto p3700 = replaced(replaced(fixture("nvme-worn"), "\"firmware_version\": \"2B2QEXE7\"",
                                         "\"firmware_version\": \"8DV10131\""),
                                "\"model_name\": \"", "\"model_name\": \"INTEL SSDPEDMD400G4 ");
    CHECK_FALSE(value_of(decode_text(p3700), host_bytes_written));
    CHECK_FALSE(value_of(decode_text(p3700), host_bytes_read));
    CHECK(lists(decode_text(p3700), "nvme_smart_health_information_log.data_units_written", "65602088"));
    CHECK(value_of(decode_text(p3700), percentage_used) == 117);
    CHECK(value_of(decode_text(replaced(p3700, "8DV10131", "8DV10171")), host_bytes_written) ==
          65602088 * 512000LL);
}

TEST_CASE("a dead controller's zeroes do not undo its history") {
    const auto sample = decode_text(fixture("nvme-dead"));
    CHECK(values(sample) ==
          std::map<Metric, std::int64_t>{
              {spare_percent, 0}, {percentage_used, 255}, {temperature_c, 38}, {critical_warning, 0}});
    CHECK(sample.problem == "its counters are those of a dead controller, so its zeroes are not believed");
}

TEST_CASE("SAS: percentage used, grown defects, and bytes processed as decimal text") {
    const auto sample = decode_text(fixture("sas-ssd"));
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{host_bytes_written, 12103790000000},
                                                           {host_bytes_read, 2295821000000},
                                                           {retired_blocks, 4},
                                                           {percentage_used, 3},
                                                           {power_on_hours, 4665},
                                                           {temperature_c, 30}});
    CHECK(lists(sample, "scsi_error_counter_log.write.total_uncorrected_errors", "1"));
    const auto silent = decode_text(replaced(fixture("sas-ssd"), "12103.790", "0.000"));
    CHECK_FALSE(value_of(silent, host_bytes_written));
}

TEST_CASE("the simulated drive is a family of its own, with the Phison layout") {
    const auto sample = decode_text(fixture("simulated"));
    CHECK(values(sample) == std::map<Metric, std::int64_t>{{erase_count_avg, 90},
                                                           {erase_count_max, 120},
                                                           {erase_count_total, 9000},
                                                           {nand_bytes_written, 300 * gib},
                                                           {host_bytes_written, 200 * gib},
                                                           {host_bytes_read, 100 * gib},
                                                           {retired_blocks, 7},
                                                           {factory_bad_blocks, 3},
                                                           {percentage_used, 90},
                                                           {life_left_percent, 10},
                                                           {program_fails, 4},
                                                           {erase_fails, 3},
                                                           {power_on_hours, 1},
                                                           {power_cycles, 1},
                                                           {temperature_c, 30}});
    CHECK(sample.unknown.empty());
}

TEST_CASE("the decoder's name changes with whatever the numbers depend on") {
    const auto text = fixture("hyperx-savage-new");
    const auto name = decode_text(text).decoder;
    CHECK(name ==
          "catalogue ATA device statistics 2, Phison, by Kingston and others 2; smartctl 7.3; drive database "
          "7.3/5319; family Phison Driven SSDs; firmware SAFM00.r");
    for (const auto& [from, to] :
         std::map<std::string, std::string>{{"SAFM00.r", "SAFM02.H"},
                                            {"7.3/5319", "7.3/5528"},
                                            {"\"version\": [7, 3]", "\"version\": [7, 4]"},
                                            {"Phison Driven SSDs", "Phison Driven OEM SSDs"}})
        CHECK(decode_text(replaced(text, from, to)).decoder != name);
    auto newer = builtin_catalogue();
    for (auto& family : newer.families)
        ++family.version;
    CHECK(decode(RawAnswer{.text = text, .problem = {}}, newer).decoder != name);
}

}  // namespace
}  // namespace wearout::health
