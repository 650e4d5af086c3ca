#include "health/explain.h"

#include "fixtures.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

using enum Metric;

Explanation explain_text(const std::string& text) {
    return explain(RawAnswer{.text = text, .problem = {}});
}

const ExplainedMetric& find(const Explanation& explanation, Metric metric) {
    for (const auto& one : explanation.metrics)
        if (one.metric == metric) return one;
    throw std::logic_error("the metric is not explained");
}

std::string why_not(const Explanation& explanation, Metric metric, const std::string& source) {
    for (const auto& field : find(explanation, metric).fields)
        if (field.source.starts_with(source)) return field.passed_over;
    return "is not there";
}

TEST_CASE("the chosen field of each metric is what decode reads") {
    for (const auto& entry : std::filesystem::directory_iterator(WEAROUT_FIXTURES)) {
        CAPTURE(entry.path().string());
        const auto explanation = explain_text(read_file(entry.path()));
        CHECK(explanation.readable);
        std::map<Metric, std::int64_t> chosen;
        for (const auto& metric : explanation.metrics) {
            int taken = 0;
            for (const auto& field : metric.fields)
                taken += field.passed_over.empty() ? 1 : 0;
            CHECK(taken <= 1);
            if (const auto* field = metric.chosen()) {
                chosen[metric.metric] = *field->value;
                CHECK(field->source == source_of(explanation.sample, metric.metric));
                CHECK_FALSE(field->known_from.empty());
                CHECK_FALSE(field->told.empty());
            }
        }
        CHECK(chosen == values(explanation.sample));
    }
}

TEST_CASE("a packed attribute: what is told, which bytes, and what goes after it") {
    const auto explanation = explain_text(fixture("hyperx-savage-worn"));
    const auto* field = find(explanation, erase_count_avg).chosen();
    REQUIRE(field != nullptr);
    CHECK(field->told == "1047 (Average 946)");
    CHECK(field->raw_value == (946LL << 16 | 1047));
    CHECK(field->bytes == "32");
    CHECK(field->number == 946);
    CHECK(field->confidence == Confidence::verified);
    CHECK(field->family == "Phison, by Kingston and others");
    CHECK(why_not(explanation, erase_count_avg, "attribute 244") ==
          "attribute 173 MaxAvgErase_Ct, bytes 32 goes before it");
    CHECK(why_not(explanation, life_left_percent, "attribute 231") ==
          "its normalised and its raw value disagree, or are not told");
    const auto* written = find(explanation, host_bytes_written).chosen();
    REQUIRE(written != nullptr);
    CHECK(written->number == 128515);
    CHECK(written->scale == std::int64_t{1} << 30);

    REQUIRE(explanation.families.size() == 2);
    CHECK(explanation.families[0].why == "every ATA drive");
    CHECK(
        explanation.families[1].why.starts_with("smartctl's drive database has it as 'Phison Driven SSDs'"));
    const auto other = explain_text(replaced(fixture("hyperx-savage-worn"), "SAFM02.H", "S9FM00.r"));
    REQUIRE(other.families.size() == 2);
    CHECK_FALSE(other.families[1].used);
    CHECK(other.families[1].why == "its firmware S9FM00.r is another than this family's");
}

TEST_CASE("why a field is passed over") {
    const auto wrapped = explain_text(fixture("phison-wrapped-statistics"));
    CHECK(why_not(wrapped, host_bytes_written, "device statistics 1+24") ==
          "it wraps or sticks on some drives, and another field says much more");
    const auto fast =
        explain_text(replaced(fixture("hyperx-savage-worn"), "{\"hours\": 9311}", "{\"hours\": 60}"));
    CHECK(why_not(fast, host_bytes_written, "attribute 241") ==
          "by this unit it would be more per hour than the drive can carry");
    CHECK(find(fast, host_bytes_written).chosen() == nullptr);
    const auto dead = explain_text(fixture("nvme-dead"));
    CHECK(why_not(dead, power_on_hours, "NVMe log 02h") == "the zero of a dead controller is not believed");
    const auto silent = explain_text(replaced(fixture("sas-ssd"), "12103.790", "0.000"));
    CHECK(why_not(silent, host_bytes_written, "SCSI log page 02h") ==
          "0 means that it is not reported, or is none that this field can have");
    const auto sectorless = explain_text(
        replaced(fixture("ata-statistics"), "\"logical_block_size\": 4096", "\"logical_block_size\": 0"));
    CHECK(why_not(sectorless, host_bytes_written, "device statistics 1+24") ==
          "the size of the drive's logical blocks is not told");
    const auto renamed =
        explain_text(replaced(fixture("hyperx-savage-worn"), "Flash_Writes_GiB", "Vendor_233"));
    CHECK(why_not(renamed, nand_bytes_written, "attribute 233") ==
          "smartctl's drive database names it Vendor_233, which is another field");
    const auto reprinted =
        explain_text(replaced(fixture("hyperx-savage-worn"), "1047 (Average 946)", "946/1047"));
    CHECK(why_not(reprinted, erase_count_max, "attribute 173") ==
          "it is printed in another format than the catalogue knows, or not told as a number");
}

TEST_CASE("whether the drive fails, and what is no answer") {
    CHECK(explain_text(fixture("nvme-worn")).failing);
    CHECK_FALSE(explain_text(fixture("nvme-dead")).failing);
    CHECK_FALSE(explain_text(fixture("hyperx-savage-new")).failing);
    const auto stray = explain_text("nothing of the kind");
    CHECK_FALSE(stray.readable);
    CHECK_FALSE(stray.failing);
    CHECK_FALSE(stray.sample.problem.empty());
    const auto text = text_fixture("ata-old-format");
    CHECK(explain_text(text).failing);
    const auto passed = replaced(text, "result: FAILED!", "result: PASSED");
    CHECK(explain_text(passed).failing);
    const auto past = replaced(passed, "FAILING_NOW", "In_the_past");
    CHECK_FALSE(explain_text(past).failing);
    // A threshold that means nothing by the catalogue is not believed.
    CHECK_FALSE(explain_text(replaced(past, "100   ---    Old_age   Always       -  ",
                                      "100   100    Old_age   Always   FAILING_NOW"))
                    .failing);
}

}  // namespace
}  // namespace wearout::health
