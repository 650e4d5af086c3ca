#include "health/write_counters.h"

#include "fixtures.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

std::map<std::string, WriteCounter> by_field(const std::string& text) {
    std::map<std::string, WriteCounter> result;
    for (const auto& counter : write_counters(text))
        CHECK(result.emplace(counter.field, counter).second);
    return result;
}

TEST_CASE("the catalogue's write counters come raw, with their units, and named as the readings name them") {
    const auto text = fixture("hyperx-savage-worn");
    const auto counters = by_field(text);
    REQUIRE(counters.contains("attribute 241 Lifetime_Writes_GiB"));
    const auto& host = counters.at("attribute 241 Lifetime_Writes_GiB");
    CHECK(host.raw == 128515);
    CHECK(host.step == std::int64_t{1} << 30);
    CHECK(host.metric == Metric::host_bytes_written);
    REQUIRE(counters.contains("attribute 233 Flash_Writes_GiB"));
    CHECK(counters.at("attribute 233 Flash_Writes_GiB").metric == Metric::nand_bytes_written);
    CHECK(counters.contains(source_of(decode_text(text), Metric::host_bytes_written)));
    CHECK_FALSE(counters.contains("attribute 246 Total_Erase_Count"));
    const auto nvme = by_field(fixture("nvme-worn"));
    CHECK(nvme.at("NVMe log 02h, data units written").raw == 65602088);
    CHECK(nvme.at("NVMe log 02h, data units written").step == 512000);
}

TEST_CASE(
    "an attribute that the catalogue does not know, and whose name tells of writes, comes without a unit") {
    const std::string text = R"({"smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"protocol": "ATA"}, "model_name": "NONAME SSD", "ata_smart_attributes": {"table": [
        {"id": 241, "name": "Total_LBAs_Written", "value": 100, "raw": {"value": 4711, "string": "4711"}},
        {"id": 1, "name": "Write_Error_Rate", "value": 100, "raw": {"value": 5, "string": "5"}},
        {"id": 249, "name": "NAND_Writes_1GiB", "value": 100, "raw": {"value": 6, "string": "6"}},
        {"id": 225, "name": "Unknown_SSD_Attribute", "value": 100, "raw": {"value": 7, "string": "7"}}]}})";
    const auto counters = by_field(text);
    REQUIRE(counters.size() == 1);
    CHECK(counters.at("attribute 241 Total_LBAs_Written").raw == 4711);
    CHECK_FALSE(counters.at("attribute 241 Total_LBAs_Written").step);
}

TEST_CASE("text that is no answer has no counters") {
    CHECK(write_counters("").empty());
    CHECK(write_counters("{}").empty());
    CHECK(write_counters(replaced(fixture("hyperx-savage-worn"), "\"exit_status\": 32", "\"exit_status\": 2"))
              .empty());
}

}  // namespace
}  // namespace wearout::health
