#include "base/quantity.h"
#include "tools/wearctl/explain_text.h"
#include "tools/wearctl/saved_output.h"
#include "tools/wearctl/wear_json.h"

namespace wearout::tools {

namespace {

/// UTC where the zone is certain, else local time without a zone.
Json time_json(const std::optional<health::ToldTime>& time) {
    if (!time) return nullptr;
    std::string text = format_iso_time(WallTime(std::chrono::seconds(time->seconds)));
    if (!time->exact && text.ends_with('Z')) text.pop_back();
    return text;
}

Json record_json(const SavedAnswer& answer, bool explain) {
    Json json = {{"file", answer.file},
                 {"place", answer.place},
                 {"time", time_json(answer.explanation.identity.time)},
                 {"drive", identity_json(answer.explanation.identity)}};
    json.update(explanation_json(answer.explanation, explain));
    return json;
}

Json series_json(const SavedDrive& drive, std::size_t first_record) {
    Json records = Json::array();
    for (std::size_t i = 0; i < drive.answers.size(); ++i)
        records.push_back(first_record + i);
    return {{"drive", identity_json(drive.identity)},
            {"records", std::move(records)},
            {"note", drive.note.empty() ? Json(nullptr) : Json(drive.note)},
            {"breaks", drive.breaks},
            {"wear", wear_json(drive.history.wear)},
            {"waf", waf_json(drive.history.waf)},
            {"forecast", forecast_json(drive.history.forecasts)},
            {"curves", drive.counts_host_bytes ? curves_json(drive.history.curves) : Json::object()}};
}

}  // namespace

std::string saved_json(const std::vector<SavedDrive>& drives, bool explain) {
    Json json = {{"schema", 1}, {"records", Json::array()}, {"series", Json::array()}};
    for (const SavedDrive& drive : drives) {
        if (drive.answers.size() > 1) json["series"].push_back(series_json(drive, json["records"].size()));
        for (const SavedAnswer& answer : drive.answers)
            json["records"].push_back(record_json(answer, explain));
    }
    return json_text(json);
}

}  // namespace wearout::tools
