// What is read from the database: which run is meant, and its findings.

#include "tools/run_tool.h"
#include "tools/stored_life.h"

#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;

namespace {

ToolResult with_db(const StoredLife& life, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", life.path});
    return run_tool(arguments);
}

}  // namespace

TEST_CASE("a run is meant by its number, a drive's newest by the drive's names") {
    StoredLife life;
    const std::string first = std::to_string(life.run.value);
    life.end(RunState::finished, "");
    RunSpec spec;
    spec.profile = "scan";
    const RunId second = life.store.add_run("sim:demo", spec, life.checkpoint, at(std::chrono::hours(70)));
    for (const char* name : {"sim:demo", "sim:demo?size=256MiB", "SIM-1234"})
        CHECK(contains(with_db(life, {"report", name}).out, "profile scan"));
    CHECK(contains(with_db(life, {"report"}).out, "profile scan"));
    CHECK(contains(with_db(life, {"report", first}).out, "profile endurance"));
    CHECK(contains(with_db(life, {"report", std::to_string(second.value)}).out, "profile scan"));
    CHECK(with_db(life, {"report", "999"}).code == ExitCode::unreachable);
    CHECK(contains(with_db(life, {"report", "sim:other"}).err, "there are: sim:demo"));

    Drive twin = life_drive();
    twin.key = "sim:twin";
    life.store.remember_drive(twin, true);
    CHECK(with_db(life, {"report"}).code == ExitCode::usage);
    CHECK(contains(with_db(life, {"report", "SIM-1234"}).err, "sim:demo, sim:twin"));
    CHECK(with_db(life, {"report", "sim:twin"}).code == ExitCode::insufficient_data);
}

TEST_CASE("findings are blocks of lines, with evidence when asked for") {
    StoredLife life;
    const std::string run = std::to_string(life.run.value);
    const ToolResult none = with_db(life, {"findings", run});
    CHECK(none.code == ExitCode::pass);
    CHECK(none.out == "No findings in run " + run + ".\n");

    life.find(example_finding());
    const std::string block =
        "#1 bit-flip  LBA 123456 (byte 63,209,472), 1 sector\n"
        "    when        2026-05-01 17:00:00 UTC, pass 4\n"
        "    expected    generation 4\n"
        "    found       generation 4\n"
        "    flipped     1 bit: 1 to one, 0 to zero; the first in byte 17, mask 0x08\n"
        "    read again  the same wrong bytes again\n";
    const ToolResult one = with_db(life, {"findings", "SIM-1234"});
    CHECK(one.code == ExitCode::findings);
    CHECK(one.out == block);
    CHECK(with_db(life, {"findings", run, "--verbose"}).out ==
          block +
              "    byte  expected                 found\n"
              "      16  11 11 11 11 11 11 11 11  11 19 11 11 11 11 11 11\n");

    Finding stale = example_finding();
    stale.cls = FindingClass::misdirected;
    stale.flips_to_one = 0;
    stale.found = Generation{2};
    stale.source_lba = Lba{123'456 - 8};
    stale.torn_sectors = 0x81;
    stale.foreign_run = 0xabcd;
    stale.error = 5;
    life.find(stale);
    const std::string all = with_db(life, {"findings", run}).out;
    for (const char* part :
         {"#2 misdirected", "generation 2, 2 too old", "LBA 123448, -8 sectors away",
          "sectors with the older write: 0, 7", "000000000000abcd", "Input/output error (5)"})
        CHECK_MESSAGE(contains(all, part), part);

    const auto json = nlohmann::json::parse(with_db(life, {"findings", run, "--json"}).out);
    CHECK(json.at("total") == 2);
    const auto& first = json.at("findings").at(0);
    CHECK(first.at("class") == "bit-flip");
    CHECK(first.at("byte_offset") == 63'209'472);
    CHECK(first.at("source_lba").is_null());
    CHECK(first.at("actual_bytes").get<std::string>().size() == 1024);
    CHECK(first.at("actual_bytes").get<std::string>().substr(34, 2) == "19");
}

TEST_CASE("findings that were counted but not kept are told") {
    StoredLife life;
    life.checkpoint.counters.findings.ranges[0] = 5;
    life.find(example_finding());
    CHECK(with_db(life, {"findings", "sim:demo"}).out.ends_with("5 more were counted, but not kept.\n"));
}

TEST_CASE("--follow shows new findings until the run is over") {
    StoredLife life;
    life.find(example_finding());
    std::thread run([&life] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        life.find(example_finding());
        life.end(RunState::finished, "");
    });
    const ToolResult result = with_db(life, {"findings", "sim:demo", "--follow", "--json"});
    run.join();
    CHECK(result.code == ExitCode::findings);
    const auto lines = lines_of(result.out);
    REQUIRE(lines.size() == 2);
    CHECK(nlohmann::json::parse(lines[1]).at("sequence") == 2);
}

TEST_CASE("a file that is no database is refused and left alone") {
    const ScratchDir dir;
    const std::string path = dir.file("notes.txt");
    const std::string text(5000, 'x');
    std::ofstream(path) << text;
    for (const char* command : {"report", "alerts"}) {
        const ToolResult result = run_tool({command, "--db", path});
        CHECK(result.code == ExitCode::unreachable);
        CHECK(lines_of(result.err).size() == 1);
    }
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
}
