#include "tools/wearctl/plot.h"

#include "tools/run_tool.h"
#include "tools/wearctl/text.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout::tools;
using namespace wearout::test;
using wearout::analysis::Curve;

namespace {

Screen screen_of(std::size_t columns, bool unicode) {
    Screen screen = plain_screen;
    screen.columns = columns;
    screen.unicode = unicode;
    return screen;
}

PlotOptions options_of(std::string title) {
    PlotOptions options;
    options.title = std::move(title);
    options.rows = 5;
    return options;
}

}  // namespace

TEST_CASE("a straight line runs from corner to corner") {
    const Curve line{{0, 0}, {1, 100}};
    auto options = options_of("Life used, %");
    options.steps = false;
    CHECK(plot({{"", line}}, options, screen_of(30, true)) ==
          "Life used, %\n"
          "100 ┤                      ⢀⣀⠤\n"
          "    │                ⢀⣀⠤⠔⠒⠉⠁\n"
          " 50 ┤          ⣀⡠⠤⠔⠒⠉⠁\n"
          "    │    ⣀⡠⠤⠒⠊⠉\n"
          "  0 ┤⠤⠒⠊⠉\n"
          "    └┬───────────┬───────────┬\n"
          "     0          0.5        1.0\n"
          "                    TB written\n");
    CHECK(plot({{"", line}}, options, screen_of(30, false)) ==
          "Life used, %\n"
          "100 |                      ***\n"
          "    |                ******\n"
          " 50 |          ******\n"
          "    |    ******\n"
          "  0 |****\n"
          "    ++-----------+-----------+\n"
          "     0          0.5        1.0\n"
          "                    TB written\n");
}

TEST_CASE("a counter holds its value until it steps") {
    const Curve steps{{0, 0}, {5, 2}, {10, 2}};
    CHECK(plot({{"", steps}}, options_of("Retired blocks"), screen_of(26, false)) ==
          "Retired blocks\n"
          "2 |           ************\n"
          "  |           *\n"
          "1 |           *\n"
          "  |           *\n"
          "0 |************\n"
          "  ++----------+----------+\n"
          "   0          5         10\n"
          "                TB written\n");
}

TEST_CASE("two curves are told apart and named where they end") {
    const Curve low{{0, 0}, {4, 50}};
    const Curve high{{0, 0}, {4, 100}};
    auto options = options_of("P/E cycles");
    options.steps = false;
    const std::string drawn = plot({{"max", high}, {"avg", low}}, options, screen_of(40, false));
    const auto lines = lines_of(drawn);
    CHECK(lines.at(1).ends_with("* max"));
    CHECK(lines.at(3).ends_with("+ avg"));
}

TEST_CASE("what there is not is not drawn") {
    CHECK(plot({}, options_of("x"), screen_of(80, true)).empty());
    CHECK(plot({{"a", {}}}, options_of("x"), screen_of(80, true)).empty());
    CHECK(!plot({{"a", {{1, 1}}}}, options_of("x"), screen_of(80, true)).empty());
}

TEST_CASE("ticks are round and reach around the values") {
    CHECK(round_ticks(0, 100, 4) == std::vector<double>{0, 50, 100});
    CHECK(round_ticks(0, 298, 4) == std::vector<double>{0, 100, 200, 300});
    CHECK(round_ticks(3, 3, 2).size() >= 2);
    CHECK(rc::check("whatever the values", [] {
        const double low = *rc::gen::inRange(-1'000'000, 1'000'000) / 8.0;
        const double high = low + *rc::gen::inRange(0, 1'000'000) / 8.0;
        const auto ticks = round_ticks(low, high, 4);
        RC_ASSERT(ticks.size() >= 2U);
        RC_ASSERT(ticks.size() <= 8U);
        RC_ASSERT(ticks.front() <= low + 1e-6);
        RC_ASSERT(ticks.back() >= high - 1e-6);
    }));
}

TEST_CASE("no plot is wider than its screen or fails, whatever the points") {
    CHECK(rc::check("plots", [] {
        const auto columns = *rc::gen::inRange<std::size_t>(40, 120);
        const bool unicode = *rc::gen::arbitrary<bool>();
        std::vector<PlotSeries> series;
        for (const char* label : {"one", "two"}) {
            Curve curve;
            double tb = 0;
            for (int i = *rc::gen::inRange(0, 50); i > 0; --i) {
                tb += *rc::gen::inRange(0, 100'000) / 1e5;
                curve.push_back({tb, *rc::gen::inRange(-10'000'000, 10'000'000) / 1e2});
            }
            series.push_back({label, curve});
        }
        auto options = options_of("title");
        options.steps = *rc::gen::arbitrary<bool>();
        for (const auto& line : lines_of(plot(series, options, screen_of(columns, unicode))))
            RC_ASSERT(display_width(line) <= columns);
    }));
}
