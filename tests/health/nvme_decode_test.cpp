#include "health/decode.h"
#include "nvme_layouts.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

using enum Metric;
using Values = std::map<Metric, std::int64_t>;

constexpr int micron = 0x1344;
constexpr int western_digital = 0x1b96;

/// Bytes 511:496 of log C0h, as the OCP Datacenter NVMe SSD specification (2.0, SMART-20) has them.
const std::vector<int> ocp_guid{0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
                                0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

LogPageBytes ocp() {
    return LogPageBytes(0xc0)
        .put(0, 16, 39074645999616)  // Physical media units written.
        .put(16, 16, 36265469677568)
        .put(32, 6, 7)    // Bad user NAND blocks, raw
        .put(38, 2, 100)  // and normalised.
        .put(40, 6, 3)    // Bad system NAND blocks.
        .put(46, 2, 99)
        .put(56, 8, 5)    // Uncorrectable read errors.
        .put(88, 4, 45)   // Erase count: maximum,
        .put(92, 4, 16)   // minimum,
        .put(224, 8, 30)  // average.
        .put(494, 2, 5)   // Version of the page.
        .put_bytes(496, ocp_guid);
}

const Values ocp_values{{nand_bytes_written, 39074645999616},
                        {retired_blocks, 10},
                        {uncorrectable, 5},
                        {erase_count_max, 45},
                        {erase_count_min, 16},
                        {erase_count_avg, 30}};

bool lists(const Sample& sample, const std::string& name, const std::string& value) {
    return std::find(sample.unknown.begin(), sample.unknown.end(), UnknownField{name, value}) !=
           sample.unknown.end();
}

TEST_CASE("OCP log C0h, of any vendor") {
    const auto sample = decode_text(nvme_json(0xabcd) + ocp().line());
    CHECK(from_logs(sample) == ocp_values);
    CHECK(sample.unknown.empty());
    CHECK(sample.problem.empty());
    CHECK(source_of(sample, nand_bytes_written) == "NVMe log C0h (OCP), physical media units written");
    CHECK(source_of(sample, retired_blocks) == "NVMe log C0h (OCP), bad user and system NAND blocks");
    CHECK(sample.readings.front().confidence == Confidence::standard);
    CHECK(sample.decoder.starts_with("catalogue NVMe 1, OCP Datacenter NVMe SSD 1; smartctl 7.3"));
    CHECK(value_of(sample, host_bytes_written) == 2000 * 512000);
}

TEST_CASE("OCP log C0h: what is not reported, or too long, is left out") {
    const std::uint64_t all = ~0ULL;
    CHECK(value_of(decode_text(nvme_json(1) + ocp().put(40, 6, all).line()), retired_blocks) == 7);
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(32, 6, all).line()), retired_blocks));
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(0, 16, 0).line()), nand_bytes_written));
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(224, 8, 0).line()), erase_count_avg));
    CHECK(value_of(decode_text(nvme_json(1) + ocp().put(92, 4, 0).line()), erase_count_min) == 0);
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(88, 4, all).line()), erase_count_max));
    CHECK(value_of(decode_text(nvme_json(1) + ocp().put(0, 8, INT64_MAX).line()), nand_bytes_written) ==
          INT64_MAX);
    CHECK_FALSE(
        value_of(decode_text(nvme_json(1) + ocp().put(0, 8, 1ULL << 63U).line()), nand_bytes_written));
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(8, 1, 1).line()), nand_bytes_written));
    CHECK_FALSE(value_of(decode_text(nvme_json(1) + ocp().put(15, 1, 1).line()), nand_bytes_written));
}

TEST_CASE("log C0h without OCP's GUID is not decoded, and shown") {
    const auto other = decode_text(nvme_json(0xabcd) + ocp().put(511, 1, 0).line());
    CHECK(from_logs(other).empty());
    REQUIRE(unknown_names(other) == std::vector<std::string>{"NVMe log C0h"});
    CHECK(other.unknown[0].value ==
          "512 bytes: 000065c6892300000000000000000000001070b6fb2000000000000000000000...");
    const auto cut = decode_text(nvme_json(0xabcd) + ocp().truncate(500).line());
    CHECK(from_logs(cut).empty());
    CHECK(unknown_names(cut) == std::vector<std::string>{"NVMe log C0h"});
    const auto twice = decode_text(nvme_json(0xabcd) + ocp().line() + ocp().line());
    CHECK(from_logs(twice).empty());
    CHECK(unknown_names(twice) == std::vector<std::string>{"NVMe log C0h", "NVMe log C0h"});
    // The same bytes elsewhere, or from a drive that is no NVMe one.
    CHECK(from_logs(decode_text(nvme_json(0xabcd) + replaced(ocp().line(), "0xc0", "0xc1"))).empty());
    CHECK_FALSE(value_of(decode_text(fixture("sas-ssd") + ocp().line()), nand_bytes_written));
}

