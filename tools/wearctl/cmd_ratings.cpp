// ratings: what drives are rated for, by the catalogue and by the user.

#include "base/quantity.h"
#include "health/endurance.h"
#include "health/ratings.h"
#include "store/store.h"
#include "tools/wearctl/command.h"
#include "tools/wearctl/daemon_client.h"
#include "tools/wearctl/json_text.h"
#include "tools/wearctl/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

constexpr std::array ratings_options = {
    OptionInfo{"capacity", "SIZE",
               "With set and unset: only drives of this capacity, as 960GB, to 1 % (default: all that the "
               "model comes in)."},
};

/// One rating as it is shown.
struct Shown {
    std::vector<std::string> models;
    Bytes capacity;  ///< 0: any.
    Endurance endurance;
    std::optional<Bytes> bytes;
    std::string source;
    std::string address;  ///< Empty: the user's.
    bool overridden = false;

    [[nodiscard]] std::optional<std::uint32_t> dwpd_milli() const {
        if (endurance.dwpd_milli || !bytes || !endurance.years) return endurance.dwpd_milli;
        return health::dwpd_milli_of(*bytes, capacity, *endurance.years);
    }
};

Shown shown(const UserRating& rating) {
    return {{rating.model},
            rating.capacity,
            rating.endurance,
            health::rated_bytes(rating.endurance, rating.capacity),
            "set by the user, " + format_time(rating.set).substr(0, 10),
            {},
            false};
}

Shown shown(const health::RatedModel& row, const std::vector<UserRating>& users) {
    const bool overridden = std::any_of(row.models.begin(), row.models.end(), [&](const auto& model) {
        return health::find_user_rating(users, model, row.capacity) != nullptr;
    });
    return {row.models, row.capacity, row.endurance, row.bytes, row.title, row.address, overridden};
}

std::string spelled_out(std::string_view model) {
    const auto [vendor, name] = health::model_name(model);
    return vendor + " " + name;
}

/// A part of the model's name, or a drive's whole name.
bool fits(const Shown& rating, const std::string& pattern) {
    const std::string wanted = spelled_out(pattern);
    const auto part = std::string_view(wanted).substr(wanted.starts_with(' ') ? 1 : 0);
    const health::RatedModel row{rating.models, rating.capacity, {}, {}, {}, {}};
    return std::any_of(
               rating.models.begin(), rating.models.end(),
               [&](const auto& model) { return spelled_out(model).find(part) != std::string::npos; }) ||
           health::find_rated_model({&row, 1}, pattern, rating.capacity) != nullptr;
}

Json json_of(const Shown& rating) {
    Json json = {{"models", rating.models},        {"capacity_bytes", nullptr},
                 {"rated_bytes", nullptr},         {"dwpd", nullptr},
                 {"warranty_years", nullptr},      {"by", rating.address.empty() ? "user" : "catalogue"},
                 {"source", rating.source},        {"address", nullptr},
                 {"overridden", rating.overridden}};
    if (rating.capacity.value != 0) json["capacity_bytes"] = rating.capacity.value;
    if (rating.bytes) json["rated_bytes"] = rating.bytes->value;
    if (const auto milli = rating.dwpd_milli()) json["dwpd"] = static_cast<double>(*milli) / 1000;
    if (rating.endurance.years) json["warranty_years"] = *rating.endurance.years;
    if (!rating.address.empty()) json["address"] = rating.address;
    return json;
}

/// What the user has set. Without a database there is nothing, and the catalogue is shown all the same.
std::vector<UserRating> user_ratings(Context& context) {
    try {
        return store::Store(context.globals.db, store::OpenMode::read_only).ratings();
    } catch (const Failure& failure) {
        context.console.err << fmt::format("wearctl: {}; only the catalogue is shown\n",
                                           printable(failure.what()));
        return {};
    }
}

std::string joined(const std::vector<std::string>& words, std::size_t first, std::size_t last) {
    return fmt::format("{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(first),
                                       words.begin() + static_cast<std::ptrdiff_t>(last), " "));
}

/// As data sheets tell it: "1139 TB", "1366.56 TB".
std::string terabytes(Bytes bytes) {
    std::string text = fmt::format("{:.2f}", static_cast<double>(bytes.value) / 1e12);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " TB";
}

