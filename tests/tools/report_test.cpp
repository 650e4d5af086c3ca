#include "tools/wearctl/report.h"

#include "tools/golden.h"
#include "tools/run_tool.h"
#include "tools/stored_life.h"
#include "tools/wearctl/text.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;
using Json = nlohmann::ordered_json;

namespace {

ToolResult report(const StoredLife& life, std::vector<std::string> arguments = {},
                  tools::Screen screen = plain_screen) {
    arguments.insert(arguments.begin(), {"report", "--db", life.path});
    return run_tool(arguments, screen);
}

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items())
        keys.push_back(key);
    return keys;
}

}  // namespace

TEST_CASE("the report of a whole life, at 80 columns") {
    StoredLife life;
    Finding end = example_finding();
    end.cls = FindingClass::write_error;
    end.error = 30;
    life.find(end);
    life.end(RunState::failed, "the drive takes no more writes");
    const ToolResult result = report(life);
    CHECK(result.code == ExitCode::pass);
    CHECK(result.err.empty());
    check_golden("report_unicode.txt", result.out);
    tools::Screen ascii = plain_screen;
    ascii.unicode = false;
    check_golden("report_ascii.txt", report(life, {}, ascii).out);
}

TEST_CASE("counters that were held against what was written say what that showed") {
    StoredLife life;
    life.check_counters();
    tools::Screen wide = plain_screen;
    wide.columns = 200;
    const auto text = report(life, {}, wide).out;
    CHECK(text.find("counts in 1 GiB, as the catalogue has it") != std::string::npos);
    CHECK(text.find("NOT in 512 B as the catalogue has it") != std::string::npos);
    CHECK(text.find("STANDS STILL") != std::string::npos);
    const Json counters = Json::parse(report(life, {"--json"}).out).at("counters");
    REQUIRE(counters.size() == 3);
    CHECK(counters[1].at("verdict") == "contradicts");
    CHECK(counters[1].at("step_bytes") == 33'554'432);
    CHECK(counters[2].at("measured_step_bytes") == nullptr);
}

TEST_CASE("no amplification is told from a flash counter that stands still") {
    StoredLife life;
    CHECK(Json::parse(report(life, {"--json"}).out).at("waf").at("lifetime") == 1.25);
    life.check_counters("attribute 233 Flash_Writes");
    CHECK(Json::parse(report(life, {"--json"}).out).at("waf") == nullptr);
}

TEST_CASE("no line is wider than the screen") {
    StoredLife life;
    life.find(example_finding());
    life.check_counters();
    for (const std::size_t columns : {60U, 72U, 80U, 100U, 132U, 200U}) {
        tools::Screen screen = plain_screen;
        screen.columns = columns;
        for (const std::string& line : lines_of(report(life, {}, screen).out)) {
            CAPTURE(line);
            CHECK(tools::display_width(line) <= columns);
        }
    }
}