TEST_CASE("a log of zeroes or of ones tells nothing") {
    for (const int id : {0xc0, 0xca, 0xd0, 0xe1, 0xfb, 0xc4, 0x09})
        for (const int byte : {0, 0xff})
            for (const auto& pci : {pci_line(micron, 0x51a2), pci_line(western_digital, 0x2400),
                                    pci_line(0x8086, 0x0a54), pci_line(0x1bb1, 1)}) {
                const auto log = LogPageBytes(id).put_bytes(0, std::vector<int>(512, byte)).line();
                const auto sample = decode_text(nvme_json(1, "XP800HE30002") + pci + log);
                CHECK(from_logs(sample).empty());
                CHECK(lists(sample, log_name(id), fmt::format("512 bytes, all {:02x}", byte)));
            }
}

struct Item {
    int id;
    std::uint64_t raw;
};

/// A list of 12-byte items: id, 2 unused, normalised, unused, 6 of raw value, unused.
LogPageBytes item_list(const std::vector<Item>& items) {
    LogPageBytes log(0xca);
    for (std::size_t i = 0; i < items.size(); ++i)
        log.put(12 * i, 1, static_cast<std::uint64_t>(items[i].id))
            .put(12 * i + 3, 1, 100)
            .put(12 * i + 5, 6, items[i].raw);
    return log;
}

const std::vector<Item> intel_items{{0xab, 2},    {0xac, 3},  {0xad, 400ULL << 32U | 500ULL << 16U | 300},
                                    {0xb8, 0},    {0xc7, 6},  {0xe2, 1024},
                                    {0xf4, 1000}, {0xf5, 900}};
const Values intel_values{{program_fails, 2},
                          {erase_fails, 3},
                          {erase_count_min, 300},
                          {erase_count_max, 500},
                          {erase_count_avg, 400},
                          {crc_errors, 6},
                          {nand_bytes_written, 1000LL << 25U}};

TEST_CASE("log CAh: Intel's and Solidigm's items, in any order") {
    for (const int vendor : {0x8086, 0x025e})
        CHECK(from_logs(decode_text(nvme_json(vendor, "INTEL SSDPE2KX010T8") +
                                    item_list(intel_items).line())) == intel_values);
    CHECK(rc::check("order", [] {
        auto items = intel_items;
        std::shuffle(items.begin(), items.end(), std::mt19937(*rc::gen::arbitrary<unsigned>()));
        RC_ASSERT(from_logs(decode_text(nvme_json(0x8086) + item_list(items).line())) == intel_values);
    }));
    const auto sample = decode_text(nvme_json(0x8086) + item_list(intel_items).line());
    CHECK(sample.unknown.empty());
    // The standard's counter goes before the vendor's.
    CHECK(value_of(sample, host_bytes_written) == 2000 * 512000);
    CHECK(source_of(sample, host_bytes_written) == "NVMe log 02h, data units written");
    const auto alone =
        decode_text(replaced(nvme_json(0x8086), "\"data_units_written\": 2000", "\"data_units_written\": 0") +
                    item_list(intel_items).line());
    CHECK(value_of(alone, host_bytes_written) == 900LL << 25U);
    CHECK(source_of(alone, host_bytes_written) == "NVMe log CAh, host bytes written");
}

TEST_CASE("log CAh: doubled, unknown, saturated and cut items") {
    auto items = intel_items;
    items.push_back({0xf4, 1000});
    items.push_back({0x77, 0x123456});
    const auto doubled = decode_text(nvme_json(0x8086) + item_list(items).line());
    CHECK_FALSE(value_of(doubled, nand_bytes_written));
    CHECK(value_of(doubled, erase_count_avg) == 400);
    CHECK(unknown_names(doubled) == std::vector<std::string>{"NVMe log CAh, item F4h",
                                                             "NVMe log CAh, item F4h",
                                                             "NVMe log CAh, item 77h"});
    CHECK(lists(doubled, "NVMe log CAh, item 77h", "0000640056341200000000"));
    const auto full = decode_text(
        nvme_json(0x8086) + item_list({{0xad, ~0ULL}, {0xf4, ~0ULL}, {0xab, (1ULL << 48U) - 2}}).line());
    CHECK(from_logs(full) == Values{{program_fails, (1LL << 48U) - 2}});
    const auto cut = decode_text(nvme_json(0x8086) + item_list(intel_items).truncate(3 * 12 - 1).line());
    CHECK(from_logs(cut) == Values{{program_fails, 2}, {erase_fails, 3}});
    const auto sectors = decode_text(nvme_json(0x8086) + item_list({{0x05, 12}}).line());
    CHECK(from_logs(sectors).empty());
    CHECK(lists(sectors, "NVMe log CAh, re-allocated sectors", "12"));
}

