#include "support.h"

#include <deque>
#include <functional>
#include <map>
#include <random>

#include <doctest/doctest.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

constexpr int samples_per_day = 24 * 12;
constexpr int days = 365;
constexpr std::int64_t step_seconds = 300;

/// A drive that is written to at 300 MB/s all year, seen through `smartctl --json -x`: thirty attributes,
/// device statistics, logs that never change, and a temperature history that moves with every answer.
class WornDrive {
  public:
    explicit WornDrive(std::uint64_t seed) : random_(seed) {
        for (int i = 0; i < 478; ++i)
            temperatures_.push_back(38);
        for (int id = 1; id <= 30; ++id)
            still_[id] = attribute(id);
        for (int id = 0; id < 40; ++id)
            logs_ += fmt::format(
                "    {{\n      \"address\": {},\n      \"name\": \"Log page {}\",\n"
                "      \"read\": true,\n      \"write\": {},\n      \"gp_sectors\": {}\n    }},\n",
                id * 7, id, id % 3 == 0, 1 + id % 5);
    }

    void advance() {
        ++step_;
        host_gib_ += 84 + static_cast<std::int64_t>(random_() % 3);
        for (int minute = 0; minute < 5; ++minute) {
            temperatures_.pop_front();
            const int drift = static_cast<int>(random_() % 5);
            temperature_ = std::clamp(temperature_ + (drift == 0 ? -1 : drift == 1 ? 1 : 0), 34, 52);
            temperatures_.push_back(temperature_);
        }
        if (random_() % 3000 == 0) ++retired_;
    }

    [[nodiscard]] std::vector<Reading> readings() const {
        return {reading(Metric::temperature_c, temperature_, "temperature"),
                reading(Metric::power_on_hours, hours(), "attribute 9"),
                reading(Metric::host_bytes_written, host_gib_ << 30U, "attribute 241"),
                reading(Metric::nand_bytes_written, nand_gib() << 30U, "attribute 233"),
                reading(Metric::erase_count_avg, erases(), "attribute 173"),
                reading(Metric::retired_blocks, retired_, "attribute 170"),
                reading(Metric::life_left_percent, std::max<std::int64_t>(0, 100 - erases() / 30),
                        "attribute 231"),
                reading(Metric::power_cycles, 12, "attribute 12")};
    }

    [[nodiscard]] std::string answer() const {
        const std::time_t now = 1'780'000'000 + step_ * step_seconds;
        std::string text = fmt::format(
            "{{\n  \"json_format_version\": [\n    1,\n    0\n  ],\n  \"local_time\": {{\n    \"time_t\": "
            "{},\n"
            "    \"asctime\": \"{:%a %b %d %H:%M:%S %Y} UTC\"\n  }},\n  \"ata_smart_attributes\": {{\n"
            "    \"revision\": 16,\n    \"table\": [\n",
            now, fmt::gmtime(now));
        for (int id = 1; id <= 30; ++id)
            text += is_moving(id) ? attribute(id) : still_.at(id);
        text += "    ]\n  },\n";
        text += fmt::format(
            "  \"power_on_time\": {{\n    \"hours\": {}\n  }},\n  \"temperature\": {{\n"
            "    \"current\": {}\n  }},\n",
            hours(), temperature_);
        text += statistics();
        text += history();
        return text + logs_ + "  \"end\": true\n}\n";
    }

