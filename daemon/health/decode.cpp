#include "health/decode.h"

#include "health/answer.h"
#include "health/log_field.h"
#include "health/problem.h"
#include "health/row_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// A value for a metric, of which there may be others.
struct Candidate {
    const Family* family = nullptr;
    const Row* row = nullptr;
    RowReading reading;
};

/// What the numbers of these families depend on beside the drive's wear.
std::string decoder_name(const Answer& answer, const std::vector<const Family*>& families) {
    const auto or_none = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    std::vector<std::string> parts;
    parts.reserve(families.size());
    for (const auto* family : families)
        parts.push_back(fmt::format("{} {}", family->name, family->version));
    return fmt::format("catalogue {}; smartctl {}; drive database {}; family {}; firmware {}",
                       or_none(fmt::format("{}", fmt::join(parts, ", "))), or_none(answer.smartctl_version),
                       or_none(answer.database_version),
                       answer.listed ? or_none(answer.drivedb_family) : "none", or_none(answer.firmware));
}

/// What the catalogue makes of one answer.
class Decoder {
  public:
    Decoder(const Answer& answer, const Catalogue& catalogue) : answer_(answer) {
        for (const auto& family : catalogue.families)
            if (answer.is_of(family)) families_.push_back(&family);
        for (const auto* family : families_)
            for (const auto& row : family->rows)
                read(*family, row);
        drop_impossible();
    }

    [[nodiscard]] std::vector<int> false_alarms() const {
        std::vector<int> ids;
        for (const auto* family : families_)
            ids.insert(ids.end(), family->false_alarms.begin(), family->false_alarms.end());
        return ids;
    }

    [[nodiscard]] bool is_dead() const {
        const auto holds = [this](const DeadSign& sign) {
            const auto text = answer_.number_text(sign.path);
            return text && parse_integer(*text) == sign.value;
        };
        return std::any_of(families_.begin(), families_.end(), [&](const Family* family) {
            return !family->dead.empty() && std::all_of(family->dead.begin(), family->dead.end(), holds);
        });
    }

    /// One for each metric that has a candidate.
    [[nodiscard]] std::vector<Reading> readings() const {
        std::vector<Reading> result;
        const bool dead = is_dead();
        for (std::size_t i = 0; i < metric_count; ++i) {
            const auto metric = static_cast<Metric>(i);
            const auto* best = best_of(metric);
            if (best == nullptr) continue;
            // A dead controller's zeroes are no counts: taken as such they would undo a life's history.
            if (dead && is_cumulative(metric) && best->reading.value == 0) continue;
            result.push_back({metric, best->reading.value, best->reading.source, best->row->confidence,
                              decoder_name(answer_, {best->family})});
        }
        return result;
    }

    [[nodiscard]] std::vector<UnknownField> unknown() const {
        std::vector<UnknownField> fields;
        for (const auto& attribute : answer_.attributes)
            if (!known_attributes_.contains(attribute.id))
                fields.push_back({fmt::format("attribute {} {}", attribute.id, attribute.name),
                                  attribute.printed.empty() && attribute.raw ? std::to_string(*attribute.raw)
                                                                             : attribute.printed});
        add_unknown_statistics(fields);
        add_unknown_keys(fields);
        for (const auto* field : undecoded_)
            fields.push_back({field->called, log_text(*field, answer_.nvme)});
        for (auto& field : unknown_in_logs(answer_.nvme, families_, known_logs_))
            fields.push_back(std::move(field));
        return fields;
    }

    [[nodiscard]] const std::vector<const Family*>& families() const { return families_; }

    [[nodiscard]] std::vector<RowVerdict> verdicts() const {
        std::vector<RowVerdict> result;
        for (const auto* family : families_)
            for (const auto& row : family->rows) {
                if (!row.metric) continue;
                auto reading = read_row(row, answer_);
                auto why = reading ? why_passed_over(row, *reading) : refusal(row, answer_);
                if (!reading && why.empty()) continue;
                result.push_back({family, &row, place_of(row, answer_), std::move(reading), std::move(why)});
            }
        return result;
    }

