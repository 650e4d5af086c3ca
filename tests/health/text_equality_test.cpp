// The same answer as JSON and as text is decoded to the same readings.
#include "fixtures.h"
#include "health/answer.h"
#include "health/text_values.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

/// Prints answers as smartctl does.
class Renderer {
  public:
    explicit Renderer(std::string separator) : separator_(std::move(separator)) {}

    std::string render(const Answer& answer) {
        const auto& json = answer.json;
        line("smartctl {} 2024-01-01 r5500 [x86_64-linux-6.1.0] (local build)", answer.smartctl_version);
        line("\n=== START OF INFORMATION SECTION ===");
        if (answer.protocol == Protocol::ata) render_ata(answer);
        if (answer.protocol == Protocol::nvme) render_nvme(answer);
        if (answer.protocol == Protocol::scsi) render_scsi(answer);
        const auto temperature = json.at_path("temperature.current").integer();
        if (answer.protocol == Protocol::ata && temperature)
            line(
                "\nSCT Status Version:                  3\nCurrent Temperature:                    {} "
                "Celsius",
                *temperature);
        return text_;
    }

  private:
    template <typename... Parts>
    void line(fmt::format_string<Parts...> format, Parts&&... parts) {
        text_ += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
    }

    void verdict(const Json& json, const char* passed, const char* failed) {
        const auto& status = json.at_path("smart_status.passed");
        if (status.is(Json::Kind::boolean)) line("{}", status.truth ? passed : failed);
    }

    void render_ata(const Answer& answer) {
        if (!answer.drivedb_family.empty()) line("Model Family:     {}", answer.drivedb_family);
        line("Device Model:     {}\nFirmware Version: {}", answer.model, answer.firmware);
        if (const auto size = answer.json["logical_block_size"].integer())
            line("Sector Size:      {} bytes logical/physical", *size);
        line("Device is:        {} smartctl database", answer.listed ? "In" : "Not in");
        verdict(answer.json, "SMART overall-health self-assessment test result: PASSED",
                "SMART overall-health self-assessment test result: FAILED!");
        line("ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE");
        for (const auto& one : answer.attributes)
            line("{:3} {:<23} -O--CK   {}   {}   {}    {:<4} {}", one.id, one.name, three(one.value),
                 three(one.value), three(one.thresh), one.failing_now ? "NOW" : "-", one.printed);
        line("\nDevice Statistics (GP Log 0x04)\nPage  Offset Size        Value Flags Description");
        for (const auto& one : answer.statistics)
            line("0x{:02x}  0x{:03x}  4 {:>15}  ---  {}", one.page, one.offset, one.value, one.name);
    }

    static std::string three(const std::optional<std::int64_t>& value) {
        return value ? fmt::format("{:03}", *value) : "---";
    }

