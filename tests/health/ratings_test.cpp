#include "health/ratings.h"

#include "base/error.h"

#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::health;

namespace {

constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t tera = 1000 * giga;

/// TB of the built-in catalogue; 0: no rating.
double rated(std::string_view model, std::uint64_t bytes) {
    const auto rating = find_rating({}, model, {bytes});
    return rating ? static_cast<double>(rating->bytes.value) / static_cast<double>(tera) : 0;
}

std::string refusal(const std::string& text) {
    try {
        (void)parse_ratings(text);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

const std::string source_line = "source\tA data sheet\thttps://maker.test/sheet\n";

UserRating set_by_user(std::string model, std::uint64_t capacity, Endurance endurance, int at = 1) {
    return {std::move(model), {capacity}, endurance, WallTime(std::chrono::milliseconds(at))};
}

}  // namespace

TEST_CASE("the catalogue has at least 130 models, each with its source") {
    std::set<std::pair<std::string, std::uint64_t>> models;
    for (const auto& row : builtin_ratings()) {
        for (const auto& model : row.models)
            CHECK(models.emplace(model, row.capacity.value).second);
        CHECK_FALSE(row.title.empty());
        CHECK_FALSE(row.address.empty());
        // From a tenth of a drive write a day over five years to 100: nothing rated is outside of that.
        CHECK(row.bytes.value / row.capacity.value >= 30);
        CHECK(row.bytes.value / row.capacity.value <= 200'000);
    }
    CHECK(builtin_ratings().size() >= 130);
}

TEST_CASE("drives are rated as their makers say, whatever the system calls them") {
    CHECK(rated("CT1000MX500SSD1", 1'000'204'886'016) == 360);
    CHECK(rated("ct1000mx500ssd1 ", 1'000'204'886'016) == 360);
    CHECK(rated("KINGSTON SEDC500M480G", 480'103'981'056) == 1139);
    CHECK(rated("KINGSTON_SEDC500M480G", 480'103'981'056) == 1139);
    CHECK(rated("SEDC500M480G", 480'103'981'056) == 1139);
    CHECK(rated("KINGSTON SEDC500M3840G", 3'840'755'982'336) == 9110);
    CHECK(rated("KINGSTON SEDC500M960G", 960'197'124'096) == doctest::Approx(2277.6));
    CHECK(rated("SAMSUNG MZVPV512HDGL-00000", 512'110'190'592) == 500);
    CHECK(rated("Samsung SSD 970 EVO Plus 1TB", 1'000'204'886'016) == 600);
    CHECK(rated("Samsung_SSD_970_EVO_Plus_1TB", 1'000'204'886'016) == 600);
    CHECK(rated("Samsung SSD 850 EVO 1TB", 1'000'204'886'016) == 150);
    CHECK(rated("Samsung SSD 850 PRO 1TB", 1'024'209'543'168) == 300);
    CHECK(rated("SSDSA2SH032G1GN INTEL", 32'017'047'552) == 1000);
    CHECK(rated("INTEL SSDSA2SH032G1GN", 32'017'047'552) == 1000);
    CHECK(rated("Micron_5300_MTFDDAK1T9TDS", 1'920'383'410'176) == 5256);
    CHECK(rated("Micron 5300 MTFDDAK1T9TDS", 1'920'383'410'176) == 5256);
    CHECK(rated("WDC  WDS100T2B0A-00SM50", 1'000'204'886'016) == 400);
    CHECK(rated("WDC WDS100T2B0A", 1'000'204'886'016) == 400);
    CHECK(rated("WDS100T3X0C-00SJG0", 1'000'204'886'016) == 600);
    CHECK(rated("WD_BLACK SN770 500GB", 500'107'862'016) == 300);
    CHECK(rated("SanDisk SDSSDH3 1T00", 1'000'204'886'016) == 400);
    CHECK(rated("INTEL SSDSC2BA400G3", 400'088'457'216) == 7300);
}

TEST_CASE("a model that is only like another has no rating of that one") {
    const std::uint64_t tb = 1'000'204'886'016;
    for (const char* model : {"",
                              " ",
                              "_",
                              "KINGSTON",
                              "Samsung",
                              "Samsung SSD",
                              "CT1000MX500",
                              "CT1000MX500SSD",
                              "CT1000MX500SSD10",
                              "CT1000MX500SSD1-like",
                              "XCT1000MX500SSD1",
                              "MX500",
                              "Samsung SSD 970 EVO Pl",
                              "Samsung SSD 970 EVO Plus",
                              "Samsung SSD 970",
                              "Samsung SSD 970 EVO Plus 1TB X",
                              "970 EVO Plus 1TB",
                              "X SSD 970 EVO Plus 1TB",
                              "KINGSTON SSD 970 EVO Plus 1TB",
                              "Samsung SSD 860 EVO mSATA 1TB",
                              "Samsung SSD 860 EVO M.2 1TB",
                              "Samsung SSD 860 DCT 1TB",
                              "Samsung SSD 860 ",
                              "WDC WDS100T2B0B-00YS70",
                              "WDC WDS100T2B0A-",
                              "WDC WDS100T2B0A-00SM5",
                              "WDC WDS100T2B0A-00SM50X",
                              "WDC WDS100T2B0A-00SM5*",
                              "WDC WDS100T2B0A-*",
                              "WDC WDS100T2B0A00SM50",
                              "INTEL WDS100T2B0A",
                              "KINGSTON SA2000M8",
                              "WD_BLACK SN770",
                              "WD_BLACK SN770M 1TB",
                              "Samsung SSD 980 PRO with Heatsink 1TB"}) {
        CAPTURE(model);
        CHECK(rated(model, tb) == 0);
    }
    // A name that a SCSI inquiry has cut off at 16 characters.
    CHECK(rated("KINGSTON SEDC500", 480'103'981'056) == 0);
}

TEST_CASE("the capacity is a part of the match") {
    CHECK(rated("KINGSTON SEDC500M480G", 960'197'124'096) == 0);
    CHECK(rated("KINGSTON SEDC500M480G", 240'057'409'536) == 0);
    CHECK(rated("KINGSTON SEDC500M480G", 0) == 0);
    CHECK(rated("KINGSTON SEDC500M480G", UINT64_MAX) == 0);
    // Cut to a part of itself, as with a host protected area: another drive's rating it would be.
    CHECK(rated("CT1000MX500SSD1", 900 * giga) == 0);
    CHECK(rated("Samsung SSD 850 PRO 1TB", 1000 * giga) == 0);
    CHECK(rated("Samsung SSD 850 PRO 1TB", 1024 * giga) == 300);
    CHECK(rated("CT1000MX500SSD1", 990 * giga) == 360);
    CHECK(rated("CT1000MX500SSD1", 1010 * giga) == 360);
    CHECK(rated("CT1000MX500SSD1", 1010 * giga + 1) == 0);
    CHECK(rated("CT1000MX500SSD1", 990 * giga - 1) == 0);
}

TEST_CASE("the source says where a rating stands, and when it was worked out") {
    const auto told = find_rating({}, "CT250MX500SSD1", {250'059'350'016});
    REQUIRE(told);
    CHECK(told->source == "Crucial's MX500 product flyer, listed by check_smart");
    CHECK(told->endurance == Endurance{Bytes{100 * tera}, {}, 5});
    CHECK_FALSE(told->set);
    const auto worked_out = find_rating({}, "INTEL SSDSC2BA100G3", {100'030'242'816});
    REQUIRE(worked_out);
    CHECK(worked_out->bytes == Bytes{1825 * tera});
    CHECK(worked_out->source == "Intel SSD DC S3700 Series product specification, by DWPD");
}

TEST_CASE("no drive is rated by two rows") {
    const auto& rows = builtin_ratings();
    for (const auto& row : rows)
        for (const auto& model : row.models) {
            const bool any_suffix = model.ends_with("-*");
            const auto stem = any_suffix ? model.substr(0, model.size() - 2) : model;
            for (const auto& called : {stem, any_suffix ? stem + "-00AB12" : stem})
                for (const std::uint64_t per_mille : {990U, 1000U, 1010U}) {
                    CAPTURE(called);
                    std::size_t count = 0;
                    for (const auto& one : rows)
                        if (find_rated_model({&one, 1}, called, {row.capacity.value / 1000 * per_mille}))
                            ++count;
                    CHECK(count == 1);
                }
        }
}

TEST_CASE("what the user has set goes before the catalogue, for this capacity before for any") {
    const std::uint64_t tb = 1'000'204'886'016;
    std::vector users{set_by_user("ct1000mx500ssd1", 0, {Bytes{5 * tera}, {}, {}})};
    auto rating = find_rating(users, "CT1000MX500SSD1", {tb});
    REQUIRE(rating);
    CHECK(rating->bytes == Bytes{5 * tera});
    CHECK(rating->source == "set by the user");
    CHECK(rating->set == WallTime(std::chrono::milliseconds(1)));
    users.push_back(set_by_user("CT1000MX500SSD1", 1000 * giga, {Bytes{6 * tera}, {}, {}}, 0));
    CHECK(find_rating(users, "CT1000MX500SSD1", {tb})->bytes == Bytes{6 * tera});
    // Another capacity and another model keep theirs.
    CHECK(find_rating(users, "CT1000MX500SSD1", {500 * giga})->bytes == Bytes{5 * tera});
    CHECK(find_rating(users, "CT500MX500SSD1", {500'107'862'016})->bytes == Bytes{180 * tera});
    // Of two that fit equally well the later one holds.
    users.push_back(set_by_user("Crucial CT1000MX500SSD1", 1000 * giga, {Bytes{7 * tera}, {}, {}}, 9));
    CHECK(find_rating(users, "CT1000MX500SSD1", {tb})->bytes == Bytes{7 * tera});
    // Drive writes a day become bytes by the drive's own capacity.
    users = {set_by_user("ANY 1", 0, {{}, 1300, 5})};
    CHECK(find_rating(users, "any 1", {480 * giga})->bytes == Bytes{480 * giga / 10 * 13 * 1825});
    CHECK(find_rating(users, "any_1", {480 * giga})->source == "set by the user, by DWPD");
    CHECK_FALSE(find_rating(users, "any 1", {0}));
    CHECK_FALSE(find_rating(users, "any 12", {480 * giga}));
}

TEST_CASE("a row is read as it is written") {
    const auto rows = parse_ratings("# a comment\n\n" + source_line +
                                    "ACME A1 | ACME_A2\t480\t1139\t1.3\t5\nACME B-*\t32\t1366.56\t-\t-\n"
                                    "source\tOther\tbook, page 3\nACME C1234\t960\t-\t0.5\t3\n");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] == RatedModel{{"ACME A1", "ACME_A2"},
                                {480 * giga},
                                {Bytes{1139 * tera}, 1300, 5},
                                {1139 * tera},
                                "A data sheet",
                                "https://maker.test/sheet"});
    CHECK(rows[1].bytes == Bytes{1366 * tera + 560 * giga});
    CHECK(rows[2].bytes == Bytes{960 * giga / 2 * 365 * 3});
    CHECK(rows[2].title == "Other");
    CHECK(parse_ratings("\n").empty());
}

TEST_CASE("every mistake in the catalogue is an error that names its line") {
    const std::pair<const char*, const char*> mistakes[] = {
        {"ACME A1\t480\t100\t-", "with tabs between them"},
        {"ACME A1\t480\t100\t-\t5\tx", "with tabs between them"},
        {"ACME A1 480 100 - 5", "with tabs between them"},
        {"ACME A1\t\t100\t-\t5", "a column is empty"},
        {"ACME A1\t480\t100\t-\t5\t", "a column is empty"},
        {"ACME A1 \t480\t100\t-\t5", "with a space"},
        {"ACME A1\t480\t100\t-\t5\r", "a control character"},
        {"ACME A1\t0\t100\t-\t5", "GB: '0'"},
        {"ACME A1\t480GB\t100\t-\t5", "GB: '480GB'"},
        {"ACME A1\t-\t100\t-\t5", "GB: '-'"},
        {"ACME A1\t480\t0\t-\t5", "TBW is 0"},
        {"ACME A1\t480\t100TB\t-\t5", "TBW: '100TB'"},
        {"ACME A1\t480\t-1\t-\t5", "TBW: '-1'"},
        {"ACME A1\t480\t9999999\t-\t5", "too large"},
        {"ACME A1\t480\t-\t1,3\t5", "DWPD: '1,3'"},
        {"ACME A1\t480\t-\t0\t5", "DWPD: '0'"},
        {"ACME A1\t480\t-\t1.3\t0", "years: '0'"},
        {"ACME A1\t480\t-\t1.3\t5y", "years: '5y'"},
        {"ACME A1\t480\t-\t1.3\t-", "neither TBW nor both"},
        {"ACME A1\t480\t-\t-\t5", "neither TBW nor both"},
        {"ACME A1\t480\t-\t-\t-", "neither TBW nor both"},
        {"ACME A1\t480\t9110\t1.3\t5", "not what DWPD and years come to"},
        {"A1\t480\t100\t-\t5", "too short"},
        {"KINGSTON A1\t480\t100\t-\t5", "too short"},
        {"ACME *\t480\t100\t-\t5", "'*' elsewhere"},
        {"ACME A*1\t480\t100\t-\t5", "'*' elsewhere"},
        {"ACME A1|ACME A2\t480\t100\t-\t5", "'|' without spaces"},
        {"ACME  A1\t480\t100\t-\t5", "two spaces"},
        {"ACME A1 | ACME_A1\t480\t100\t-\t5", "stands there twice"},
        {"KINGSTON X1234\t480\t100\t-\t5\nX1234\t480\t100\t-\t5", "line 2 is about the same drive"},
        {"ACME A1\t480\t100\t-\t5\nacme_a1\t484\t90\t-\t5", "line 2 is about the same drive"},
        {"ACME A-*\t480\t100\t-\t5\nACME A-00AB12\t480\t90\t-\t5", "line 2 is about the same drive"},
        {"ACME A-00AB12\t480\t100\t-\t5\nACME A-*\t480\t90\t-\t5", "line 2 is about the same drive"},
        {"source\tonly a title", "a title and an address"},
        {"source\tOther\tthere", "the source before has no rows"},
    };
    for (const auto& mistake : mistakes) {
        const std::string line = mistake.first;
        const std::string complaint = mistake.second;
        CAPTURE(line);
        const auto message = refusal(source_line + line + "\n");
        CHECK(message.starts_with("rating catalogue, line "));
        CHECK_MESSAGE(message.find(complaint) != std::string::npos, message);
    }
    CHECK(refusal("ACME A1\t480\t100\t-\t5\n") == "rating catalogue, line 1: no source stands above it");
    CHECK(refusal(source_line + "ACME A1\t480\t100\t-\t5") ==
          "rating catalogue, line 0: the last line does not end");
    CHECK(refusal("") == "rating catalogue, line 0: the last line does not end");
    CHECK(refusal(source_line) == "rating catalogue, line 1: the source before has no rows");
    // The same model in two capacities, and neighbours that differ by more than drives of one size do.
    CHECK(refusal(source_line +
                  "ACME A1\t1000\t100\t-\t5\nACME A1\t1024\t100\t-\t5\nACME A1\t480\t90\t-\t5\n") ==
          "accepted");
}

TEST_CASE("any text is a catalogue or an error") {
    CHECK(rc::check("no other error", [] {
        const auto part = rc::gen::element<std::string>("source", "\t", "\n", "ACME A1", " | ", "-*", "480",
                                                        "-", "1.3", "5", "#", "\xff", " ");
        const auto parts = *rc::gen::container<std::vector<std::string>>(part);
        std::string text;
        for (const auto& one : parts)
            text += one;
        try {
            (void)parse_ratings(text);
        } catch (const Failure& failure) {
            RC_ASSERT(failure.code() == ExitCode::usage);
        }
    }));
}
