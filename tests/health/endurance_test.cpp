#include "health/endurance.h"

#include "base/error.h"

#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::health;

namespace {

constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t tera = 1000 * giga;

std::string refusal(const std::string& text) {
    try {
        (void)parse_endurance(text, "--rating");
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("the formula gives what makers say of their drives") {
    const auto terabytes = [](std::uint32_t dwpd_milli, std::uint32_t years, std::uint64_t gb) {
        return (rated_bytes({{}, dwpd_milli, years}, {gb * giga}).value().value + tera / 2) / tera;
    };
    CHECK(terabytes(1300, 5, 480) == 1139);   // Kingston DC500M
    CHECK(terabytes(1300, 5, 3840) == 9110);  // Kingston DC500M
    CHECK(terabytes(1000, 5, 960) == 1752);   // Kingston DC600M
    CHECK(terabytes(3000, 5, 2000) == 10'950);
    CHECK(terabytes(10'000, 5, 2000) == 36'500);
}

TEST_CASE("bytes that are told go before what follows from drive writes a day") {
    CHECK(rated_bytes({Bytes{7}, 1300, 5}, {480 * giga}) == Bytes{7});
    CHECK(rated_bytes({Bytes{7}, {}, {}}, {}) == Bytes{7});
}

TEST_CASE("what says nothing, or comes to nothing that can be counted, is no rating") {
    CHECK_FALSE(rated_bytes({}, {480 * giga}));
    CHECK_FALSE(rated_bytes({{}, 1300, {}}, {480 * giga}));
    CHECK_FALSE(rated_bytes({{}, {}, 5}, {480 * giga}));
    CHECK_FALSE(rated_bytes({{}, 1300, 5}, {0}));
    CHECK_FALSE(rated_bytes({{}, 1'000'000, 100}, {UINT64_MAX}));
    CHECK_FALSE(dwpd_milli_of({tera}, {0}, 5));
    CHECK_FALSE(dwpd_milli_of({tera}, {giga}, 0));
    CHECK_FALSE(dwpd_milli_of({UINT64_MAX}, {1}, 1));
}

TEST_CASE("drive writes a day to bytes and back is the same") {
    CHECK(rc::check("both ways", [] {
        const auto milli = *rc::gen::inRange<std::uint32_t>(1, 100'001);
        const auto years = *rc::gen::inRange<std::uint32_t>(1, 11);
        const Bytes capacity{*rc::gen::inRange<std::uint64_t>(giga, 10 * tera)};
        const auto bytes = rated_bytes({{}, milli, years}, capacity);
        RC_ASSERT(bytes.has_value());
        RC_ASSERT(dwpd_milli_of(*bytes, capacity, years) == milli);
        // Against the formula in floating point.
        const double expected = milli / 1000.0 * 365 * years * static_cast<double>(capacity.value);
        RC_ASSERT(std::abs(static_cast<double>(bytes->value) - expected) <= 1 + expected * 1e-12);
    }));
    CHECK(dwpd_milli_of({600 * tera}, {1000 * giga}, 5) == 329);
}

TEST_CASE("a rating is read as bytes, or as drive writes a day over years") {
    CHECK(parse_endurance("300TB", "x") == Endurance{Bytes{300 * tera}, {}, {}});
    CHECK(parse_endurance("300 TBW", "x") == Endurance{Bytes{300 * tera}, {}, {}});
    CHECK(parse_endurance("1.5 PB", "x") == Endurance{Bytes{1500 * tera}, {}, {}});
    CHECK(parse_endurance("1.3DWPD/5y", "x") == Endurance{{}, 1300, 5});
    CHECK(parse_endurance("1.3 DWPD/ 5y", "x") == Endurance{{}, 1300, 5});
    CHECK(parse_endurance("0.001DWPD/100y", "x") == Endurance{{}, 1, 100});
    CHECK(parse_endurance("1000DWPD/1y", "x") == Endurance{{}, 1'000'000, 1});
}

TEST_CASE("what is no rating is quoted, with both ways to write one") {
    for (const char* text : {"",
                             "0",
                             "0TB",
                             "TB",
                             "300TW",
                             "300TBWW",
                             "BW",
                             "-1TB",
                             "99999PB",
                             "1.3DWPD",
                             "1.3DWPD/",
                             "1.3DWPD/5",
                             "1.3DWPD/y",
                             "1.3DWPD/0y",
                             "1.3DWPD/101y",
                             "1.3DWPD/5.5y",
                             "1.3DWPD/-5y",
                             "DWPD/5y",
                             "0DWPD/5y",
                             "0.0DWPD/5y",
                             "0.0001DWPD/5y",
                             "1.DWPD/5y",
                             ".5DWPD/5y",
                             "1001DWPD/5y",
                             "1,3DWPD/5y",
                             "1e3DWPD/5y",
                             "+1DWPD/5y",
                             "1.3dwpd/5y",
                             "4294967297DWPD/5y",
                             "1.3DWPD/5yDWPD/5y"}) {
        CAPTURE(text);
        const auto message = refusal(text);
        CHECK(message.starts_with("--rating: '" + std::string(text) + "' is not a rating"));
        CHECK(message.find("300TB") != std::string::npos);
        CHECK(message.find("1.3DWPD/5y") != std::string::npos);
    }
}

TEST_CASE("any text is read or refused") {
    CHECK(rc::check("no other error", [] {
        const auto text = *rc::gen::container<std::string>(
            rc::gen::element('0', '1', '9', '.', 'D', 'W', 'P', '/', 'y', ' ', 'T', 'B', '-', '\0', '\xff'));
        try {
            const auto endurance = parse_endurance(text, "x");
            RC_ASSERT(endurance.tbw.has_value() != endurance.dwpd_milli.has_value());
            RC_ASSERT(endurance.years.has_value() == endurance.dwpd_milli.has_value());
        } catch (const Failure& failure) {
            RC_ASSERT(failure.code() == ExitCode::usage);
        }
    }));
}

TEST_CASE("drive writes a day are printed without zeros at the end") {
    CHECK(dwpd_text(1300) == "1.3");
    CHECK(dwpd_text(329) == "0.329");
    CHECK(dwpd_text(10'000) == "10");
    CHECK(dwpd_text(1) == "0.001");
    CHECK(dwpd_text(1300, 5) == "1.3 DWPD over 5 years");
    CHECK(dwpd_text(500, 1) == "0.5 DWPD over 1 year");
}
