// wearctl ratings, and what reports and drives show of ratings.

#include "tools/fake_daemon.h"
#include "tools/run_tool.h"
#include "tools/stored_life.h"
#include "tools/wearctl/text.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t tera = 1'000'000'000'000;

/// A database in which the user has set ratings.
struct Rated {
    ScratchDir dir;
    std::string path = dir.file("db");
    store::Store store{path, store::OpenMode::read_write};
    Rated() {
        store.set_rating({"CT1000MX500SSD1", {}, {Bytes{123 * tera}, {}, {}}, at({})});
        store.set_rating({"ACME A1", {960'000'000'000}, {{}, 1300, 5}, at({})});
        store.set_rating({"ACME B2", {}, {{}, 500, 3}, at({})});
    }
    [[nodiscard]] ToolResult ratings(std::vector<std::string> words) const {
        words.insert(words.begin(), {"ratings", "--db", path});
        return run_tool(words);
    }
};

ToolResult without_database(std::vector<std::string> words) {
    words.insert(words.begin(), {"ratings", "--db", "/nonexistent/wearout.db"});
    return run_tool(words);
}

}  // namespace

TEST_CASE("the catalogue is shown without daemon and database") {
    const ToolResult result = without_database({"sedc500m480"});
    CHECK(result.code == ExitCode::pass);
    CHECK(contains(result.err, "only the catalogue is shown"));
    const auto lines = lines_of(result.out);
    REQUIRE(lines.size() == 5);
    CHECK(lines[1].starts_with("KINGSTON SEDC500M480G  480 GB  1139 TB   1.3      5  Review of the"));
    CHECK(lines[4].starts_with("  Review of the Kingston DC500M 480GB: "));
    const auto all = Json::parse(without_database({"--json"}).out);
    CHECK(all.at("schema") == 1);
    CHECK(all.at("ratings").size() >= 130);
    for (const Json& rating : all.at("ratings")) {
        CHECK(rating.at("by") == "catalogue");
        CHECK(rating.at("rated_bytes").get<std::uint64_t>() > 0);
        CHECK_FALSE(rating.at("address").get<std::string>().empty());
        CHECK(rating.at("overridden") == false);
    }
}

TEST_CASE("a pattern is a part of a name, or a drive's whole name") {
    const auto count = [](std::vector<std::string> words) {
        words.emplace_back("--json");
        return Json::parse(without_database(words).out).at("ratings").size();
    };
    CHECK(count({"970 EVO Plus"}) == 4);
    CHECK(count({"970", "evo", "plus"}) == 4);
    CHECK(count({"samsung_ssd_970_evo"}) == 8);
    CHECK(count({"WDC WDS100T2B0A-00SM50"}) == 1);
    CHECK(count({"KINGSTON"}) > 10);
    CHECK(count({"no such drive"}) == 0);
    CHECK(without_database({"no", "such"}).out ==
          "No rating is known for 'no such'. 'wearctl ratings set MODEL TBW' sets one.\n");
}

TEST_CASE("what the user has set comes first, and what it overrides is marked") {
    const Rated rated;
    const auto lines = lines_of(rated.ratings({}).out);
    REQUIRE(lines.size() > 130);
    CHECK(contains(lines[1], "ACME A1"));
    CHECK(contains(lines[1], "960 GB"));
    CHECK(contains(lines[1], "2277.6 TB"));
    CHECK(contains(lines[2], "ACME B2"));
    CHECK(contains(lines[2], "any"));
    CHECK(contains(lines[2], "  -  "));  // Its bytes depend on the drive.
    CHECK(contains(lines[3], "123 TB"));
    for (const auto& line : lines)
        CHECK(tools::display_width(line) <= 80);
    const auto json = Json::parse(rated.ratings({"ct1000mx500ssd1", "--json"}).out).at("ratings");
    REQUIRE(json.size() == 2);
    CHECK(json[0].at("by") == "user");
    CHECK(json[0].at("rated_bytes") == 123 * tera);
    CHECK(json[0].at("capacity_bytes").is_null());
    CHECK(json[0].at("address").is_null());
    CHECK(contains(json[0].at("source"), "set by the user, 2026-05-01"));
    CHECK(json[1].at("by") == "catalogue");
    CHECK(json[1].at("rated_bytes") == 360 * tera);
    CHECK(json[1].at("warranty_years") == 5);
    CHECK(json[1].at("dwpd").get<double>() == doctest::Approx(0.197));
    CHECK(json[1].at("overridden") == true);
    CHECK(contains(rated.ratings({"ct1000mx500ssd1"}).out, "overridden"));
}

TEST_CASE("a rating is set and forgotten through the daemon") {
    const FakeDaemon daemon;
    const auto ask = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"ratings", "--socket", daemon.socket()});
        return run_tool(words);
    };
    const ToolResult set = ask({"set", "Samsung SSD 970 EVO 1TB", "300TB"});
    CHECK(set.code == ExitCode::pass);
    CHECK(contains(set.out, "Samsung SSD 970 EVO 1TB is rated for 300TB"));
    CHECK(daemon.asked().back() ==
          R"(POST /v1/ratings {"model":"Samsung SSD 970 EVO 1TB","rating":"300TB","capacity":""})");
    CHECK(ask({"set", "ACME", "A1", "1.3DWPD/5y", "--capacity", "960GB"}).code == ExitCode::pass);
    CHECK(daemon.asked().back() ==
          R"(POST /v1/ratings {"model":"ACME A1","rating":"1.3DWPD/5y","capacity":"960GB"})");
    CHECK(ask({"set", "Wearout SIMULATED SSD 64 MiB (SIMULATED)", "1TB"}).code == ExitCode::pass);
    CHECK(contains(daemon.asked().back(), R"("model":"Wearout SIMULATED SSD 64 MiB",)"));
    CHECK(ask({"unset", "ACME", "A1"}).out == "The rating that was set for ACME A1 is forgotten.\n");
    CHECK(daemon.asked().back() == R"(POST /v1/ratings/unset {"model":"ACME A1","rating":"","capacity":""})");
    CHECK(Json::parse(ask({"set", "A1", "1TB", "--json"}).out).at("rating") == "1TB");
    CHECK(ask({"set", "A1", "refuse"}).code == ExitCode::usage);
}

