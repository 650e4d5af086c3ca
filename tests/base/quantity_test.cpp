#include "base/quantity.h"

#include "base/error.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace std::chrono_literals;

TEST_CASE("sizes are read exactly") {
    CHECK(parse_bytes("4096", "size") == Bytes{4096});
    CHECK(parse_bytes("0", "size") == Bytes{0});
    CHECK(parse_bytes("512MiB", "size") == Bytes{512ULL << 20U});
    CHECK(parse_bytes("1.5GB", "size") == Bytes{1'500'000'000});
    CHECK(parse_bytes("30 TB", "size") == Bytes{30'000'000'000'000});
    CHECK(parse_bytes("18446744073709551615", "size") == Bytes{UINT64_MAX});
    CHECK(parse_bytes("0.000001TB", "size") == Bytes{1'000'000});
}

TEST_CASE("what is no size is refused, with the text quoted") {
    for (const char* bad :
         {"", "-1", "+1", "x", "1XB", "1 G B", "1.GB", ".5GB", "1e3", "18446744073709551616", "20000PiB",
          "1.0000000001GB", "1GB ", " 1GB", "0x10", "nan"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS((void)parse_bytes(bad, "size"), Failure);
    }
    try {
        (void)parse_bytes("12 parsecs", "--tbw");
        FAIL("accepted");
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        CHECK(std::string(failure.what()).starts_with("--tbw: '12 parsecs'"));
    }
}

TEST_CASE("times are read exactly") {
    CHECK(parse_duration("90s", "for") == 90s);
    CHECK(parse_duration("500ms", "for") == 500ms);
    CHECK(parse_duration("1.5h", "for") == 90min);
    CHECK(parse_duration("7d", "for") == 168h);
    CHECK(parse_duration("0", "for") == 0ms);
    for (const char* bad : {"", "10", "-1s", "1w", "99999999999d", "1 h h"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS((void)parse_duration(bad, "for"), Failure);
    }
}

TEST_CASE("whole numbers keep to their range") {
    CHECK(parse_uint("3", "passes", 1, 10) == 3);
    for (const char* bad : {"0", "11", "3.0", "", "3 ", "99999999999999999999"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS((void)parse_uint(bad, "passes", 1, 10), Failure);
    }
}

TEST_CASE("bytes print as decimal units with three digits") {
    CHECK(format_bytes({0}) == "0 B");
    CHECK(format_bytes({999}) == "999 B");
    CHECK(format_bytes({1000}) == "1.00 kB");
    CHECK(format_bytes({999'600}) == "1.00 MB");
    CHECK(format_bytes({1'139'000'000'000'000}) == "1.14 PB");
    CHECK(format_bytes({12'345'678}) == "12.3 MB");
    CHECK(format_bytes({123'456'789'000}) == "123 GB");
    CHECK(format_bytes({UINT64_MAX}) == "18.4 EB");
    CHECK(format_capacity({256ULL << 20U}) == "256 MiB");
    CHECK(format_capacity({240'057'409'536}) == "240 GB");
    CHECK(format_capacity({1'000'000}) == "1.00 MB");
}

TEST_CASE("real numbers print with three digits and no exponent") {
    CHECK(format_real(9182.4) == "9,180");
    CHECK(format_real(1234567) == "1,230,000");
    CHECK(format_real(67) == "67");
    CHECK(format_real(99.96) == "100");
    CHECK(format_real(0.01234) == "0.0123");
    CHECK(format_real(-13.704) == "-13.7");
    CHECK(format_real(0) == "0");
    CHECK(format_real(0.5) == "0.5");
}

TEST_CASE("durations and moments print in one way") {
    CHECK(format_duration(4200ms) == "4.2s");
    CHECK(format_duration(200s) == "3m 20s");
    CHECK(format_duration(2h + 5min) == "2h 05m");
    CHECK(format_duration(28h) == "1d 04h");
    const WallTime moment =
        WallTime(std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}) + 14h + 3min + 22s + 7ms;
    CHECK(format_time(moment) == "2026-05-01 14:03:22");
    CHECK(format_iso_time(moment) == "2026-05-01T14:03:22.007Z");
}
