#include "health/text_answer.h"

#include "health/json_build.h"
#include "health/text_lines.h"
#include "health/text_sections.h"
#include "health/text_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace wearout::health {
namespace {

constexpr std::size_t most_lines = 100'000;
constexpr std::size_t most_messages = 8;

bool is_known_line(std::string_view line) {
    return header_version(line) || line.starts_with("=== START OF ") || is_attribute_header(line);
}

struct Label {
    std::string_view text;
    std::string_view key;
};

/// ataprint.cpp, nvmeprint.cpp, scsiprint.cpp: the information section's texts.
constexpr std::array labels = {
    Label{"Model Family", "model_family"},   Label{"Device Model", "model_name"},
    Label{"Model Number", "model_name"},     Label{"Serial Number", "serial_number"},
    Label{"Serial number", "serial_number"}, Label{"Firmware Version", "firmware_version"},
    Label{"Vendor", "scsi_vendor"},          Label{"Product", "scsi_product"},
    Label{"Revision", "scsi_revision"},      Label{"Logical Unit id", "logical_unit_id"},
    Label{"LU WWN Device Id", "text_wwn"},
};

class TextReader {
  public:
    void read(std::string_view line) {
        if (const auto version = header_version(line)) {
            auto& list = member(member(answer_, "smartctl"), "version", Json::Kind::array);
            append(list) = json_number(version->first);
            append(list) = json_number(version->second);
            return;
        }
        if (in_attributes(line) || in_statistics(line) || line.empty()) return;
        if (read_error_counter(line, answer_)) return;
        if (is_attribute_header(line)) {
            section_ = Section::attributes;
            member(member(answer_, "ata_smart_attributes"), "table", Json::Kind::array);
        } else if (line.starts_with("Device Statistics (")) {
            section_ = Section::statistics;
        } else if (line.starts_with("SMART/Health Information (NVMe Log 0x02")) {
            section_ = Section::nvme;
            member(answer_, "nvme_smart_health_information_log");
        } else if (line.starts_with("SCT Status Version")) {
            section_ = Section::sct;
        } else if (line.starts_with("===") || line.starts_with("Error Information (NVMe")) {
            section_ = Section::none;
        } else {
            read_labelled(line);
        }
    }

    [[nodiscard]] Json finish() {
        flush_attribute();
        settle_temperature();
        settle_hours();
        const auto protocol = protocol_name();
        if (!protocol.empty()) put(member(answer_, "device"), "protocol", json_string(protocol));
        settle_scsi_model(protocol);
        settle_wwn();
        settle_status(!protocol.empty());
        return std::move(answer_);
    }

  private:
    enum class Section { none, attributes, statistics, nvme, sct };

    bool in_attributes(std::string_view line) {
        if (section_ != Section::attributes) return false;
        if (is_attribute_row(line)) {
            flush_attribute();
            attribute_ = line;
            return true;
        }
        if (line.empty()) return true;
        // What a mail program has broken off: without it the number would be another one.
        if (!attribute_.empty() && (line.front() == '(' || attribute_.ends_with(" -"))) {
            attribute_ += ' ';
            attribute_ += line;
            return true;
        }
        flush_attribute();
        if (line.front() != '|') section_ = Section::none;
        return line.front() == '|';
    }

    void flush_attribute() {
        if (!attribute_.empty()) read_attribute(attribute_, answer_);
        attribute_.clear();
    }

    bool in_statistics(std::string_view line) {
        if (section_ != Section::statistics) return false;
        if (line.empty() || line.front() == '|' || line.starts_with("Page ")) return true;
        if (read_statistic(line, answer_)) return true;
        section_ = Section::none;
        return false;
    }

    void read_labelled(std::string_view line) {
        if (read_unlabelled(line)) return;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return note_message(line);
        const auto label = line.substr(0, colon);
        const auto value = trimmed(line.substr(colon + 1));
        if (section_ == Section::nvme && read_nvme_field(label, value, answer_)) return;
        if (section_ == Section::sct && label == "Current Temperature")
            sct_temperature_ = leading_integer(value);
        if (read_identity(label, value) || read_verdict(label, value) || read_scsi(label, value)) return;
        note_message(line);
    }

