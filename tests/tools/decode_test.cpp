// Saved answers: one, several, of several drives, and what is none.

#include "support/scratch_dir.h"
#include "tools/golden.h"
#include "tools/run_tool.h"
#include "tools/wearctl/text.h"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string fixtures = WEAROUT_SOURCE_DIR "/tests/health/fixtures/";

ToolResult decode_input(const std::string& input, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"decode", "-"});
    return run_tool(options, plain_screen, input);
}

struct Moment {
    int day = 0;  ///< Of January 2020.
    int hours = 0;
    int written_gib = 0;
    std::string serial = "50026B7267027A1A";
    std::string firmware = "SAFM00.r";
};

/// What smartctl prints of a drive that wears by a simple rule.
std::string answer_at(const Moment& moment) {
    const int used = moment.written_gib / 2000;
    return fmt::format(
        "smartctl 7.1 2019-12-30 r5022 [x86_64-linux-5.4.0] (local build)\n"
        "=== START OF INFORMATION SECTION ===\n"
        "Model Family:     Phison Driven SSDs\n"
        "Device Model:     KINGSTON SHSS37A240G\n"
        "Serial Number:    {}\n"
        "Firmware Version: {}\n"
        "User Capacity:    240,057,409,536 bytes [240 GB]\n"
        "Sector Size:      512 bytes logical/physical\n"
        "Device is:        In smartctl database [for details use: -P show]\n"
        "Local Time is:    Wed Jan {:2} 10:00:00 2020 CET\n"
        "=== START OF READ SMART DATA SECTION ===\n"
        "SMART overall-health self-assessment test result: PASSED\n"
        "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE\n"
        "  9 Power_On_Hours          -O--CK   100   100   000    -    {}\n"
        "170 Bad_Blk_Ct_Erl/Lat      PO----   100   100   010    -    {}/556\n"
        "173 MaxAvgErase_Ct          -O--C-   100   100   000    -    {} (Average {})\n"
        "231 SSD_Life_Left           PO--C-   {:03}   {:03}   000    -    {}\n"
        "233 Flash_Writes_GiB        -O--CK   100   100   000    -    {}\n"
        "241 Lifetime_Writes_GiB     -O--CK   100   100   000    -    {}\n\n",
        moment.serial, moment.firmware, moment.day, moment.hours, std::max(0, used - 10), used * 33,
        used * 30, 100 - used, 100 - used, 100 - used, moment.written_gib * 3 / 2, moment.written_gib);
}

