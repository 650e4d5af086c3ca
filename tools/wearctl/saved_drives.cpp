#include "tools/wearctl/saved.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

const Reading* find(const SavedAnswer& answer, Metric metric) {
    const auto& readings = answer.explanation.sample.readings;
    const auto found = std::find_if(readings.begin(), readings.end(),
                                    [metric](const Reading& reading) { return reading.metric == metric; });
    return found == readings.end() ? nullptr : &*found;
}

const std::optional<health::ToldTime>& time_of(const SavedAnswer& answer) {
    return answer.explanation.identity.time;
}

std::int64_t hours_of(const SavedAnswer& answer) {
    const auto* hours = find(answer, Metric::power_on_hours);
    return hours == nullptr ? -1 : hours->value;
}

/// By time where all tell it in the same way, else by power-on hours, else as they came.
void sort_by_age(std::vector<SavedAnswer>& answers) {
    const auto all = [&](const auto& test) { return std::all_of(answers.begin(), answers.end(), test); };
    const bool timed = all([](const SavedAnswer& one) { return time_of(one).has_value(); });
    const bool alike = timed && all([&](const SavedAnswer& one) {
                           return time_of(one)->exact == time_of(answers.front())->exact;
                       });
    const bool aged = all([](const SavedAnswer& one) { return hours_of(one) >= 0; });
    std::stable_sort(answers.begin(), answers.end(), [&](const SavedAnswer& a, const SavedAnswer& b) {
        if (!alike && aged && hours_of(a) != hours_of(b)) return hours_of(a) < hours_of(b);
        return timed && time_of(a)->seconds < time_of(b)->seconds;
    });
}

/// Whether it tells anything by which one drive's age can be told from another's.
bool tells_age(const SavedAnswer& answer) {
    return hours_of(answer) >= 0 || find(answer, Metric::host_bytes_written) != nullptr;
}

/// Whether `later` can be the same drive as `earlier`, as far as its counters show.
bool can_follow(const SavedAnswer& earlier, const SavedAnswer& later) {
    for (const auto& reading : later.explanation.sample.readings) {
        const auto* before = find(earlier, reading.metric);
        if (before != nullptr && is_cumulative(reading.metric) && before->source == reading.source &&
            reading.value < before->value)
            return false;
    }
    const auto& from = time_of(earlier);
    const auto& to = time_of(later);
    if (!from || !to || hours_of(earlier) < 0 || hours_of(later) < 0) return true;
    // Local times of different zones differ by up to a day.
    constexpr std::int64_t slack_hours = 26;
    return hours_of(later) - hours_of(earlier) <= (to->seconds - from->seconds) / 3600 + slack_hours;
}

/// Tells apart what may be different drives.
std::string drive_key(const SavedAnswer& answer) {
    const auto& drive = answer.explanation.identity;
    if (!drive.serial.empty()) return fmt::format("serial {} {}", drive.serial, drive.model);
    if (!drive.wwn.empty()) return fmt::format("wwn {} {}", drive.wwn, drive.model);
    if (drive.model.empty()) return fmt::format("answer {} {}", answer.file, answer.place);
    return fmt::format("hidden {} {} {}", drive.model, drive.drivedb_family,
                       drive.capacity_bytes.value_or(0));
}

/// Puts answers, oldest first, together to the histories of their metrics.
class HistoryBuilder {
  public:
    void add(const SavedAnswer& answer) {
        const auto& sample = answer.explanation.sample;
        if (sample.readings.empty()) return;
        const bool decoded_otherwise = !decoder_.empty() && decoder_ != sample.decoder;
        if (decoded_otherwise)
            breaks_.push_back(fmt::format("firmware, smartctl or its drive database is another in {}: {}",
                                          answer.name(), sample.decoder));
        decoder_ = sample.decoder;
        count_host_bytes(answer);
        const WallTime time{std::chrono::seconds(time_of(answer) ? time_of(answer)->seconds : 0)};
        for (const auto& reading : sample.readings) {
            auto& line = lines_[reading.metric];
            std::uint32_t epoch = line.history.empty() ? 0 : line.history.back().epoch;
            const auto why = line.history.empty() ? std::string() : break_before(line, reading);
            if (!why.empty())
                breaks_.push_back(
                    fmt::format("{} {} in {}", metric_names[reading.metric], why, answer.name()));
            if (!line.history.empty() && (decoded_otherwise || !why.empty())) ++epoch;
            line.metric = reading.metric;
            line.source = reading.source;
            line.confidence = reading.confidence;
            line.history.push_back({time, written_, reading.value, epoch});
        }
    }

