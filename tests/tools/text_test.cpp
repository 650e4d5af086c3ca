#include "tools/wearctl/text.h"

#include "tools/wearctl/console.h"

#include <array>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout::tools;

TEST_CASE("what a drive says can't steer the terminal") {
    CHECK(printable("KINGSTON SHFS37A") == "KINGSTON SHFS37A");
    CHECK(printable("a\033[2Jb\nc\td") == "a?[2Jb?c?d");
    CHECK(printable("caf\xc3\xa9 \xe2\x82\xac") == "caf\xc3\xa9 \xe2\x82\xac");
    CHECK(printable("\xc2\x9b"
                    "31m") == "?31m");  // C1 control: CSI
    CHECK(printable("\xe2\x80\xae"
                    "abc") == "?abc");                           // right-to-left override
    CHECK(printable("\xff\xc0\xaf\xed\xa0\x80x") == "??????x");  // no UTF-8: overlong, surrogate
    CHECK(printable("\xe2\x82") == "??");
    CHECK(rc::check("whatever it was", [] {
        const auto text = printable(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
        for (const char c : text)
            RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
        RC_ASSERT(printable(text) == text);
    }));
}

TEST_CASE("width is what a terminal shows") {
    CHECK(display_width("") == 0);
    CHECK(display_width("abc") == 3);
    CHECK(display_width("\xc3\xa9") == 1);
    CHECK(display_width("e\xcc\x81") == 1);
    CHECK(display_width("\xe6\x97\xa5\xe6\x9c\xac") == 4);
}

TEST_CASE("too long a text ends in an ellipsis and is never too wide") {
    CHECK(truncated("KINGSTON", 8, true) == "KINGSTON");
    CHECK(truncated("KINGSTON", 5, true) == "KING…");
    CHECK(truncated("KINGSTON", 5, false) == "KING~");
    CHECK(truncated("KINGSTON", 0, true).empty());
    CHECK(truncated("\xe6\x97\xa5\xe6\x9c\xac", 3, true) == "\xe6\x97\xa5…");
    CHECK(truncated("\xe6\x97\xa5\xe6\x9c\xac", 2, true) == "…");
    CHECK(rc::check("any text", [] {
        const auto width = *rc::gen::inRange<std::size_t>(0, 20);
        const auto text = printable(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
        RC_ASSERT(display_width(truncated(text, width, true)) <= width);
    }));
}

TEST_CASE("text is filled and broken by columns") {
    CHECK(padded("\xc3\xa9", 3, Align::left) == "\xc3\xa9  ");
    CHECK(padded("7", 3, Align::right) == "  7");
    CHECK(padded("long", 2, Align::right) == "long");
    CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrapped("unbreakable", 4) == std::vector<std::string>{"unbreakable"});
    CHECK(wrapped("", 4) == std::vector<std::string>{""});
    CHECK(grouped(0) == "0");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(grouped(123456) == "123,456");
    CHECK(counted(1, "finding") == "1 finding");
    CHECK(counted(0, "finding") == "0 findings");
}

TEST_CASE("a slip of the fingers is understood, another word is not") {
    constexpr std::array<std::string_view, 3> known = {"status", "start", "stop"};
    CHECK(closest("sttaus", known) == "status");
    CHECK(closest("statu", known) == "status");
    CHECK(closest("strat", known) == "start");
    CHECK(closest("sto", known) == "stop");
    CHECK(closest("xyzzy", known).empty());
    CHECK(closest(std::string(100'000, 'a'), known).empty());
}

TEST_CASE("a bar fills in eighths") {
    CHECK(bar(0, 4, true) == "░░░░");
    CHECK(bar(50, 4, true) == "██░░");
    CHECK(bar(62.5, 4, true) == "██▌░");
    CHECK(bar(100, 4, true) == "████");
    CHECK(bar(250, 4, true) == "████");
    CHECK(bar(-3, 2, true) == "░░");
    CHECK(bar(62.5, 4, false) == "##..");
    CHECK(rc::check("it is always as wide as it should be", [] {
        const auto percent = *rc::gen::inRange(0, 1001) / 10.0;
        RC_ASSERT(display_width(bar(percent, 13, true)) == 13U);
        RC_ASSERT(bar(percent, 13, false).size() == 13U);
    }));
}
