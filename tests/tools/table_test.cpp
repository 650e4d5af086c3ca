#include "tools/wearctl/table.h"

#include "tools/run_tool.h"

#include <doctest/doctest.h>

using namespace wearout::tools;
using namespace wearout::test;

namespace {

Screen wide(std::size_t columns) {
    Screen screen = plain_screen;
    screen.columns = columns;
    return screen;
}

Table example() {
    Table table({{"RUN", Align::right},
                 {"DRIVE", Align::left, 6},
                 {"RATE", Align::right, 0, 2},
                 {"STATE", Align::left, 0, 1}});
    table.add({{"7"}, {"KINGSTON SHFS"}, {"417 MB/s"}, {"writing", Tone::good}});
    table.add({{"12"}, {"X25"}, {"-"}, {"failed"}});
    return table;
}

}  // namespace

TEST_CASE("columns are as wide as what stands in them") {
    CHECK(example().text(wide(80)) ==
          "RUN  DRIVE              RATE  STATE\n"
          "  7  KINGSTON SHFS  417 MB/s  writing\n"
          " 12  X25                   -  failed\n");
}

TEST_CASE("a narrow screen shrinks, then leaves out") {
    CHECK(example().text(wide(33)) ==
          "RUN  DRIVE          RATE  STATE\n"
          "  7  KINGSTON…  417 MB/s  writing\n"
          " 12  X25               -  failed\n");
    CHECK(example().text(wide(27)) ==
          "RUN DRIVE      RATE STATE\n"
          "  7 KINGS… 417 MB/s writing\n"
          " 12 X25           - failed\n");
    CHECK(example().text(wide(20)) ==
          "RUN  DRIVE   STATE\n"
          "  7  KINGS…  writing\n"
          " 12  X25     failed\n");
    CHECK(example().text(wide(12)) ==
          "RUN  DRIVE\n"
          "  7  KINGST…\n"
          " 12  X25\n");
}

TEST_CASE("colour surrounds the cell and does not count") {
    Screen screen = wide(80);
    screen.color = true;
    Table table({{"STATE"}, {"N", Align::right}});
    table.add({{"failed", Tone::bad}, {"1"}});
    CHECK(table.text(screen) ==
          "\033[1mSTATE \033[0m  \033[1mN\033[0m\n"
          "\033[1;31mfailed\033[0m  1\n");
}

TEST_CASE("cells can't break the table") {
    Table table({{"NAME"}, {"N"}});
    table.add({{"a\nb\033[31m"}});
    CHECK(table.text(wide(80)) == "NAME      N\na?b?[31m\n");
}

TEST_CASE("a listing breaks long values under themselves") {
    Listing listing;
    listing.add("a", "short");
    listing.add("name", "one two three four five six seven");
    CHECK(listing.text(wide(26)) ==
          "a     short\n"
          "name  one two three four\n"
          "      five six seven\n");
}