    void finish(SavedDrive& drive) {
        std::vector<WearLine> lines;
        for (auto& [metric, line] : lines_)
            lines.push_back(std::move(line));
        drive.history = wear_history(std::move(lines));
        drive.breaks = std::move(breaks_);
        drive.counts_host_bytes = host_.has_value();
    }

  private:
    /// The same rule as the database's: values across a break are not subtracted.
    static std::string break_before(const WearLine& line, const Reading& reading) {
        const auto last = line.history.back().value;
        if (is_cumulative(reading.metric) && reading.value < last)
            return fmt::format("fell from {} to {}", value_text(reading.metric, last),
                               value_text(reading.metric, reading.value));
        if (line.source != reading.source) return fmt::format("is read from {} now", reading.source);
        if (line.confidence != reading.confidence) return "is of another confidence now";
        return {};
    }

    /// The horizontal axis: the drive's own count, without its falls.
    void count_host_bytes(const SavedAnswer& answer) {
        const auto* now = find(answer, Metric::host_bytes_written);
        if (now == nullptr || now->value < 0) return;
        const auto value = static_cast<std::uint64_t>(now->value);
        if (host_ && host_->source == now->source && value >= static_cast<std::uint64_t>(host_->value))
            written_ += Bytes{value - static_cast<std::uint64_t>(host_->value)};
        else if (!host_ || host_->source != now->source)
            written_ = std::max(written_, Bytes{value});
        host_ = *now;
    }

    std::map<Metric, WearLine> lines_;
    std::vector<std::string> breaks_;
    std::string decoder_;
    std::optional<Reading> host_;
    Bytes written_;
};

SavedDrive make_drive(std::vector<SavedAnswer> answers, std::string note) {
    SavedDrive drive;
    drive.identity = answers.back().explanation.identity;
    drive.note = std::move(note);
    HistoryBuilder builder;
    for (const SavedAnswer& answer : answers)
        builder.add(answer);
    builder.finish(drive);
    drive.answers = std::move(answers);
    return drive;
}

}  // namespace

std::vector<SavedDrive> by_drive(std::vector<SavedAnswer> answers) {
    std::vector<std::vector<SavedAnswer>> groups;
    std::map<std::string, std::size_t> places;
    for (SavedAnswer& answer : answers) {
        const auto [found, is_new] = places.try_emplace(drive_key(answer), groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(std::move(answer));
    }
    std::vector<SavedDrive> drives;
    for (auto& group : groups) {
        sort_by_age(group);
        const auto& identity = group.back().explanation.identity;
        const bool hidden = identity.serial.empty() && identity.wwn.empty() && group.size() > 1;
        const bool fits = std::all_of(group.begin(), group.end(), tells_age) &&
                          std::adjacent_find(group.begin(), group.end(), [](const auto& a, const auto& b) {
                              return !can_follow(a, b);
                          }) == group.end();
        if (!hidden) {
            drives.push_back(make_drive(std::move(group), {}));
        } else if (fits) {
            drives.push_back(make_drive(std::move(group), "serial numbers are hidden: taken as one drive"));
        } else {
            for (SavedAnswer& answer : group) {
                std::vector<SavedAnswer> alone;
                alone.push_back(std::move(answer));
                drives.push_back(
                    make_drive(std::move(alone),
                               "serial numbers are hidden, and the counters do not show one drive: taken as "
                               "several"));
            }
        }
    }
    return drives;
}

}  // namespace wearout::tools