    std::string grouped(const Answer& answer, const std::string& path) {
        const auto digits = answer.number_text(path).value_or("-");
        std::string result;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            if (i > 0 && (digits.size() - i) % 3 == 0) result += separator_;
            result += digits[i];
        }
        return result;
    }

    void render_nvme(const Answer& answer) {
        line("Model Number:                       {}\nFirmware Version:                   {}", answer.model,
             answer.firmware);
        verdict(answer.json, "SMART overall-health self-assessment test result: PASSED",
                "SMART overall-health self-assessment test result: FAILED!");
        line("\nSMART/Health Information (NVMe Log 0x02)");
        const std::pair<const char*, const char*> fields[] = {
            {"Critical Warning", "critical_warning"},
            {"Temperature", "temperature"},
            {"Available Spare", "available_spare"},
            {"Percentage Used", "percentage_used"},
            {"Data Units Read", "data_units_read"},
            {"Data Units Written", "data_units_written"},
            {"Host Read Commands", "host_reads"},
            {"Host Write Commands", "host_writes"},
            {"Power Cycles", "power_cycles"},
            {"Power On Hours", "power_on_hours"},
            {"Unsafe Shutdowns", "unsafe_shutdowns"},
            {"Media and Data Integrity Errors", "media_errors"},
            {"Error Information Log Entries", "num_err_log_entries"}};
        for (const auto& [label, key] : fields) {
            const std::string name = key;
            const auto path = "nvme_smart_health_information_log." + name;
            if (!answer.number_text(path)) continue;
            const char* unit = name == "temperature"                                    ? " Celsius"
                               : name == "percentage_used" || name == "available_spare" ? "%"
                               : name.starts_with("data_units")                         ? " [1.23 TB]"
                                                                                        : "";
            line("{:<35} {}{}", std::string(label) + ":", grouped(answer, path), unit);
        }
    }

    void render_scsi(const Answer& answer) {
        const auto space = std::min(answer.model.find(' '), answer.model.size());
        line("Vendor:               {}\nProduct:              {}\nRevision:             {}",
             answer.model.substr(0, space), answer.model.substr(std::min(space + 1, answer.model.size())),
             answer.firmware);
        verdict(answer.json, "SMART Health Status: OK",
                "SMART Health Status: FAILURE PREDICTION THRESHOLD EXCEEDED");
        number(answer, "scsi_percentage_used_endurance_indicator",
               "Percentage used endurance indicator: {}%");
        number(answer, "temperature.current", "Current Drive Temperature:     {} C");
        number(answer, "scsi_environmental_reports.temperature_1.current", "Current temperature = {}");
        number(answer, "scsi_grown_defect_list", "Elements in grown defect list: {}");
        number(answer, "power_on_time.hours", "Accumulated power on time, hours:minutes {}:07");
        for (const std::string kind : {"read", "write", "verify"}) {
            const auto path = "scsi_error_counter_log." + kind + ".";
            const auto gigabytes = answer.number_text(path + "gigabytes_processed");
            if (!gigabytes) continue;
            auto told = *gigabytes;
            if (separator_ == ".") std::replace(told.begin(), told.end(), '.', ',');
            line("{:<8} 0 0 0 0 0 {} {}", kind + ":", told,
                 answer.number_text(path + "total_uncorrected_errors").value_or("0"));
        }
    }

    void number(const Answer& answer, const std::string& path, const char* format) {
        if (const auto text = answer.number_text(path))
            text_ += fmt::format(fmt::runtime(format), *text) + "\n";
    }

    std::string separator_;
    std::string text_;
};

/// The readings; without those that smartctl's JSON has in places that text has not.
std::map<Metric, std::int64_t> compared(const Sample& sample, const Answer& answer) {
    auto result = values(sample);
    const bool is_ata = answer.protocol == Protocol::ata;
    const auto* hours = answer.attribute(9);
    const auto* cycles = answer.attribute(12);
    // Above 24 bits smartctl tells hours by its database's format alone, which text does not show.
    const bool hours_told = hours != nullptr && hours->name.starts_with("Power_On_") &&
                            hours->raw.value_or(0) <= 0xffffff &&
                            leading_integer(hours->printed) == hours->raw;
    if (is_ata && !hours_told) result.erase(Metric::power_on_hours);
    if (is_ata && (cycles == nullptr || cycles->name != "Power_Cycle_Count"))
        result.erase(Metric::power_cycles);
    return result;
}

void check_equal(const std::string& name, const std::string& json, const std::string& separator) {
    CAPTURE(name);
    const auto read = read_answer(json);
    if (!read.answer || !read.answer->has_data() || !read.answer->protocol) return;
    const auto text = Renderer(separator).render(*read.answer);
    const auto from_json = decode_text(json);
    const auto from_text = decode_text(text);
    CAPTURE(text);
    const auto expected = compared(from_json, *read.answer);
    CHECK(compared(from_text, *read.answer) == expected);
    for (const auto& reading : from_json.readings)
        if (expected.contains(reading.metric)) CHECK(source_of(from_text, reading.metric) == reading.source);
}

TEST_CASE("each fixture as text") {
    for (const auto& entry : std::filesystem::directory_iterator(WEAROUT_FIXTURES)) {
        if (entry.path().extension() != ".json") continue;
        for (const char* separator : {",", ".", " ", ""})
            check_equal(entry.path().filename().string(), read_file(entry.path()), separator);
    }
}

TEST_CASE("each shared sample as text") {
    const auto folder = shared_samples();
    if (!folder) {
        MESSAGE("skipped: no sample files (WEAROUT_SHARED)");
        return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(*folder))
        if (entry.path().extension() == ".json")
            check_equal(entry.path().filename().string(), read_file(entry.path()), ",");
}

}  // namespace
}  // namespace wearout::health
