#include "health/ratings.h"

#include "health/endurance.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace wearout::health {

namespace {

/// Vendors whose name one system puts before or after the model and another leaves out.
constexpr std::array<std::string_view, 8> vendors = {"CRUCIAL", "INTEL",   "KINGSTON", "MICRON",
                                                     "SAMSUNG", "SANDISK", "TOSHIBA",  "WDC"};

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Western Digital's suffix: "-00SM50".
bool is_suffix(std::string_view text) {
    constexpr std::size_t size = 7;
    return text.size() == size && text.front() == '-' &&
           std::all_of(text.begin() + 1, text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

bool has_name(const std::string& written, const ModelName& name) {
    constexpr std::string_view any_suffix = "-*";
    if (!written.ends_with(any_suffix)) return same_model(model_name(written), name);
    const ModelName stem =
        model_name(std::string_view(written).substr(0, written.size() - any_suffix.size()));
    if (same_model(stem, name)) return true;
    if (!name.name.starts_with(stem.name) || !is_suffix(std::string_view(name.name).substr(stem.name.size())))
        return false;
    return same_model(stem, {name.vendor, stem.name});
}

/// To 1 %: drives have a little more than they are sold as, and their neighbours (1000 and 1024 GB) differ by
/// more.
bool is_capacity(Bytes nominal, Bytes real) {
    const auto [low, high] = std::minmax(nominal.value, real.value);
    return high - low <= nominal.value / 100;
}

Rating rating_of(const RatedModel& row) {
    return {row.bytes, row.title + (row.endurance.tbw ? "" : ", by DWPD"), row.endurance, {}};
}

}  // namespace

ModelName model_name(std::string_view model) {
    std::string text;
    for (const char c : model) {
        const char clean = c == '_' ? ' ' : upper(c);
        if (clean != ' ' || (!text.empty() && text.back() != ' ')) text += clean;
    }
    if (text.ends_with(' ')) text.pop_back();
    for (const auto vendor : vendors) {
        if (text.size() < vendor.size() + 2) continue;
        if (text.starts_with(vendor) && text[vendor.size()] == ' ')
            return {std::string(vendor), text.substr(vendor.size() + 1)};
        const auto rest = text.size() - vendor.size() - 1;
        if (text.ends_with(vendor) && text[rest] == ' ') return {std::string(vendor), text.substr(0, rest)};
    }
    return {{}, text};
}

bool same_model(const ModelName& a, const ModelName& b) {
    return !a.name.empty() && a.name == b.name &&
           (a.vendor == b.vendor || a.vendor.empty() || b.vendor.empty());
}

const RatedModel* find_rated_model(std::span<const RatedModel> catalogue, std::string_view model,
                                   Bytes capacity) {
    const ModelName name = model_name(model);
    const auto found = std::find_if(catalogue.begin(), catalogue.end(), [&](const RatedModel& row) {
        return is_capacity(row.capacity, capacity) &&
               std::any_of(row.models.begin(), row.models.end(),
                           [&](const std::string& written) { return has_name(written, name); });
    });
    return found == catalogue.end() ? nullptr : &*found;
}

const UserRating* find_user_rating(std::span<const UserRating> users, std::string_view model,
                                   Bytes capacity) {
    const ModelName name = model_name(model);
    const UserRating* best = nullptr;
    for (const UserRating& one : users) {
        const bool any_capacity = one.capacity.value == 0;
        if (!any_capacity && !is_capacity(one.capacity, capacity)) continue;
        if (!same_model(model_name(one.model), name) || !rated_bytes(one.endurance, capacity)) continue;
        if (best == nullptr ||
            std::tuple(!any_capacity, one.set) > std::tuple(best->capacity.value != 0, best->set))
            best = &one;
    }
    return best;
}

std::optional<Rating> find_rating(std::span<const UserRating> users, std::string_view model, Bytes capacity) {
    if (const UserRating* const user = find_user_rating(users, model, capacity))
        return Rating{*rated_bytes(user->endurance, capacity),
                      user->endurance.tbw ? "set by the user" : "set by the user, by DWPD", user->endurance,
                      user->set};
    if (const RatedModel* const row = find_rated_model(builtin_ratings(), model, capacity))
        return rating_of(*row);
    return std::nullopt;
}

}  // namespace wearout::health