  private:
    void read(const Family& family, const Row& row) {
        if (lies(row)) return;
        if (!row.metric) {
            if (has_field(row, answer_)) mark_known(row);
            if (row.log && row.log->undecoded && has_field(row, answer_)) undecoded_.push_back(&*row.log);
            return;
        }
        if (auto reading = read_row(row, answer_))
            of(*row.metric).push_back({&family, &row, std::move(*reading)});
    }

    [[nodiscard]] bool lies(const Row& row) const {
        return std::any_of(families_.begin(), families_.end(), [&](const Family* family) {
            const auto& keys = family->lying_keys;
            if (row.key) return std::find(keys.begin(), keys.end(), row.key->path) != keys.end();
            return row.statistic && std::any_of(family->lying_statistics.begin(),
                                                family->lying_statistics.end(), [&](const auto& lie) {
                                                    return lie.page == row.statistic->page &&
                                                           lie.offset == row.statistic->offset;
                                                });
        });
    }

    /// A unit by which more was written than the interface can carry is another one; and a drive hardly ever
    /// erased is not worn.
    void drop_impossible() {
        const auto value_of = [this](Metric metric) {
            const auto* best = best_of(metric);
            return best == nullptr ? std::nullopt : std::optional(best->reading.value);
        };
        hours_ = value_of(Metric::power_on_hours);
        cycles_ = value_of(Metric::erase_count_avg);
        for (auto& list : candidates_) {
            std::erase_if(list, [&](const Candidate& candidate) {
                return !why_impossible(*candidate.row, candidate.reading).empty();
            });
            for (const auto& candidate : list)
                mark_known(*candidate.row);
        }
    }

    [[nodiscard]] std::string why_impossible(const Row& row, const RowReading& reading) const {
        if (row.per_hour_max && hours_ && reading.value / *row.per_hour_max > *hours_)
            return "by this unit it would be more per hour than the drive can carry";
        if (row.unworn && cycles_ && reading.raw < row.unworn->below && *cycles_ < row.unworn->cycles)
            return fmt::format("a drive with {} P/E cycles on average is not worn so far", *cycles_);
        return {};
    }

    void mark_known(const Row& row) {
        if (row.attribute) {
            known_attributes_.insert(row.attribute->id);
            for (const auto& addend : row.attribute->plus)
                known_attributes_.insert(addend.id);
        }
        if (row.statistic) known_statistics_.insert({row.statistic->page, row.statistic->offset});
        if (row.key) known_keys_.insert(row.key->path);
        if (row.log) {
            known_logs_.insert({row.log->id, whole_log});
            if (row.log->item) known_logs_.insert({row.log->id, *row.log->item});
        }
    }

    [[nodiscard]] const Candidate* best_of(Metric metric) const {
        for (const auto& candidate : all_of(metric))
            if (!contradicts(candidate, all_of(metric)) && !shares_doubt(candidate)) return &candidate;
        return nullptr;
    }

    /// Whether it is low enough to have wrapped or stuck, and another says much more.
    static bool contradicts(const Candidate& candidate, const std::vector<Candidate>& others) {
        const auto& doubts = candidate.row->doubts;
        return std::any_of(doubts.begin(), doubts.end(), [&](const Doubt& doubt) {
            if (candidate.reading.raw >= doubt.below) return false;
            return std::any_of(others.begin(), others.end(), [&](const Candidate& other) {
                const auto more = other.reading.value - candidate.reading.value;
                return more > 0 && more / candidate.reading.scale >= doubt.margin;
            });
        });
    }

    /// Of a row that has a reading; empty for the metric's own.
    [[nodiscard]] std::string why_passed_over(const Row& row, const RowReading& reading) const {
        if (lies(row)) return "it is known to be false in these drives";
        if (auto why = why_impossible(row, reading); !why.empty()) return why;
        const auto& list = all_of(*row.metric);
        const auto own = std::find_if(list.begin(), list.end(),
                                      [&row](const Candidate& candidate) { return candidate.row == &row; });
        const auto* best = best_of(*row.metric);
        if (best == &*own)
            return is_dead() && is_cumulative(*row.metric) && own->reading.value == 0
                       ? "the zero of a dead controller is not believed"
                       : "";
        if (contradicts(*own, list))
            return "it wraps or sticks on some drives, and another field says much more";
        if (shares_doubt(*own)) return "it wraps or sticks as another statistic of this drive does";
        return fmt::format("{} goes before it", best->reading.source);
    }

