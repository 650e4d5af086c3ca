// The same drive as other versions of smartctl write it.
#include "fixtures.h"
#include "health/answer.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

using enum Metric;

std::string without(const std::string& text, const std::string& part) {
    return replaced(text, part, "");
}

/// The text with members added to its outermost object.
std::string with(const std::string& text, const std::string& members) {
    return replaced(text, "{\n  \"json_format_version\"", "{\n  " + members + ",\n  \"json_format_version\"");
}

TEST_CASE("SCSI names: plain up to 7.2, with a prefix in 7.3 and 7.4, both in 7.5") {
    const auto named = [](const std::string& names) {
        const auto result = read_answer(R"({"smartctl": {"exit_status": 0}, )" + names + "}");
        REQUIRE(result.answer);
        return result.answer->model + ", " + result.answer->firmware;
    };
    const std::string expected = "TOSHIBA KPM5XMUG400G, 0105";
    CHECK(named(R"("vendor": "TOSHIBA", "product": "KPM5XMUG400G", "model_name": "TOSHIBA KPM5XMUG400G",
                   "revision": "0105")") == expected);
    CHECK(named(R"("scsi_vendor": "TOSHIBA", "scsi_product": "KPM5XMUG400G",
                   "scsi_model_name": "TOSHIBA KPM5XMUG400G", "scsi_revision": "0105")") == expected);
    CHECK(named(R"("scsi_vendor": "TOSHIBA", "scsi_product": "KPM5XMUG400G", "model_name":
                   "TOSHIBA KPM5XMUG400G", "scsi_revision": "0105", "scsi_version": "SPC-5")") == expected);
    CHECK(named(R"("vendor": "TOSHIBA", "product": "KPM5XMUG400G", "revision": "0105")") == expected);
    CHECK(named(R"("scsi_vendor": "TOSHIBA", "scsi_product": "KPM5XMUG400G", "scsi_revision": "0105")") ==
          expected);
}

TEST_CASE("members that came, went or changed their kind alter no number") {
    for (const auto* name : {"hyperx-savage-worn", "ata-statistics", "sas-ssd", "nvme-worn"}) {
        CAPTURE(name);
        const auto text = fixture(name);
        const auto plain = values(decode_text(text));
        for (const auto* members :
             {R"("smart_support": true)", R"("smart_support": {"available": true, "enabled": true})",
              R"("local_time": {"time_t": 0, "asctime": "Thu Jan  1 00:00:00 1970 UTC"})",
              R"("scsi_temperature": {"drive_trip": 60})", R"("power_mode": {"ata_value": 255})",
              R"("pre_release": true)", R"("endurance_used": {"current_percent": 1})",
              R"("spare_available": {"current_percent": 1, "threshold_percent": 2})",
              R"("host_writes": {"units": 7, "bytes_per_unit": 512, "commands": 3})"})
            CHECK_MESSAGE(values(decode_text(with(text, members))) == plain, members);
    }
}

TEST_CASE("what smartctl 7.5 makes of attributes does not stand in for them") {
    const auto text =
        with(fixture("hyperx-savage-worn"),
             R"("endurance_used": {"current_percent": 0}, "spare_available": {"current_percent": 100})");
    CHECK_FALSE(value_of(decode_text(text), percentage_used));
    CHECK_FALSE(value_of(decode_text(text), spare_percent));
}

TEST_CASE("SAS: the defects that smartctl tells from 7.3 on, and a temperature in another page") {
    auto text = with(fixture("sas-ssd"), R"("scsi_pending_defects": {"count": 3})");
    CHECK(value_of(decode_text(text), pending_sectors) == 3);
    text = with(fixture("sas-ssd"), R"("scsi_environmental_reports": {"temperature_1": {"current": 38}})");
    CHECK(value_of(decode_text(text), temperature_c) == 30);
    text = replaced(text, "\"current\": 30", "\"current\": 0");
    CHECK(value_of(decode_text(text), temperature_c) == 38);
    CHECK_FALSE(value_of(decode_text(replaced(text, "\"current\": 38", "\"current\": 0")), temperature_c));
}

TEST_CASE("a percentage used beyond 100 is told as it is, and 255 is all that is above 254") {
    const auto text = fixture("sas-ssd");
    const std::string was = R"("scsi_percentage_used_endurance_indicator": 3)";
    const std::string key = R"("scsi_percentage_used_endurance_indicator": )";
    CHECK(value_of(decode_text(replaced(text, was, key + "130")), percentage_used) == 130);
    CHECK(value_of(decode_text(replaced(text, was, key + "255")), percentage_used) == 255);
    CHECK_FALSE(value_of(decode_text(replaced(text, was, key + "256")), percentage_used));
    CHECK_FALSE(value_of(decode_text(without(text, was + ",")), percentage_used));
}

TEST_CASE("no smart_status and a clear bit 3 of the exit status is no failure") {
    const auto text = replaced(fixture("ata-statistics"), "\"smart_status\"", "\"other\"");
    CHECK(decode_text(text).problem.empty());
}

}  // namespace
}  // namespace wearout::health