TEST_CASE("what is missing or does not belong there is told") {
    CHECK(contains(without_database({"set"}).err, "give a model and its rating"));
    CHECK(without_database({"set", "A1"}).code == ExitCode::usage);
    CHECK(contains(without_database({"unset"}).err, "give a model"));
    CHECK(contains(without_database({"x", "--capacity", "1TB"}).err, "--capacity"));
    CHECK(run_tool({"ratings", "--socket", "/nonexistent/s", "set", "A1", "1TB"}).code ==
          ExitCode::unreachable);
}

TEST_CASE("a report of a run without a rating takes what is known by now") {
    const ScratchDir dir;
    const std::string path = dir.file("db");
    store::Store store(path, store::OpenMode::read_write);
    Drive drive;
    drive.key = "serial:M:1";
    drive.model = "CT1000MX500SSD1";
    drive.serial = "1";
    drive.transport = "sata";
    drive.capacity = {1'000'204'886'016};
    store.remember_drive(drive, false);
    RunSpec spec;
    spec.profile = "endurance";
    const RunId run = store.add_run(drive.key, spec, {}, at({}));
    Checkpoint checkpoint;
    checkpoint.state = RunState::failed;
    checkpoint.reason = "the drive takes no more writes";
    checkpoint.counters.written = checkpoint.counters.verified = Bytes{720 * tera};
    Finding end = example_finding();
    end.cls = FindingClass::write_error;
    end.sequence = checkpoint.counters.last_finding_sequence = 1;
    checkpoint.counters.findings.ranges.at(static_cast<std::size_t>(end.cls)) = 1;
    store.commit(run, {checkpoint, {end}, {}}, at(std::chrono::hours(60)));
    const auto report = [&path](bool as_json) {
        return run_tool(as_json ? std::vector<std::string>{"report", "--db", path, "--json"}
                                : std::vector<std::string>{"report", "--db", path});
    };
    CHECK(contains(report(false).out, "200.0 % of 360 TB, 0.197 DWPD over 5 years (Crucial's MX500"));
    auto json = Json::parse(report(true).out);
    CHECK(json.at("tbw").at("rated_bytes") == 360 * tera);
    CHECK(json.at("tbw").at("rated_dwpd").get<double>() == doctest::Approx(0.197));
    CHECK(json.at("tbw").at("warranty_years") == 5);
    CHECK(json.at("verdict").at("reasons").at(1) == "that is 200 % of its rating of 360 TB, beyond it");
    store.set_rating({"CT1000MX500SSD1", {}, {Bytes{1000 * tera}, {}, {}}, at({})});
    json = Json::parse(report(true).out);
    CHECK(json.at("tbw").at("rated_bytes") == 1000 * tera);
    CHECK(json.at("tbw").at("rating_source") == "set by the user");
    CHECK(json.at("tbw").at("rated_dwpd").is_null());
    CHECK(json.at("verdict").at("result") == "fail");
}