TEST_CASE("--json has the documented keys, in their order, and true numbers") {
    StoredLife life;
    life.find(example_finding());
    life.end(RunState::finished, "three passes");
    const ToolResult result = report(life, {"--json"});
    CHECK(result.code == ExitCode::findings);
    const Json json = Json::parse(result.out);
    CHECK(keys_of(json) == std::vector<std::string>{"schema", "drive", "run", "verdict", "tbw", "findings",
                                                    "wear", "waf", "forecast", "curves", "counters",
                                                    "sampling"});
    CHECK(json.at("schema") == 1);
    const auto has = [&json](const char* part, std::initializer_list<const char*> keys) {
        for (const char* key : keys)
            CHECK_MESSAGE(json.at(part).contains(key), key);
    };
    has("drive", {"model", "serial", "wwn", "firmware", "capacity_bytes", "logical_block_bytes", "transport",
                  "simulated"});
    has("run",
        {"id", "profile", "workload", "seed", "state", "started", "ended", "active_seconds", "passes"});
    has("verdict", {"result", "reasons"});
    has("tbw", {"written_bytes", "verified_bytes", "host_bytes_by_drive", "rated_bytes", "rating_source",
                "rated_used_percent"});
    CHECK(json.at("drive").at("simulated") == true);
    CHECK(json.at("run").at("seed") == 42);
    CHECK(json.at("run").at("state") == "finished");
    CHECK(json.at("run").at("started") == "2026-05-01T14:00:00.000Z");
    CHECK(json.at("run").at("active_seconds") == 180'000);
    CHECK(json.at("run").at("passes") == 50);
    CHECK(json.at("verdict").at("result") == "fail");
    CHECK(json.at("tbw").at("written_bytes") == 50 * StoredLife::pass_bytes);
    CHECK(json.at("tbw").at("host_bytes_by_drive") == 50 * StoredLife::pass_bytes);
    CHECK(json.at("tbw").at("rated_used_percent") == 125);
    CHECK(json.at("findings").at("total") == 1);
    CHECK(json.at("findings").at("by_class").size() == finding_class_count);
    CHECK(json.at("findings").at("by_class").at("bit-flip") == 1);
    const Json& retired = json.at("wear").at("retired_blocks");
    CHECK(retired.at("first") == 0);
    CHECK(retired.at("last") == 80);
    CHECK(retired.at("unit") == "blocks");
    CHECK(retired.at("per_tb").get<double>() == doctest::Approx(1.6));
    CHECK(retired.at("source") == "attribute 170 Bad_Blk_Ct_Lat");
    CHECK(!json.at("wear").contains("spare_percent"));
    CHECK(json.at("wear").at("temperature_c").at("per_tb").is_null());
    CHECK(json.at("waf").at("since_start").get<double>() == doctest::Approx(1.25));
    const Json& left = json.at("forecast").at("life_left_percent");
    CHECK(left.contains("tbw_at_end"));
    CHECK(left.at("tbw_at_end").get<double>() == doctest::Approx(50).epsilon(0.02));
    CHECK(json.at("forecast").at("percentage_used").contains("reason"));
    const Json& curve = json.at("curves").at("erase_count_avg");
    CHECK(curve.at("x") == "tbw");
    CHECK(curve.at("unit") == "P/E cycles");
    CHECK(curve.at("points").front() == Json::array({0.0, 0.0}));
    CHECK(curve.at("points").back() == Json::array({50.0, 3000.0}));
    CHECK(json.at("curves").at("write_rate").at("points").back().at(1).get<double>() ==
          doctest::Approx(1e12 / 1800));
}

TEST_CASE("a drive that tells nothing has a report all the same") {
    const ScratchDir dir;
    const std::string path = dir.file("db");
    {
        store::Store store(path, store::OpenMode::read_write);
        Drive drive;
        drive.key = "file:/data/x";
        drive.transport = "file";
        drive.capacity = {1'000'000};
        store.remember_drive(drive, true);
        CHECK(run_tool({"report", "--db", path}).code == ExitCode::insufficient_data);
        RunSpec spec;
        spec.profile = "burn-in";
        const RunId run = store.add_run(drive.key, spec, {}, at({}));
        Sample sample;
        sample.time = at({});
        sample.problem = "smartctl is not installed";
        store.add_sample(drive.key, run, sample);
    }
    const ToolResult text = run_tool({"report", "--db", path});
    CHECK(text.code == ExitCode::insufficient_data);
    CHECK(contains(text.out, "VERDICT: RUNNING"));
    CHECK(contains(text.out, "No wear counters: smartctl is not installed"));
    CHECK(contains(text.out, "unknown model"));
    CHECK(!contains(text.out, "TB written"));
    const Json json = Json::parse(run_tool({"report", "--db", path, "--json"}).out);
    CHECK(json.at("waf").is_null());
    CHECK(json.at("wear").empty());
    CHECK(json.at("curves").empty());
    CHECK(json.at("tbw").at("rated_bytes").is_null());
    CHECK(json.at("forecast").at("life_left_percent").contains("reason"));
}

TEST_CASE("what was written before us counts, where the drive tells it") {
    const ScratchDir dir;
    const std::string path = dir.file("db");
    {
        store::Store store(path, store::OpenMode::read_write);
        store.remember_drive(life_drive(), false);
        RunSpec spec;
        spec.rating = Bytes{100'000'000'000'000};
        const RunId run = store.add_run("sim:demo", spec, {}, at({}));
        Sample sample;
        sample.time = at({});
        sample.readings = {{Metric::host_bytes_written, 60'000'000'000'000, "x", Confidence::standard},
                           {Metric::percentage_used, 60, "y", Confidence::standard}};
        store.add_sample("sim:demo", run, sample);
    }
    const Json json = Json::parse(run_tool({"report", "--db", path, "--json"}).out);
    CHECK(json.at("tbw").at("rated_used_percent") == 60);
    CHECK(json.at("curves").at("percentage_used").at("points").front() == Json::array({60.0, 60.0}));
}

TEST_CASE("--csv writes the tables") {
    StoredLife life;
    life.find(example_finding());
    const std::string folder = life.dir.file("out/csv");
    const ToolResult result = report(life, {"--csv", folder});
    CHECK(contains(result.out, "wear.csv, passes.csv and findings.csv are written"));
    const auto wear = lines_of(text_of(folder + "/wear.csv"));
    CHECK(wear.at(0) == "time,tb_written,metric,value,unit,epoch,source\r");
    CHECK(wear.at(1).starts_with("2026-05-01T14:00:00.000Z,0,erase_count_avg,0,P/E cycles,"));
    CHECK(wear.at(1).ends_with(",\"attribute 173 MaxAvgErase_Ct, average\"\r"));
    CHECK(lines_of(text_of(folder + "/passes.csv")).size() == 1 + 2 * StoredLife::passes);
    const auto findings = lines_of(text_of(folder + "/findings.csv"));
    CHECK(findings.at(1) == "1,bit-flip,123456,1,4,2026-05-01T17:00:00.000Z,4,4,,1,0,0,same\r");
    CHECK(report(life, {"--csv", "/proc/nope"}).code == ExitCode::unreachable);
}

TEST_CASE("open alerts stand in the report, and all of them under alerts") {
    StoredLife life;
    CHECK(run_tool({"alerts", "--db", life.path}).out == "No alerts.\n");
    Alert alert;
    alert.drive_key = "sim:demo";
    alert.run = life.run;
    alert.rule = "retired-block-growth";
    alert.text = "retired blocks rose by 80 over the run's 0";
    alert.value = 80;
    alert.per_tb = 1.6;
    alert.since = alert.updated = at(std::chrono::hours(31));
    alert.id = life.store.save_alert(alert);
    CHECK(contains(report(life).out, "retired blocks rose by 80"));
    const ToolResult list = run_tool({"alerts", "--db", life.path});
    for (const char* part : {"OPEN", "retired-block-growth", "(SIMULATED)",
                             "80 over the baseline of 0, 1.6 per TB", "2026-05-02 21:00:00 UTC"})
        CHECK_MESSAGE(contains(list.out, part), part);
    const Json json = Json::parse(run_tool({"alerts", "--db", life.path, "--json"}).out);
    CHECK(json.at("alerts").at(0).at("growth") == 80);
    CHECK(json.at("alerts").at(0).at("acknowledged").is_null());
    CHECK(life.store.acknowledge_alert(alert.id, at(std::chrono::hours(52))));
    CHECK(!contains(report(life).out, "retired blocks rose"));
    CHECK(contains(run_tool({"alerts", "--db", life.path}).out, "acknowledged"));
}