    bool read_identity(std::string_view label, std::string_view value) {
        const auto* known = std::find_if(labels.begin(), labels.end(),
                                         [label](const Label& one) { return one.text == label; });
        if (known != labels.end()) {
            // The first: later ones would be of something else.
            if (answer_[known->key].is(Json::Kind::null)) put(answer_, known->key, json_string(value));
        } else if (label == "Device is") {
            read_listing(value);
        } else if (label == "Sector Size" || label == "Sector Sizes" || label == "Logical block size" ||
                   label == "Namespace 1 Formatted LBA Size") {
            if (const auto size = leading_integer(value))
                put(answer_, "logical_block_size", json_number(std::to_string(*size)));
        } else if (label == "User Capacity" || label == "Namespace 1 Size/Capacity") {
            const auto digits =
                grouped_digits(trimmed(value.substr(0, std::min(value.find(" bytes"), value.find(" [")))));
            if (digits) put(member(answer_, "user_capacity"), "bytes", json_number(*digits));
        } else if (label == "Local Time is") {
            read_time(value);
        } else {
            return false;
        }
        return true;
    }

    void read_listing(std::string_view value) {
        const bool listed = value.starts_with("In smartctl database");
        if (!listed && !value.starts_with("Not in smartctl database")) return;
        put(answer_, "in_smartctl_database", json_boolean(listed));
        const auto version = trimmed(value.substr(value.find("database") + 8));
        if (!version.empty() && version.front() >= '0' && version.front() <= '9')
            put(member(member(answer_, "smartctl"), "drive_database_version"), "string",
                json_string(version));
    }

    void read_time(std::string_view value) {
        const auto time = parse_local_time(value);
        if (!time) return;
        auto& json = member(answer_, "local_time");
        put(json, "asctime", json_string(value));
        if (time->offset) put(json, "time_t", json_number(std::to_string(time->seconds - *time->offset)));
    }

    bool read_verdict(std::string_view label, std::string_view value) {
        const bool ata = label == "SMART overall-health self-assessment test result";
        if (!ata && label != "SMART Health Status") return false;
        auto& status = member(answer_, "smart_status");
        if (value.starts_with(ata ? "PASSED" : "OK"))
            put(status, "passed", json_boolean(true));
        else if (value.find("FAIL") != std::string_view::npos)
            put(status, "passed", json_boolean(false));
        return true;
    }

    bool read_scsi(std::string_view label, std::string_view value) {
        const auto number = leading_integer(value);
        const auto put_number = [&](std::string_view key) {
            if (number) put(answer_, key, json_number(std::to_string(*number)));
            return true;
        };
        if (label == "Percentage used endurance indicator")
            return put_number("scsi_percentage_used_endurance_indicator");
        if (label == "Elements in grown defect list") return put_number("scsi_grown_defect_list");
        if (label != "Current Drive Temperature") return false;
        if (number) put(member(answer_, "temperature"), "current", json_number(std::to_string(*number)));
        return true;
    }

    /// What has no label of its own.
    bool read_unlabelled(std::string_view line) {
        constexpr std::string_view background = "Accumulated power on time, hours:minutes ";
        constexpr std::string_view factory = "number of hours powered up = ";
        constexpr std::string_view environmental = "Current temperature = ";
        if (line.starts_with(background)) {
            background_hours_ = leading_integer(line.substr(background.size()));
        } else if (line.starts_with(factory)) {
            factory_hours_ = leading_integer(line.substr(factory.size()));
        } else if (line.starts_with(environmental)) {
            if (const auto number = leading_integer(line.substr(environmental.size())))
                put(member(member(answer_, "scsi_environmental_reports"), "temperature_1"), "current",
                    json_number(std::to_string(*number)));
        } else {
            return false;
        }
        return true;
    }

    /// What can say why there are no data, or that a part of them failed.
    void note_message(std::string_view line) {
        constexpr std::array failures = {"A mandatory SMART command failed", "Read SMART Data failed",
                                         "Read SMART Thresholds failed", "SMART Status command failed",
                                         "Read NVMe SMART/Health Information"};
        const auto begins = [line](std::string_view start) { return line.starts_with(start); };
        const bool failed = std::any_of(failures.begin(), failures.end(), begins) ||
                            line.find("invalid SMART checksum") != std::string_view::npos;
        command_failed_ = command_failed_ || failed;
        if (line.starts_with("Copyright (C)") || messages_.size() >= most_messages) return;
        if (failed)
            failure_messages_.emplace_back(line);
        else
            messages_.emplace_back(line);
    }