std::vector<std::string> log_of_answers() {
    std::vector<std::string> answers;
    for (int i = 0; i < 14; ++i)
        answers.push_back(
            answer_at({.day = i + 1, .hours = 1000 + i * 24, .written_gib = 10'000 + i * 4000}));
    return answers;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const auto& part : parts)
        text += part;
    return text;
}

Json json_of(const ToolResult& result) {
    return Json::parse(result.out);
}

}  // namespace

TEST_CASE("one answer: each metric with value, unit, field and confidence") {
    const ToolResult nvme = decode_input(text_of(fixtures + "nvme.txt"));
    CHECK(nvme.code == ExitCode::findings);
    CHECK(nvme.err.empty());
    check_golden("decode_nvme.txt", nvme.out);
    const ToolResult simulated = decode_input(text_of(fixtures + "simulated.json"), {"--explain"});
    CHECK(simulated.code == ExitCode::pass);
    check_golden("decode_explain.txt", simulated.out);
}

TEST_CASE("a log of answers is a series with curves, in whatever order it comes") {
    auto answers = log_of_answers();
    const ToolResult result = decode_input(joined(answers));
    CHECK(result.code == ExitCode::pass);
    check_golden("decode_series.txt", result.out);

    // In files of their own, the newest first: only where they are from differs.
    const ScratchDir dir;
    std::vector<std::string> arguments{"decode", "--json"};
    for (std::size_t i = answers.size(); i-- > 0;) {
        arguments.push_back(dir.file(std::to_string(i)));
        std::ofstream(arguments.back()) << answers[i];
    }
    const auto apart = json_of(run_tool(arguments));
    const auto together = json_of(decode_input(joined(answers), {"--json"}));
    CHECK(apart["series"] == together["series"]);
    CHECK(apart["records"][0]["file"] == dir.file("0"));
    CHECK(together["records"][13]["place"] == 14);
}

TEST_CASE("--json has records with their fields, and series") {
    const auto json = json_of(decode_input(joined(log_of_answers()), {"--json"}));
    CHECK(json["schema"] == 1);
    REQUIRE(json["records"].size() == 14);
    const auto& record = json["records"][2];
    CHECK(record["time"] == "2020-01-03T10:00:00.000");
    CHECK(record["drive"]["model"] == "KINGSTON SHSS37A240G");
    CHECK(record["drive"]["serial"] == "50026B7267027A1A");
    CHECK(record["drive"]["wwn"].is_null());
    CHECK(record["drive"]["capacity_bytes"] == 240057409536);
    CHECK(record["family"] == "Phison Driven SSDs");
    CHECK(record["failing"] == false);
    const auto& written = record["metrics"]["host_bytes_written"];
    CHECK(written["value"] == 18'000 * (std::int64_t{1} << 30));
    CHECK(written["unit"] == "bytes");
    CHECK(written["source"] == "attribute 241 Lifetime_Writes_GiB");
    CHECK(written["confidence"] == "verified");
    CHECK(written["raw"] == 18'000);
    CHECK(written["scale"] == std::int64_t{1} << 30);
    CHECK_FALSE(written.contains("passed_over"));
    CHECK(record["metrics"]["erase_count_avg"]["told"] == "297 (Average 270)");
    CHECK(record["unknown"].is_array());
    CHECK(record["problems"].empty());

    REQUIRE(json["series"].size() == 1);
    const auto& series = json["series"][0];
    CHECK(series["records"].size() == 14);
    CHECK(series["breaks"].empty());
    CHECK(series["waf"]["since_start"] == doctest::Approx(1.5));
    CHECK(series["wear"]["percentage_used"]["first"] == 5);
    CHECK(series["wear"]["percentage_used"]["last"] == 31);
    CHECK(series["wear"]["percentage_used"]["per_tb"] == doctest::Approx(26 / (52'000 * 1.073741824e-3)));
    // 2 TiB-like steps of 2000 GiB a percent: 200,000 GiB in all.
    CHECK(series["forecast"]["percentage_used"]["tbw_at_end"] == doctest::Approx(214.7).epsilon(0.02));
    CHECK(series["curves"]["erase_count_avg"]["points"].size() == 14);

    const auto whole =
        json_of(decode_input(text_of(fixtures + "hyperx-savage-worn.json"), {"--json", "--explain"}));
    CHECK(whole["series"].empty());
    const auto& passed_over = whole["records"][0]["metrics"]["erase_count_avg"]["passed_over"];
    REQUIRE(passed_over.size() == 1);
    CHECK(passed_over[0]["source"] == "attribute 244 Average_Erase_Count");
    CHECK(whole["records"][0]["families"].size() == 2);
}

TEST_CASE("a counter that falls and a new firmware start anew, and nothing is subtracted across") {
    auto answers = log_of_answers();
    // As after a reset of its counters, which then go on.
    for (int i = 0; i < 4; ++i)
        answers.push_back(answer_at({.day = 20 + i, .hours = 2000 + i * 24, .written_gib = 100 + i * 4000}));
    for (int i = 0; i < 3; ++i)
        answers.push_back(answer_at(
            {.day = 25 + i, .hours = 3000 + i, .written_gib = 20'000 + i * 4000, .firmware = "SAFM02.H"}));
    const auto json = json_of(decode_input(joined(answers), {"--json"}));
    REQUIRE(json["series"].size() == 1);
    const auto& series = json["series"][0];
    const std::string breaks = series["breaks"].dump();
    CHECK(contains(breaks, "host_bytes_written fell from 66.6 TB to 107 GB in standard input #15"));
    CHECK(contains(breaks, "erase_count_avg fell from"));
    CHECK(contains(breaks, "firmware, smartctl or its drive database is another in standard input #19"));
    for (const auto& [name, line] : series["wear"].items())
        if (name != "life_left_percent" && !line["per_tb"].is_null())
            CHECK_MESSAGE(line["per_tb"] >= 0.0, name);
    for (const auto& [name, curve] : series["curves"].items()) {
        double before = 0;
        for (const auto& point : curve["points"]) {
            CHECK(point[0].get<double>() >= before);
            before = point[0].get<double>();
        }
    }
    const auto& growth = series["waf"]["since_start"];
    CHECK(growth == doctest::Approx(1.5));
    CHECK(series["waf"]["lifetime"].is_null());
}

TEST_CASE("drives are told apart, and hidden serial numbers are one drive only where the counters allow it") {
    const auto first = answer_at({.day = 1, .hours = 100, .written_gib = 4000});
    const auto second = answer_at({.day = 2, .hours = 124, .written_gib = 8000});
    const auto other = answer_at({.day = 2, .hours = 124, .written_gib = 8000, .serial = "50026B72670FFFFF"});
    CHECK(json_of(decode_input(first + second, {"--json"}))["series"].size() == 1);
    CHECK(json_of(decode_input(first + other, {"--json"}))["series"].empty());
    CHECK(json_of(decode_input(first + second + other, {"--json"}))["series"][0]["records"].size() == 2);

    const std::string none = "--";
    const auto hidden = [&](int day, int hours, int written) {
        return answer_at({.day = day, .hours = hours, .written_gib = written, .serial = none});
    };
    const auto one = decode_input(hidden(1, 100, 4000) + hidden(2, 124, 8000));
    CHECK(contains(one.out, "serial numbers are hidden: taken as one drive"));
    CHECK(contains(one.out, "Answers"));
    // It can't have written less, nor aged by more hours than went by.
    for (const auto& text :
         {hidden(1, 100, 8000) + hidden(2, 124, 4000), hidden(1, 100, 4000) + hidden(2, 900, 8000)}) {
        const auto several = decode_input(text);
        CHECK(contains(several.out, "serial numbers are hidden, and the counters do not show"));
        CHECK_FALSE(contains(several.out, "Answers"));
    }
}

TEST_CASE("exit codes: failing, unreadable files, nothing decoded") {
    const ToolResult failing = run_tool({"decode", fixtures + "ata-old-format.txt"});
    CHECK(failing.code == ExitCode::findings);
    CHECK(contains(failing.out, "the drive says that it is FAILING"));
    const ToolResult missing = run_tool({"decode", fixtures + "nvme.txt", "/nonexistent/file"});
    CHECK(missing.code == ExitCode::usage);
    CHECK(missing.err == "wearctl: /nonexistent/file: No such file or directory\n");
    CHECK(run_tool({"decode", fixtures}).err == "wearctl: " + fixtures + ": is a folder\n");
    CHECK(run_tool({"decode"}).code == ExitCode::usage);
    for (const char* text : {"", "hello", "{}", "smartctl 7.4 2023-08-01 r5530 [x] (local build)\n"}) {
        const ToolResult nothing = decode_input(text);
        CHECK(nothing.code == ExitCode::insufficient_data);
        CHECK(contains(nothing.out, "problem"));
        CHECK(json_of(decode_input(text, {"--json"}))["records"][0]["problems"].size() == 1);
    }
    // What can't be read does not hide the rest.
    const ScratchDir dir;
    std::ofstream(dir.file("stray")) << "hello";
    const ToolResult mixed = run_tool({"decode", dir.file("stray"), fixtures + "hyperx-savage-new.json"});
    CHECK(mixed.code == ExitCode::pass);
    CHECK(contains(mixed.out, "it is neither JSON nor text output"));
    CHECK(contains(mixed.out, "erase_count_avg"));
}

TEST_CASE("a file that Windows has written as UTF-16") {
    const std::string text = text_of(fixtures + "nvme.txt");
    std::string little = "\xff\xfe";
    std::string big = "\xfe\xff";
    for (const char c : text) {
        little += {c, '\0'};
        big += {'\0', c};
    }
    const auto plain = json_of(decode_input(text, {"--json"}));
    CHECK(json_of(decode_input(little, {"--json"})) == plain);
    CHECK(json_of(decode_input(big, {"--json"})) == plain);
}

TEST_CASE("no line is wider than the screen, and what a drive says can't steer the terminal") {
    std::vector<std::string> inputs{joined(log_of_answers())};
    for (const auto& entry : std::filesystem::directory_iterator(fixtures))
        inputs.push_back(text_of(entry.path().string()));
    for (const auto& input : inputs)
        for (const bool explain : {false, true})
            for (const std::size_t columns : {72U, 80U, 120U}) {
                tools::Screen screen = plain_screen;
                screen.columns = columns;
                std::vector<std::string> arguments{"decode", "-"};
                if (explain) arguments.emplace_back("--explain");
                for (const std::string& line : lines_of(run_tool(arguments, screen, input).out)) {
                    CAPTURE(line);
                    CHECK(tools::display_width(line) <= columns);
                }
            }
    auto evil = text_of(fixtures + "nvme.txt");
    evil.replace(evil.find("MADE UP"), 4, "\033[2J");
    CHECK_FALSE(contains(decode_input(evil).out, "\033"));
}
