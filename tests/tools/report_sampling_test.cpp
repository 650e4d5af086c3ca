#include "tools/wearctl/report_sampling.h"

#include "tools/run_tool.h"
#include "tools/stored_life.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::test;
using namespace std::chrono_literals;
using store::SamplingCost;

TEST_CASE("what sampling cost is one line, with both numbers where it is blamed for a stall") {
    SamplingCost cost;
    CHECK(tools::sampling_text(cost) == "the drive was never asked");
    cost.questions = 1;
    cost.median = 41ms;
    CHECK(tools::sampling_text(cost) == "1 question, median 41 ms");
    cost.questions = 1312;
    cost.unanswered = 3;
    cost.worst = IoStall{30ms, 17'500us};
    CHECK(tools::sampling_text(cost) ==
          "1312 questions, median 41 ms, 3 unanswered, longest stall it caused 12 ms (30 ms without a "
          "completion, where 18 ms was the longest just before)");
    cost.worst = IoStall{4'200us, 700us};
    CHECK(tools::sampling_text(cost).find("caused 3.5 ms (4.2 ms without a completion, where 0.7 ms") !=
          std::string::npos);
    cost.worst = IoStall{300ms, 300ms};
    CHECK(tools::sampling_text(cost) ==
          "1312 questions, median 41 ms, 3 unanswered, none held up the run's I/O");
}

TEST_CASE("report --json has it under sampling") {
    StoredLife life;
    Sample sample;
    sample.time = at(std::chrono::hours(51));
    sample.took = 2000ms;
    sample.stall = IoStall{30ms, 17'500us};
    life.store.add_sample("sim:demo", life.run, sample);
    const auto json = tools::Json::parse(run_tool({"report", "--db", life.path, "--json"}, plain_screen).out)
                          .at("sampling");
    CHECK(json.at("questions") == 52);
    CHECK(json.at("unanswered") == 1);
    CHECK(json.at("median_ms") == 0);
    CHECK(json.at("longest_ms") == 2000);
    CHECK(json.at("worst_stall").at("caused_ms") == 12.5);
    CHECK(json.at("worst_stall").at("gap_ms") == 30);
    CHECK(json.at("worst_stall").at("usual_gap_ms") == 17.5);
    CHECK(tools::sampling_json({}).is_null());
}