    [[nodiscard]] std::string_view protocol_name() const {
        const auto has = [this](std::string_view key) { return !answer_[key].is(Json::Kind::null); };
        if (has("nvme_smart_health_information_log")) return "NVMe";
        if (has("ata_smart_attributes") || has("ata_device_statistics") || has("in_smartctl_database"))
            return "ATA";
        if (has("scsi_product") || has("scsi_vendor") || has("scsi_error_counter_log") ||
            has("scsi_percentage_used_endurance_indicator"))
            return "SCSI";
        if (has("model_name")) return has("text_wwn") ? "ATA" : "NVMe";
        return "";
    }

    /// As smartctl: the SCT status goes before the attributes, and of these 194 before 190.
    void settle_temperature() {
        auto& found = member(answer_, "text_temperature");
        std::optional<std::int64_t> best = sct_temperature_;
        for (const auto* id : {"194", "190"})
            if (!best) best = found[id].integer();
        if (best) put(member(answer_, "temperature"), "current", json_number(std::to_string(*best)));
    }

    void settle_hours() {
        const auto hours = background_hours_ ? background_hours_ : factory_hours_;
        if (hours) put(member(answer_, "power_on_time"), "hours", json_number(std::to_string(*hours)));
    }

    void settle_scsi_model(std::string_view protocol) {
        if (protocol != "SCSI") return;
        const auto name = std::string(answer_["scsi_vendor"].string()) + " " +
                          std::string(answer_["scsi_product"].string());
        put(answer_, "scsi_model_name", json_string(trimmed(name)));
    }

    /// "5 00a075 1e2345678"
    void settle_wwn() {
        const auto parts = words(answer_["text_wwn"].string());
        if (parts.size() != 3) return;
        constexpr std::array keys = {"naa", "oui", "id"};
        std::array<std::int64_t, 3> numbers{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto number = any_integer("0x" + std::string(parts[i]));
            if (!number) return;
            numbers.at(i) = *number;
        }
        for (std::size_t i = 0; i < 3; ++i)
            put(member(answer_, "wwn"), keys.at(i), json_number(std::to_string(numbers.at(i))));
    }

    void settle_status(bool has_data) {
        constexpr int unopened = 2;
        constexpr int command_failed = 4;
        constexpr int failing = 8;
        int status = command_failed_ ? command_failed : 0;
        const auto& passed = answer_.at_path("smart_status.passed");
        if (passed.is(Json::Kind::boolean) && !passed.truth) status |= failing;
        if (!has_data) status |= unopened;
        auto& smartctl = member(answer_, "smartctl");
        put(smartctl, "exit_status", json_number(std::to_string(status)));
        auto& list = member(smartctl, "messages", Json::Kind::array);
        const auto add = [&list](const std::string& text) {
            auto& message = append(list);
            put(message, "string", json_string(text));
            put(message, "severity", json_string("error"));
        };
        for (const auto& text : failure_messages_)
            add(text);
        if (!has_data)
            for (const auto& text : messages_)
                add(text);
    }

    Json answer_;
    Section section_ = Section::none;
    std::string attribute_;  ///< The row that is being put together.
    std::vector<std::string> messages_;
    std::vector<std::string> failure_messages_;
    bool command_failed_ = false;
    std::optional<std::int64_t> sct_temperature_;
    std::optional<std::int64_t> background_hours_;
    std::optional<std::int64_t> factory_hours_;
};

}  // namespace

bool is_text_answer(std::string_view text) {
    for (std::size_t lines = 0; !text.empty() && lines < most_lines; ++lines) {
        const auto line = next_line(text);
        if (line.size() <= longest_line && is_known_line(bare_line(line))) return true;
    }
    return false;
}

JsonResult read_text_answer(std::string_view text) {
    if (text.size() > JsonLimits{}.bytes) return {std::nullopt, "it is too long"};
    TextReader reader;
    std::size_t headers = 0;
    for (std::size_t lines = 0; !text.empty(); ++lines) {
        if (lines == most_lines) return {std::nullopt, "it has too many lines"};
        auto line = next_line(text);
        if (line.size() > longest_line) continue;
        line = bare_line(line);
        if (header_version(line) && ++headers > 1)
            return {std::nullopt, "it holds several answers, of which each is to be read alone"};
        reader.read(line);
    }
    return {reader.finish(), {}};
}

}  // namespace wearout::health
