#pragma once

#include "facts/endurance.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What drives are rated for: the catalogue schema/ratings.tsv, and over it what the user has set.
namespace wearout::health {

/// A model's name for comparison: upper case, "_" as a space, single spaces, and the vendor's name, which a
/// system may tell or not, apart from it.
struct ModelName {
    std::string vendor;  ///< Empty: not told, or none that is known to be left out.
    std::string name;
    auto operator<=>(const ModelName&) const = default;
};
[[nodiscard]] ModelName model_name(std::string_view model);

/// The same name, and no two different vendors. An empty name is no drive's.
[[nodiscard]] bool same_model(const ModelName& a, const ModelName& b);

/// One row of the catalogue: one drive, under each of the names that it goes by.
struct RatedModel {
    std::vector<std::string> models;  ///< As written: "-*" at the end allows Western Digital's suffix.
    Bytes capacity;
    Endurance endurance;  ///< As the source tells it.
    Bytes bytes;
    std::string title;
    std::string address;
    bool operator==(const RatedModel&) const = default;
};

/// Reads the text of a catalogue, whose form schema/ratings.tsv explains. Throws a Failure (usage) that names
/// the line for all that is not of that form, for figures that contradict each other, and where two rows
/// could be about one drive.
[[nodiscard]] std::vector<RatedModel> parse_ratings(std::string_view text);
[[nodiscard]] const std::vector<RatedModel>& builtin_ratings();

struct Rating {
    Bytes bytes;
    std::string source;  ///< As users read it.
    Endurance endurance;
    std::optional<WallTime> set;  ///< When the user set it; nothing: it is the catalogue's.
    bool operator==(const Rating&) const = default;
};

/// The catalogue's row for this model and capacity, which is told from others to 1 %; null when there is
/// none.
[[nodiscard]] const RatedModel* find_rated_model(std::span<const RatedModel> catalogue,
                                                 std::string_view model, Bytes capacity);

/// The user's: one for this capacity before one for any, then the one that was set last; null when none.
[[nodiscard]] const UserRating* find_user_rating(std::span<const UserRating> users, std::string_view model,
                                                 Bytes capacity);

/// What is known of a drive: the user's rating, else the catalogue's, else nothing.
[[nodiscard]] std::optional<Rating> find_rating(std::span<const UserRating> users, std::string_view model,
                                                Bytes capacity);

}  // namespace wearout::health