  private:
    [[nodiscard]] std::int64_t hours() const { return step_ * step_seconds / 3600; }
    [[nodiscard]] std::int64_t nand_gib() const { return host_gib_ + host_gib_ / 11; }
    [[nodiscard]] std::int64_t erases() const { return nand_gib() / 256; }
    [[nodiscard]] static bool is_moving(int id) {
        return id == 2 || id == 5 || (id >= 9 && id <= 12) || id == 20;
    }
    [[nodiscard]] std::int64_t raw_value(int id) const {
        switch (id) {
            case 2:
                return hours();
            case 5:
                return retired_;
            case 9:
                return nand_gib();
            case 10:
                return host_gib_;
            case 11:
                return (erases() + 60) | erases() << 16U;
            case 12:
                return temperature_ | 52LL << 16U | 22LL << 32U;
            case 20:
                return erases() * 988;
            default:
                return id * 1001;
        }
    }
    [[nodiscard]] std::string attribute(int id) const {
        const auto raw = raw_value(id);
        return fmt::format(
            "      {{\n        \"id\": {0},\n        \"name\": \"Attribute_Number_{0}\",\n        \"value\": "
            "100,\n"
            "        \"worst\": 100,\n        \"thresh\": {1},\n        \"when_failed\": \"\",\n"
            "        \"flags\": {{\n          \"value\": 50,\n          \"string\": \"-O--CK \",\n"
            "          \"prefailure\": false,\n          \"updated_online\": true,\n"
            "          \"performance\": false,\n          \"error_rate\": false,\n"
            "          \"event_count\": true,\n          \"auto_keep\": true\n        }},\n"
            "        \"raw\": {{\n          \"value\": {2},\n          \"string\": \"{2}\"\n        }}\n     "
            " }},\n",
            id, id % 7, raw);
    }
    [[nodiscard]] std::string statistics() const {
        std::string text = "  \"ata_device_statistics\": {\n    \"pages\": [\n";
        for (int offset = 8; offset < 300; offset += 8) {
            const std::int64_t value = offset == 24   ? host_gib_ << 21U
                                       : offset == 16 ? hours()
                                       : offset == 80 ? temperature_
                                                      : offset * 3;
            text += fmt::format(
                "      {{\n        \"offset\": {},\n        \"name\": \"Statistic at {}\",\n"
                "        \"size\": 4,\n        \"value\": {},\n        \"flags\": {{\n"
                "          \"value\": 192,\n          \"string\": \"---\",\n"
                "          \"valid\": true\n        }}\n      }},\n",
                offset, offset, value);
        }
        return text + "    ]\n  },\n";
    }
    [[nodiscard]] std::string history() const {
        std::string text = "  \"ata_sct_temperature_history\": {\n    \"table\": [\n";
        for (const int temperature : temperatures_)
            text += fmt::format("      {},\n", temperature);
        return text + "    ]\n  },\n";
    }

    std::mt19937_64 random_;
    std::int64_t step_ = 0;
    std::int64_t host_gib_ = 128'515;
    std::int64_t retired_ = 3;
    int temperature_ = 38;
    std::deque<int> temperatures_;
    std::map<int, std::string> still_;  ///< Attributes that never change,
    std::string logs_;                  ///< and other text that does not.
};

}  // namespace

TEST_CASE("a year of samples every five minutes stays below 100 MB, and every answer comes back") {
    constexpr std::uint64_t seed = 20'260'501;
    MESSAGE("seed " << seed);
    const Folder folder;
    const std::string key = some_drive().key;
    std::size_t answer_bytes = 0;
    std::vector<std::size_t> hashes;
    std::size_t series_points = 0;
    {
        Store store(folder.file(), OpenMode::read_write);
        store.remember_drive(some_drive(), false);
        const auto run = store.add_run(key, some_spec(), checkpoint(0), at(0));
        WornDrive drive(seed);
        for (int i = 0; i < days * samples_per_day; ++i) {
            auto taken = sample(i * step_seconds, drive.readings());
            taken.raw = drive.answer();
            taken.run_written = {static_cast<std::uint64_t>(i) * 90'000'000'000U};
            taken.took = std::chrono::milliseconds(120 + i % 40);
            answer_bytes = taken.raw.size();
            hashes.push_back(std::hash<std::string>()(taken.raw));
            store.add_sample(key, run, taken);
            drive.advance();
        }
        const auto begin = std::chrono::steady_clock::now();
        for (const auto& series : store.series(key, run))
            series_points += series.points.size();
        MESSAGE(
            series_points << " points of a run's series in "
                          << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()
                          << " s");
    }
    const auto size = std::filesystem::file_size(folder.file());
    MESSAGE("answers of " << answer_bytes << " bytes; a year takes " << static_cast<double>(size) / 1e6
                          << " MB, " << size / (days * samples_per_day) << " bytes a sample");
    CHECK(answer_bytes > 20'000);
    CHECK(size < 100'000'000);

    const Store store(folder.file(), OpenMode::read_only);
    std::size_t wrong = 0;
    std::size_t count = 0;
    store.raw_answers(key, [&](WallTime, const std::string& text) {
        if (std::hash<std::string>()(text) != hashes.at(count)) ++wrong;
        ++count;
    });
    CHECK(count == hashes.size());
    CHECK(wrong == 0);
    for (const auto& series : store.series(key))
        if (series.metric == Metric::host_bytes_written) CHECK(series.points.size() == count);
}