    [[nodiscard]] bool shares_doubt(const Candidate& candidate) const {
        const auto& doubts = candidate.row->doubts;
        return std::any_of(doubts.begin(), doubts.end(), [&](const Doubt& doubt) {
            if (!doubt.like || candidate.reading.raw >= doubt.below) return false;
            const auto& list = all_of(*doubt.like);
            return std::any_of(list.begin(), list.end(), [&](const Candidate& other) {
                return other.row->statistic && contradicts(other, list);
            });
        });
    }

    /// Vendor pages only: the others are named by the standard, so that none of them is a riddle.
    void add_unknown_statistics(std::vector<UnknownField>& fields) const {
        constexpr std::int64_t vendor_page = 255;
        for (const auto& item : answer_.statistics)
            if (item.page == vendor_page && !known_statistics_.contains({item.page, item.offset}))
                fields.push_back(
                    {fmt::format("device statistics {}+{} {}", item.page, item.offset, item.name),
                     std::to_string(item.value)});
    }

    void add_unknown_keys(std::vector<UnknownField>& fields) const {
        constexpr std::size_t most_fields = 256;
        for (const std::string path : {"nvme_smart_health_information_log", "scsi_error_counter_log.read",
                                       "scsi_error_counter_log.write", "scsi_error_counter_log.verify"})
            for (const auto& key : answer_.json.at_path(path).keys) {
                const auto full = fmt::format("{}.{}", path, key);
                const auto text = answer_.number_text(full);
                if (text && !key.ends_with("_s") && !known_keys_.contains(full) &&
                    fields.size() < most_fields)
                    fields.push_back({printable(full), printable(*text)});
            }
    }

    [[nodiscard]] const std::vector<Candidate>& all_of(Metric metric) const {
        return candidates_.at(static_cast<std::size_t>(metric));
    }
    std::vector<Candidate>& of(Metric metric) { return candidates_.at(static_cast<std::size_t>(metric)); }

    const Answer& answer_;
    std::vector<const Family*> families_;
    std::array<std::vector<Candidate>, metric_count> candidates_;
    std::set<int> known_attributes_;
    std::set<std::pair<std::int64_t, std::int64_t>> known_statistics_;
    std::set<std::string> known_keys_;
    KnownLogs known_logs_;
    std::optional<std::int64_t> hours_;   ///< Power-on hours,
    std::optional<std::int64_t> cycles_;  ///< and average erases, as told.
    std::vector<const LogField*> undecoded_;
};

std::string joined(const std::vector<std::string>& problems) {
    return fmt::format("{}", fmt::join(problems, "; "));
}

}  // namespace

std::vector<RowVerdict> judge_rows(const Answer& answer, const Catalogue& catalogue) {
    return Decoder(answer, catalogue).verdicts();
}

Sample decode(const RawAnswer& raw, const Catalogue& catalogue) {
    Sample sample;
    sample.took = raw.took;
    sample.raw = raw.text;
    sample.problem = raw.problem;
    if (raw.text.empty()) {
        if (raw.problem.empty()) sample.problem = "smartctl gave no answer";
        return sample;
    }
    const auto result = read_answer(raw.text);
    if (!result.answer) {
        if (raw.problem.empty()) sample.problem = "smartctl's answer can't be read: " + result.error;
        return sample;
    }
    const auto& answer = *result.answer;
    const Decoder decoder(answer, catalogue);
    auto problems = problems_in(answer, decoder.false_alarms());
    if (!raw.problem.empty()) problems.insert(problems.begin(), raw.problem);
    if (answer.has_data()) {
        sample.decoder = decoder_name(answer, decoder.families());
        sample.readings = decoder.readings();
        sample.unknown = decoder.unknown();
        if (decoder.is_dead())
            problems.emplace_back(
                "its counters are those of a dead controller, so its zeroes are not believed");
        if (sample.readings.empty() && problems.empty())
            problems.emplace_back("the answer holds no wear counter");
        if (answer.nvme.bad_lines > 0)
            problems.push_back(fmt::format("{} line(s) of NVMe logs can't be read", answer.nvme.bad_lines));
    }
    sample.problem = joined(problems);
    return sample;
}

Sample decode(const RawAnswer& answer) {
    return decode(answer, builtin_catalogue());
}

}  // namespace wearout::health