TEST_CASE("log CAh: only of the vendors and models that keep it so") {
    const auto log = item_list(intel_items).line();
    for (const auto* model : {"INTEL SSDPEKKA512G8", "INTEL MEMPEK1W032GA"})
        CHECK(from_logs(decode_text(nvme_json(0x8086, model) + log)).empty());
    CHECK(from_logs(decode_text(nvme_json(0x144d) + log)).empty());
    CHECK(unknown_names(decode_text(nvme_json(0x144d) + log)) == std::vector<std::string>{"NVMe log CAh"});
    CHECK(from_logs(decode_text(nvme_json(0x1c5f, "P5920DT0384T00") + log)) == intel_values);
    CHECK(from_logs(decode_text(nvme_json(0x1c5f, "P6530DT0384M00") + log)) == intel_values);
    for (const auto* old : {"P5420DT0384T00", "P3600"})
        CHECK(from_logs(decode_text(nvme_json(0x1c5f, old) + log)).empty());
    auto without_unit = intel_values;
    without_unit.erase(nand_bytes_written);
    for (const int vendor : {0x1e49, 0x1e3b, 0xcc53}) {
        const auto sample = decode_text(nvme_json(vendor) + log);
        CHECK(from_logs(sample) == without_unit);
        CHECK(lists(sample, "NVMe log CAh, NAND written, in a unit that is not known", "1000"));
    }
}

TEST_CASE("Micron: log FBh in both forms") {
    // TLC and SLC are added up; offsets by hand from the sizes of the fields before.
    const auto second = LogPageBytes(0xfb)
                            .put(0, 16, 5000000)
                            .put(16, 16, 400000)
                            .put(32, 2, 100)
                            .put(34, 6, 11)
                            .put(48, 8, 2)
                            .put(84, 8, 61)
                            .put(92, 8, 69)
                            .put(100, 8, 65)
                            .put(134, 6, 8)
                            .put(142, 6, 9)
                            .put(220, 6, 1)
                            .line();
    const Values expected{
        {nand_bytes_written, 5400000}, {retired_blocks, 12},  {uncorrectable, 2}, {erase_count_min, 61},
        {erase_count_max, 69},         {erase_count_avg, 65}, {program_fails, 8}, {erase_fails, 9}};
    CHECK(from_logs(decode_text(nvme_json(micron) + pci_line(micron, 0x51a2) + second)) == expected);
    const auto first = LogPageBytes(0xfb)
                           .put(0, 16, 5000000)
                           .put(16, 16, 400000)
                           .put(32, 2, 100)
                           .put(34, 6, 11)
                           .put(48, 8, 2)
                           .put(73, 8, 61)
                           .put(81, 8, 69)
                           .put(107, 6, 8)
                           .put(115, 6, 9)
                           .put(183, 6, 1)
                           .line();
    auto without_average = expected;
    without_average.erase(erase_count_avg);
    CHECK(from_logs(decode_text(nvme_json(micron) + pci_line(micron, 0x5410) + first)) == without_average);
    // smartctl tells the vendor alone, which is not enough.
    const auto unknown = decode_text(nvme_json(micron) + second);
    CHECK(from_logs(unknown).empty());
    CHECK(unknown_names(unknown) == std::vector<std::string>{"NVMe log FBh"});
}

