// Stored samples, decoded anew.

#include "health/health_source.h"
#include "tools/golden.h"
#include "tools/run_tool.h"
#include "tools/stored_life.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace wearout;
using namespace wearout::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string fixtures = WEAROUT_SOURCE_DIR "/tests/health/fixtures/";

/// The stored life, whose own samples keep no answer, and two samples after it that do.
struct AskedLife : StoredLife {
    AskedLife() {
        add("hyperx-savage-new", std::chrono::hours(100), {});
        // As an older decoder may have stored it.
        add("hyperx-savage-worn", std::chrono::hours(200), 900);
    }

    void add(const std::string& fixture, std::chrono::hours when, std::optional<std::int64_t> erase_count) {
        const std::string text = text_of(fixtures + fixture + ".json");
        Sample sample = health::decode({.text = text, .problem = {}});
        sample.time = at(when);
        sample.reason = SampleReason::manual;
        if (erase_count) {
            sample.decoder = "an older one";
            for (Reading& reading : sample.readings)
                if (reading.metric == Metric::erase_count_avg) reading.value = *erase_count;
            std::erase_if(sample.readings,
                          [](const Reading& reading) { return reading.metric == Metric::crc_errors; });
        }
        store.add_sample("sim:demo", run, sample);
    }
};

ToolResult with_db(const AskedLife& life, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", life.path});
    return run_tool(arguments);
}

}  // namespace

TEST_CASE("report --explain decodes the newest sample anew, and tells what was stored otherwise") {
    const AskedLife life;
    const ToolResult result = with_db(life, {"report", "--explain"});
    CHECK(result.code == ExitCode::pass);
    CHECK(contains(result.out, "WEAROUT SIMULATED SSD (SIMULATED)\n"));
    CHECK(contains(result.out, "sample    53 of 53, 2026-05-09 22:00:00 UTC, manual"));
    CHECK(contains(result.out, "Decoded otherwise when it was stored"));
    CHECK(contains(result.out, "an older one"));
    CHECK(contains(result.out, "erase_count_avg  946 P/E cycles"));
    CHECK(contains(result.out, "attribute 173 MaxAvgErase_Ct, bytes 32 (verified)"));
    for (const std::string& line : lines_of(result.out))
        CHECK(line.size() <= 80);

    const auto json = Json::parse(with_db(life, {"report", "--explain", "--json"}).out);
    CHECK(json["sample"]["number"] == 53);
    CHECK(json["sample"]["decoder"] == "an older one");
    CHECK(json["drive"]["serial"] == "SIM-1234");
    CHECK(json["metrics"]["erase_count_avg"]["value"] == 946);
    CHECK(json["differences"] == Json::array({{{"metric", "erase_count_avg"}, {"stored", 900}, {"now", 946}},
                                              {{"metric", "crc_errors"}, {"stored", nullptr}, {"now", 0}}}));
}

TEST_CASE("report --sample takes a number or a moment") {
    const AskedLife life;
    const auto number_of = [&](const std::string& which) {
        return Json::parse(with_db(life, {"report", "--json", "--sample", which}).out)["sample"]["number"];
    };
    CHECK(number_of("52") == 52);
    CHECK(number_of("1") == 1);
    CHECK(number_of("2026-05-09 22:00:00") == 53);
    CHECK(number_of("2026-05-09T21:59:59Z") == 52);
    CHECK(number_of("2026-05-09 22:00") == 53);
    CHECK(number_of("2026-05-09") == 53);
    CHECK(number_of("2026-05-08") == 52);
    CHECK(number_of("2026-05-01") == 10);
    CHECK(number_of("2030-01-01") == 53);
    const auto differences =
        Json::parse(with_db(life, {"report", "--json", "--sample", "52"}).out)["differences"];
    CHECK(differences.empty());
    for (const char* wrong : {"0", "54", "2026-04-30", "yesterday", "2026-05-01 25:00", "-1"}) {
        const ToolResult result = with_db(life, {"report", std::string("--sample=") + wrong});
        CAPTURE(wrong);
        CHECK(result.code == ExitCode::usage);
        CHECK(result.err.starts_with("wearctl: --sample: "));
    }
    const ToolResult unkept = with_db(life, {"report", "--sample", "3"});
    CHECK(unkept.code == ExitCode::insufficient_data);
    CHECK(contains(unkept.out, "No answer of the drive was kept with this sample."));
}

TEST_CASE("drives --explain shows the newest sample of each drive, from the database") {
    const AskedLife life;
    const ToolResult result = with_db(life, {"drives", "--explain", "--socket", "/nonexistent/s"});
    CHECK(result.code == ExitCode::pass);
    CHECK(result.out == with_db(life, {"report", "--explain"}).out);
    const auto json = Json::parse(with_db(life, {"drives", "--explain", "--json"}).out);
    REQUIRE(json["drives"].size() == 1);
    CHECK(json["drives"][0]["metrics"]["erase_count_max"]["value"] == 1047);

    const ScratchDir dir;
    { const store::Store empty(dir.file("empty.db"), store::OpenMode::read_write); }
    CHECK(run_tool({"drives", "--explain", "--db", dir.file("empty.db")}).code ==
          ExitCode::insufficient_data);
    CHECK(run_tool({"drives", "--explain", "--db", "/nonexistent/db"}).code == ExitCode::unreachable);
}
