// The catalogue against the models of real drives, which are not a part of the project: skipped where they
// are not at hand.
#include "fixtures.h"
#include "health/ratings.h"

#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace wearout::health {
namespace {

/// TB, by hand from the sources that schema/ratings.tsv names; a drive that is not here has no rating.
const std::map<std::string, double> expected = {
    {"CT1000BX500SSD1", 360},
    {"CT1000MX500SSD1", 360},
    {"CT2000MX500SSD1", 700},
    {"CT240BX500SSD1", 80},
    {"CT250MX500SSD1", 100},
    {"CT480BX500SSD1", 120},
    {"CT500MX500SSD1", 180},
    {"Crucial_CT2050MX300SSD1", 400},
    {"INTEL SSDPE2MD400G4", 7300},
    {"INTEL SSDPED1K750GA", 41000},
    {"INTEL SSDPEDMD400G4", 7300},
    {"INTEL SSDPEDMD800G4", 14600},
    {"INTEL SSDPEDME400G4", 2190},
    {"INTEL SSDPEKKW256G7", 144},
    {"INTEL SSDPEKKW512G8", 288},
    {"INTEL SSDPEKNW010T8", 200},
    {"INTEL SSDSC2BA100G3", 1825},
    {"INTEL SSDSC2BA200G3", 3650},
    {"INTEL SSDSC2BA400G3", 7300},
    {"INTEL SSDSC2BX200G4", 1100},
    {"KINGSTON SA2000M81000G", 600},
    {"KINGSTON SEDC500M1920G", 4555.2},
    {"KINGSTON SEDC500R1920G", 1752},
    {"KINGSTON SUV500240G", 100},
    {"KINGSTON SUV500960G", 480},
    {"MTFDDAK128MAM-1J1", 72},
    {"Micron_5300_MTFDDAK1T9TDS", 5256},
    {"Micron_5300_MTFDDAK3T8TDS", 8410},
    {"SAMSUNG MZQLB1T9HAJR-00007", 2733.12},
    {"SAMSUNG MZQLB960HAJR-00007", 1366.56},
    {"Samsung SSD 860 EVO 1TB", 600},
    {"Samsung SSD 860 EVO 250GB", 150},
    {"Samsung SSD 860 EVO 2TB", 1200},
    {"Samsung SSD 860 EVO 4TB", 2400},
    {"Samsung SSD 860 EVO 500GB", 300},
    {"Samsung SSD 860 PRO 1TB", 1200},
    {"Samsung SSD 860 PRO 256GB", 300},
    {"Samsung SSD 860 PRO 2TB", 2400},
    {"Samsung SSD 860 PRO 4TB", 4800},
    {"Samsung SSD 860 PRO 512GB", 600},
    {"Samsung SSD 860 QVO 1TB", 360},
    {"Samsung SSD 860 QVO 2TB", 720},
    {"Samsung SSD 870 EVO 1TB", 600},
    {"Samsung SSD 870 EVO 2TB", 1200},
    {"Samsung SSD 870 QVO 1TB", 360},
    {"Samsung SSD 970 EVO 500GB", 300},
    {"Samsung SSD 970 EVO Plus 1TB", 600},
    {"Samsung SSD 970 EVO Plus 250GB", 150},
    {"Samsung SSD 970 EVO Plus 2TB", 1200},
    {"Samsung SSD 970 EVO Plus 500GB", 300},
    {"Samsung SSD 970 PRO 1TB", 1200},
    {"Samsung SSD 970 PRO 512GB", 600},
    {"SanDisk SDSSDH31000G", 400},
    {"WDC  WDS100T2B0A-00SM50", 400},
    {"WDC  WDS200T1R0A-68A4W0", 1300},
    {"WDC  WDS200T2B0A-00SM50", 500},
    {"WDC  WDS400T1R0A-68A4W0", 2500},
    {"WDC WDS100T2B0A", 400},
    {"WDC WDS100T2B0A-00SM50", 400},
    {"WDC WDS200T2B0A", 500},
    {"WDC WDS240G2G0A-00JH30", 80},
    {"WDC WDS250G2B0A-00SM50", 100},
    {"WDS100T3X0C-00SJG0", 600},
    {"WD_BLACK SN770 500GB", 300},
};

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');)
        all.push_back(cell);
    return all;
}

void check_drive(const std::string& model, Bytes capacity) {
    CAPTURE(model);
    const auto rating = find_rating({}, model, capacity);
    const auto wanted = expected.find(model);
    if (wanted == expected.end()) {
        CHECK_FALSE(rating);
        return;
    }
    REQUIRE(rating);
    CHECK(static_cast<double>(rating->bytes.value) / 1e12 == doctest::Approx(wanted->second).epsilon(1e-9));
    // The same drive with a quarter of its capacity, or four times of it, is not this one.
    CHECK_FALSE(find_rating({}, model, {capacity.value / 4}));
    CHECK_FALSE(find_rating({}, model, {capacity.value * 4}));
}

TEST_CASE("every drive of the table of wear by model is rated as expected, or not at all") {
    const auto folder = shared_samples();
    if (!folder) {
        MESSAGE("skipped: no sample files (WEAROUT_SHARED)");
        return;
    }
    std::istringstream table(read_file(*folder / "corpus_tb_per_100pct.tsv"));
    std::string line;
    std::getline(table, line);
    std::size_t rows = 0;
    for (; std::getline(table, line); ++rows) {
        const auto row = cells(line);
        REQUIRE(row.size() > 2);
        check_drive(row[1], {std::stoull(row[2]) * 1'000'000'000});
    }
    CHECK(rows > 200);
}

TEST_CASE("every sample with a model and a capacity is rated as expected, or not at all") {
    const auto folder = shared_samples();
    if (!folder) {
        MESSAGE("skipped: no sample files (WEAROUT_SHARED)");
        return;
    }
    std::size_t drives = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        if (entry.path().extension() != ".json") continue;
        const auto answer = nlohmann::json::parse(read_file(entry.path()), nullptr, false);
        if (!answer.is_object() || !answer.contains("model_name")) continue;
        const auto& capacity = answer.value("/user_capacity/bytes"_json_pointer, nlohmann::json());
        if (!capacity.is_number_unsigned()) continue;
        check_drive(answer["model_name"], {capacity.get<std::uint64_t>()});
        ++drives;
    }
    CHECK(drives > 50);
}

TEST_CASE("a name alone rates no drive of the list of samples") {
    const auto folder = shared_samples();
    if (!folder) {
        MESSAGE("skipped: no sample files (WEAROUT_SHARED)");
        return;
    }
    std::istringstream table(read_file(*folder / "MANIFEST.tsv"));
    for (std::string line; std::getline(table, line);) {
        const auto row = cells(line);
        if (row.size() > 2) CHECK_FALSE(find_rating({}, row[2], {0}));
    }
}

}  // namespace
}  // namespace wearout::health