TEST_CASE("Micron: logs D0h, both, and E1h beside OCP's") {
    const auto d0 =
        LogPageBytes(0xd0).put(12, 4, 21).put(96, 8, 4).put(144, 16, 17).put(176, 8, 123456789).line();
    CHECK(
        from_logs(decode_text(nvme_json(micron) + pci_line(micron, 0x5405) + d0)) ==
        Values{{nand_bytes_written, 123456789}, {retired_blocks, 21}, {program_fails, 17}, {erase_fails, 4}});
    const auto nitro = LogPageBytes(0xd0)
                           .put(4, 4, 31)
                           .put(20, 4, 99000)
                           .put(24, 4, 5)
                           .put(28, 4, 6)
                           .put(96, 4, 2)
                           .put(100, 4, 10)
                           .put(104, 4, 20)
                           .put(108, 4, 30)
                           .line();
    CHECK(from_logs(decode_text(nvme_json(micron) + pci_line(micron, 0x6001) + nitro)) ==
          Values{{retired_blocks, 31},
                 {erase_count_total, 99000},
                 {erase_fails, 5},
                 {program_fails, 6},
                 {uncorrectable, 2},
                 {erase_count_min, 10},
                 {erase_count_avg, 20},
                 {erase_count_max, 30}});
    const auto e1 = LogPageBytes(0xe1, 256)
                        .put(12, 4, 9)
                        .put(16, 4, 70)
                        .put(80, 8, 88000)
                        .put(96, 8, 1)
                        .put(112, 8, 6)
                        .put(144, 16, 2)
                        .put(176, 16, 777)
                        .put(244, 4, 40)
                        .put(248, 4, 50)
                        .put(252, 4, 60)
                        .line();
    const auto cx = pci_line(micron, 0x51c3);
    const auto sample = decode_text(nvme_json(micron) + cx + e1);
    CHECK(from_logs(sample) == Values{{retired_blocks, 9},
                                      {erase_count_max, 60},
                                      {erase_count_total, 88000},
                                      {erase_fails, 1},
                                      {uncorrectable, 6},
                                      {program_fails, 2},
                                      {erase_count_min, 40},
                                      {erase_count_avg, 50}});
    CHECK(lists(sample, "NVMe log E1h, bytes written, by the host or to the NAND", "777"));
    auto both = ocp_values;
    both.merge(Values{{erase_count_total, 88000}, {erase_fails, 1}, {program_fails, 2}});
    CHECK(from_logs(decode_text(nvme_json(micron) + cx + e1 + ocp().line())) == both);
}

TEST_CASE("Western Digital: log CAh in both forms, told apart by what is in it") {
    const auto statistics = LogPageBytes(0xca)
                                .put(0, 16, 987654321000)
                                .put(32, 2, 100)
                                .put(34, 6, 13)
                                .put(40, 8, 1)
                                .put(0x40, 1, 5)
                                .put(0x41, 4, 1234)
                                .put(0x45, 4, 987)
                                .put(0x51, 2, 100)
                                .put(0x53, 6, 3)
                                .put(0x59, 2, 100)
                                .put(0x5b, 6, 2);
    const auto pci = pci_line(western_digital, 0x2400);
    CHECK(from_logs(decode_text(nvme_json(western_digital) + pci + statistics.line())) ==
          Values{{nand_bytes_written, 987654321000},
                 {retired_blocks, 13},
                 {uncorrectable, 1},
                 {erase_count_max, 1234},
                 {erase_count_min, 987},
                 {program_fails, 3},
                 {erase_fails, 2}});
    std::vector<Item> items;
    for (int id = 0; id <= 12; ++id)
        items.push_back({id, static_cast<std::uint64_t>(id) + 100});
    items[2].raw = 400ULL << 32U | 500ULL << 16U | 300;
    const auto list = decode_text(nvme_json(western_digital) + pci + item_list(items).line());
    CHECK(from_logs(list) == Values{{program_fails, 100},
                                    {erase_fails, 101},
                                    {erase_count_min, 300},
                                    {erase_count_max, 500},
                                    {erase_count_avg, 400},
                                    {crc_errors, 104}});
    CHECK(lists(list, "NVMe log CAh, NAND written, in a unit that is not known", "111"));
    auto neither = statistics;
    const auto other = decode_text(nvme_json(western_digital) + pci + neither.put(200, 1, 1).line());
    CHECK(from_logs(other).empty());
    CHECK(unknown_names(other) == std::vector<std::string>{"NVMe log CAh"});
}

TEST_CASE("Western Digital: logs D0h and C0h, the latter not OCP's") {
    const auto d0 = LogPageBytes(0xd0)
                        .put(0x0c, 4, 3)
                        .put(0x10, 4, 210)
                        .put(0x1c, 4, 4)
                        .put(0x20, 4, 5)
                        .put(0x3c, 4, 77)
                        .put(0x44, 8, 123)
                        .put(0x50, 8, 456)
                        .put(0x64, 4, 91)
                        .line();
    const auto pci = pci_line(western_digital, 0x2300);
    const auto sample = decode_text(nvme_json(western_digital) + pci + d0);
    CHECK(from_logs(sample) == Values{{retired_blocks, 77},
                                      {program_fails, 4},
                                      {erase_fails, 5},
                                      {uncorrectable, 3},
                                      {life_left_percent, 91}});
    CHECK(lists(sample, "NVMe log D0h, lifetime NAND writes in Lpages, whose size is not known", "123"));
    const auto end_of_life =
        LogPageBytes(0xc0).put(76, 4, 6).put(84, 4, 150).put(88, 4, 97).put(96, 4, 2).put(100, 4, 1).line();
    CHECK(from_logs(decode_text(nvme_json(western_digital) + pci + end_of_life)) ==
          Values{{retired_blocks, 6}, {life_left_percent, 97}, {program_fails, 2}, {erase_fails, 1}});
    CHECK(from_logs(decode_text(nvme_json(western_digital) + pci + ocp().line())) == ocp_values);
}

