#include "health/text_values.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

TEST_CASE("numbers in groups of three, with the separators of any locale") {
    for (const char* text : {"337802357", "337,802,357", "337.802.357", "337 802 357", "337'802'357",
                             "337\xe2\x80\x99"
                             "802\xe2\x80\x99"
                             "357",
                             "337\xff"
                             "802\xff"
                             "357",
                             "337\xe2\x80\xaf"
                             "802\xe2\x80\xaf"
                             "357"})
        CHECK(grouped_digits(text) == "337802357");
    CHECK(grouped_digits("0") == "0");
    CHECK(grouped_digits("10.188") == "10188");
    for (const char* text : {"", "-", "1,23", "1,2345", "1234,567", "1,234.567", "1,234,", ",234", "1;234",
                             "12a", "1  234", "0x10", "-1", "1.5"})
        CHECK_MESSAGE(!grouped_digits(text), text);
    const auto held = rc::check("any number, any separator", [](std::uint64_t number) {
        const auto digits = std::to_string(number);
        const auto separator = *rc::gen::element<std::string>("", ",", ".", " ", "'", "\xc2\xa0");
        std::string grouped;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            if (i > 0 && (digits.size() - i) % 3 == 0) grouped += separator;
            grouped += digits[i];
        }
        RC_ASSERT(grouped_digits(grouped) == digits);
    });
    CHECK(held);
}

TEST_CASE("raw values from the formats that show all of their bytes") {
    CHECK(raw_of_printed("1047") == 1047);
    CHECK(raw_of_printed("0x0d0e0df00df0") == 0x0d0e0df00df0);
    CHECK(raw_of_printed("4992 (0 42)") == (42LL << 16 | 4992));
    CHECK(raw_of_printed("2486 (7 65535)") == (7LL << 32 | 65535LL << 16 | 2486));
    CHECK(raw_of_printed("48053 (118 202 0)") == (118LL << 40 | 202LL << 32 | 48053));
    CHECK(raw_of_printed("32 (0 16 0 0 1)") == (16LL << 32 | 1LL << 8 | 32));
    CHECK(raw_of_printed("3 0 7") == (3LL << 32 | 7));
    CHECK(raw_of_printed("0 1 2 3 4 5") == 0x000102030405);
    CHECK(raw_of_printed("51472h+52m+26.660s") == (3146660LL << 32 | 51472));
}

TEST_CASE("raw values that are not printed whole, or fit several formats, are not guessed") {
    for (const char* text : {"",
                             "2/556",
                             "1047 (Average 946)",
                             "27 (Min/Max 18/45)",
                             "45 (Min/Max 43/57 #2689)",
                             "1234h+56m",
                             "1234h+56m+07s",
                             "-11",
                             "33.5",
                             "70000 (0 42)",
                             "300 (0 16 0 0 1)",
                             "1 (256 0 0)",
                             "1 (2 3 4 5)",
                             "1 2",
                             "1 2 3 4",
                             "65536 0 0",
                             "99999999999999999999",
                             "0x",
                             "7 (",
                             "7 ()",
                             " (1 2)",
                             "1h+2m+3.4s",
                             "5h+400m+00.000s",
                             "text"})
        CHECK_MESSAGE(!raw_of_printed(text), text);
}

TEST_CASE("a raw value printed in a format that shows it comes back whole") {
    const auto held = rc::check("all formats", [] {
        const auto raw = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 48);
        const auto word = [raw](int i) { return raw >> (16 * i) & 0xffff; };
        const auto byte = [raw](int i) { return raw >> (8 * i) & 0xff; };
        RC_ASSERT(raw_of_printed(fmt::format("{}", raw)) == raw);
        RC_ASSERT(raw_of_printed(fmt::format("0x{:012x}", raw)) == raw);
        RC_ASSERT(raw_of_printed(fmt::format("{} {} {}", word(2), word(1), word(0))) == raw);
        RC_ASSERT(raw_of_printed(fmt::format("{} ({} {})", word(0), word(2), word(1))) == raw);
        RC_ASSERT(raw_of_printed(fmt::format("{} ({} {} {})", raw & 0xffffff, byte(5), byte(4), byte(3))) ==
                  raw);
        RC_ASSERT(raw_of_printed(fmt::format("{} ({} {} {} {} {})", byte(0), byte(5), byte(4), byte(3),
                                             byte(2), byte(1))) == raw);
        RC_ASSERT(raw_of_printed(fmt::format("{} {} {} {} {} {}", byte(5), byte(4), byte(3), byte(2), byte(1),
                                             byte(0))) == raw);
    });
    CHECK(held);
}

TEST_CASE("local times as ctime prints them") {
    const auto utc = parse_local_time("Wed Oct  1 10:46:20 2025 UTC");
    REQUIRE(utc);
    CHECK(utc->seconds == 1759315580);  // date -u -d '2025-10-01 10:46:20' +%s
    CHECK(utc->offset == 0);
    CHECK(parse_local_time("Tue Jul 27 11:03:39 2021 CEST")->seconds == 1627383819);
    CHECK_FALSE(parse_local_time("Tue Jul 27 11:03:39 2021 CEST")->offset);
    CHECK_FALSE(parse_local_time("Wed Mar 30 13:30:12 2022")->offset);
    CHECK(parse_local_time("Sat Apr  2 09:00:00 2022 +07")->offset == 7 * 3600);
    CHECK(parse_local_time("Sun Nov  1 09:00:00 2020 -0330")->offset == -(3 * 3600 + 30 * 60));
    for (const char* text :
         {"", "Sat Apr ... 2022 BST", "Wed Feb 30 13:30:12 2022", "Wed Mar 30 25:30:12 2022",
          "Wed Foo 30 13:30:12 2022", "Wed Mar 30 13-30-12 2022", "Wed Mar 30 13:30:12 22"})
        CHECK_MESSAGE(!parse_local_time(text), text);
}

}  // namespace
}  // namespace wearout::health
