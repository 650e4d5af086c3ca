#include "health/answer.h"

#include "fixtures.h"

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

std::optional<std::string> number(const std::string& members) {
    const auto result = read_answer("{\"smartctl\": {}, \"log\": {" + members + "}}");
    REQUIRE_MESSAGE(result.answer, result.error);
    return result.answer->number_text("log.n");
}

TEST_CASE("a counter beyond 53 or 64 bits is read from the number, its text or its bytes") {
    CHECK(number(R"("n": 9007199254740993, "n_s": "9007199254740993")") == "9007199254740993");
    CHECK(number(R"("n": 340282366920938463463374607431768211455,
                    "n_s": "340282366920938463463374607431768211455", "n_le": [255])") ==
          "340282366920938463463374607431768211455");
    CHECK(number(R"("n": 3.4028236692093846e38, "n_s": "340282366920938463463374607431768211455")") ==
          "340282366920938463463374607431768211455");
    CHECK(number(R"("n_le": [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])") == "513");
    CHECK(number(R"("n_le": [255, 255, 255, 255, 255, 255, 255, 255, 0])") == "18446744073709551615");
}

TEST_CASE("a counter whose forms disagree, or are none, is not read") {
    CHECK_FALSE(number(R"("n": 9007199254740992, "n_s": "9007199254740993")"));
    CHECK_FALSE(number(R"("n": 1e20)"));
    CHECK_FALSE(number(R"("n": null)"));
    CHECK_FALSE(number(R"("n": true)"));
    CHECK_FALSE(number(R"("n": "12 GB")"));
    CHECK_FALSE(number(R"("n": [1])"));
    CHECK_FALSE(number(R"("n": 1, "n": 1)"));
    CHECK_FALSE(number(R"("n_le": [0, 0, 0, 0, 0, 0, 0, 0, 1])"));
    CHECK_FALSE(number(R"("n_le": [256])"));
    CHECK_FALSE(number(R"("n_le": [])"));
    CHECK_FALSE(number(""));
}

TEST_CASE("lines that can't be JSON are left out and counted") {
    for (const auto* stray : {"  Pending defect count:0 Pending Defects\n", "hahaha\n"}) {
        const auto text = fixture("sas-ssd");
        CHECK(read_answer(stray + text).answer->stray_lines == 1);
        CHECK(values(decode_text(stray + text)) == values(decode_text(text)));
        CHECK(decode_text(stray + text).problem ==
              "1 line(s) of smartctl's answer are no JSON and were left out");
        const auto middle = replaced(text, "\n  \"device\"", std::string("\n") + stray + "  \"device\"");
        CHECK(values(decode_text(middle)) == values(decode_text(text)));
    }
    CHECK(read_answer("{\"smartctl\": {}, \"a\": oops}").error.starts_with("not valid JSON at byte"));
    CHECK(read_answer("[]").error == "it is not from smartctl");
}

TEST_CASE("what the drive says holds nothing that a terminal obeys") {
    const auto text =
        replaced(fixture("hyperx-savage-new"), "\"SATA_Phy_Error_Count\"", R"("\u001b[2J\u009bevil\n")");
    const auto sample = decode_text(text);
    CHECK(std::find(sample.unknown.begin(), sample.unknown.end(),
                    UnknownField{"attribute 168 ?[2J??evil?", "0"}) != sample.unknown.end());
}

TEST_CASE("two attributes of one id, or two statistics of one place: nobody knows which is meant") {
    auto text = replaced(fixture("hyperx-savage-new"), "\"id\": 240", "\"id\": 241");
    CHECK_FALSE(value_of(decode_text(text), Metric::host_bytes_written));
    text = replaced(fixture("ata-statistics"), "\"offset\": 32", "\"offset\": 24");
    CHECK_FALSE(value_of(decode_text(text), Metric::host_bytes_written));
}

TEST_CASE("a statistic counts only where it is valid and has a value") {
    const auto text = fixture("ata-statistics");
    const std::string entry = R"("value": 4294967296, "flags": {"value": 192, "valid": )";
    CHECK_FALSE(
        value_of(decode_text(replaced(text, entry + "true", entry + "false")), Metric::host_bytes_written));
    CHECK_FALSE(
        value_of(decode_text(replaced(text, entry + "true", entry + "1")), Metric::host_bytes_written));
    CHECK_FALSE(value_of(decode_text(replaced(text, "4294967296", "null")), Metric::host_bytes_written));
}

}  // namespace
}  // namespace wearout::health