TEST_CASE("Seagate: log C4h, whose values lie by its version") {
    for (const bool newer : {false, true}) {
        LogPageBytes log(0xc4);
        log.put(0, 2, newer ? 2 : 1);
        const std::vector<Item> items{{173, 250}, {170, 8},    {171, 1}, {172, 2},
                                      {188, 3},   {233, 4000}, {99, 7}};
        for (std::size_t i = 0; i < items.size(); ++i)
            log.put(2 + 12 * i, 1, static_cast<std::uint64_t>(items[i].id))
                .put(2 + 12 * i + (newer ? 4 : 5), newer ? 8 : 4, items[i].raw);
        const auto sample = decode_text(nvme_json(0x1bb1, "XP800HE30002") + log.line());
        CHECK(from_logs(sample) == Values{{erase_count_avg, 250},
                                          {retired_blocks, 8},
                                          {program_fails, 1},
                                          {erase_fails, 2},
                                          {uncorrectable, 3}});
        CHECK(lists(sample, "NVMe log C4h, written to flash, low half, in a unit that is not known", "4000"));
        CHECK(unknown_names(sample).back() == "NVMe log C4h, item 63h");
    }
}

TEST_CASE("log 09h: of a drive with one endurance group, in billions of bytes") {
    const auto group = [](int number) {
        return LogPageBytes(9)
            .put(0, 1, 1)
            .put(3, 1, 90)
            .put(4, 1, 10)
            .put(5, 1, 12)
            .put(32, 16, 1000)
            .put(48, 16, 20)
            .put(64, 16, 30)
            .put(80, 16, 45)
            .put(128, 16, 6)
            .group(number);
    };
    const auto one = decode_text(nvme_json(1) + group(1).line());
    CHECK(from_logs(one) == Values{{nand_bytes_written, 45'000'000'000},
                                   {host_bytes_read, 20'000'000'000},
                                   {spare_percent, 90},
                                   {media_errors, 6}});
    CHECK(value_of(one, percentage_used) == 3);  // Log 02h goes before it, and OCP's C0h is more exact.
    CHECK(value_of(one, host_bytes_written) == 2000 * 512000);
    CHECK(value_of(decode_text(nvme_json(1) + group(1).line() + ocp().line()), nand_bytes_written) ==
          39074645999616);
    const auto two = decode_text(nvme_json(1) + group(1).line() + group(2).line());
    CHECK(from_logs(two).empty());
    CHECK(unknown_names(two) ==
          std::vector<std::string>{"NVMe log 09h, endurance group 1", "NVMe log 09h, endurance group 2"});
    // More billions of bytes than 63 bits hold.
    CHECK_FALSE(
        value_of(decode_text(nvme_json(1) + group(1).put(80, 16, 9'300'000'000).line()), nand_bytes_written));
}

TEST_CASE("any bytes in any log of any drive are read, and nothing is below zero") {
    std::vector<std::string> drives;
    std::vector<int> ids{0x09, 0xc1};
    for (const auto& family : builtin_catalogue().families) {
        for (const auto& pci : family.pci)
            drives.push_back(to_line(pci));
        for (const auto& page : family.logs)
            ids.push_back(page.id);
    }
    REQUIRE(drives.size() > 50);
    CHECK(rc::check("random logs", [&] {
        const auto bytes = *rc::gen::container<std::vector<int>>(
            static_cast<std::size_t>(*rc::gen::inRange(1, 600)),
            rc::gen::oneOf(rc::gen::just(0), rc::gen::just(0xff), rc::gen::inRange(0, 256)));
        const int id = *rc::gen::elementOf(ids);
        const auto log = LogPageBytes(id, bytes.size()).put_bytes(0, bytes).line();
        const auto sample = decode_text(nvme_json(1, "XP800HE30002") + *rc::gen::elementOf(drives) + log);
        for (const auto& reading : sample.readings)
            RC_ASSERT(reading.value >= 0);
        RC_ASSERT(sample.problem.empty());
    }));
}

}  // namespace
}  // namespace wearout::health