void print(const std::vector<Shown>& ratings, bool with_addresses, Console& console) {
    Table table({{"MODEL"},
                 {"SIZE", Align::right},
                 {"TBW", Align::right},
                 {"DWPD", Align::right, 0, 1},
                 {"YEARS", Align::right, 0, 2},
                 {"SOURCE", Align::left, 10, 3}});
    std::set<std::pair<std::string, std::string>> addresses;
    for (const Shown& rating : ratings) {
        const auto milli = rating.dwpd_milli();
        const Tone tone = rating.overridden ? Tone::faint : Tone::plain;
        for (const std::string& model : rating.models)
            table.add({{model, tone},
                       {rating.capacity.value == 0 ? "any" : format_bytes(rating.capacity), tone},
                       {rating.bytes ? terabytes(*rating.bytes) : "-", tone},
                       {milli ? health::dwpd_text(*milli) : "-", tone},
                       {rating.endurance.years ? std::to_string(*rating.endurance.years) : "-", tone},
                       {(rating.overridden ? "overridden: " : "") + rating.source, tone}});
        if (!rating.address.empty()) addresses.emplace(rating.source, rating.address);
    }
    console.out << table.text(console.screen);
    if (!with_addresses || addresses.empty()) return;
    console.out << "\nSources:\n";
    for (const auto& [title, address] : addresses)
        console.out << "  " << printable(title) << ": " << printable(address) << '\n';
}

ExitCode list(Context& context) {
    if (context.arguments.value("capacity"))
        throw usage_error("--capacity goes with 'ratings set' and 'ratings unset' only");
    const auto& words = context.arguments.positional;
    const std::string pattern = joined(words, 0, words.size());
    const auto users = user_ratings(context);
    const auto& catalogue = health::builtin_ratings();
    std::vector<Shown> all;
    all.reserve(users.size() + catalogue.size());
    for (const UserRating& one : users)
        all.push_back(shown(one));
    for (const health::RatedModel& row : catalogue)
        all.push_back(shown(row, users));
    if (!pattern.empty()) std::erase_if(all, [&](const Shown& one) { return !fits(one, pattern); });
    Console& console = context.console;
    if (context.globals.json) {
        Json json = Json::array();
        std::transform(all.begin(), all.end(), std::back_inserter(json), json_of);
        console.out << json_text({{"schema", 1}, {"ratings", json}});
    } else if (all.empty()) {
        console.out << fmt::format("No rating is known for '{}'. 'wearctl ratings set MODEL TBW' sets one.\n",
                                   printable(pattern));
    } else {
        print(all, !pattern.empty(), console);
    }
    return ExitCode::pass;
}

/// A model as `wearctl drives` shows it: there a simulated drive's has this mark.
std::string without_mark(std::string model) {
    constexpr std::string_view mark = " (SIMULATED)";
    if (model.ends_with(mark)) model.resize(model.size() - mark.size());
    return model;
}

ExitCode change(Context& context, bool set) {
    const auto& words = context.arguments.positional;
    if (words.size() < (set ? 3U : 2U))
        throw usage_error(set ? "ratings set: give a model and its rating, such as 'ratings set MODEL 300TB'"
                              : "ratings unset: give a model");
    const std::size_t end = words.size() - (set ? 1 : 0);
    control::RatingRequest request{without_mark(joined(words, 1, end)), set ? words.back() : std::string(),
                                   context.arguments.value("capacity").value_or("")};
    const DaemonClient daemon(context.globals.socket);
    if (set)
        daemon.set_rating(request);
    else
        daemon.unset_rating(request);
    Console& console = context.console;
    if (context.globals.json)
        console.out << json_text(json_from(control::to_json(request)));
    else if (set)
        console.out << fmt::format(
            "{} is rated for {} from now on; a run that goes on keeps its own rating.\n",
            printable(request.model), printable(request.rating));
    else
        console.out << fmt::format("The rating that was set for {} is forgotten.\n",
                                   printable(request.model));
    return ExitCode::pass;
}

ExitCode run_ratings(Context& context) {
    const auto& words = context.arguments.positional;
    if (!words.empty() && words.front() == "set") return change(context, true);
    if (!words.empty() && words.front() == "unset") return change(context, false);
    return list(context);
}

}  // namespace

const Command ratings_command = {
    "ratings",
    "[PATTERN] | set MODEL TBW | unset MODEL",
    "What drives are rated for, and where that stands: the catalogue, and over it what was set here.",
    "PATTERN is a part of a model's name. MODEL is one as 'wearctl drives' shows it. TBW is written like "
    "300TB, "
    "or as drive writes a day over years of warranty like 1.3DWPD/5y, which become bytes by each drive's "
    "capacity (TBW = DWPD x 365 x years x capacity). A run takes --rating if it is given, else what was set "
    "here, else the catalogue's; a drive that is in none has no rating.\n"
    "The daemon keeps what is set; the list needs no daemon.",
    ratings_options,
    0,
    32,
    run_ratings};

}  // namespace wearout::tools
