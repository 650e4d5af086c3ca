// Ratings that the user sets: a few hundred bytes each, checked before they are kept.

#include "base/error.h"
#include "base/quantity.h"
#include "health/endurance.h"
#include "health/ratings.h"
#include "service/supervisor.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace wearout::service {

namespace {

constexpr std::size_t longest_model = 256;
constexpr std::size_t most_ratings = 1000;

/// The model and the capacity that a request is about.
UserRating subject_of(const control::RatingRequest& request) {
    UserRating rating;
    if (health::model_name(request.model).name.empty())
        throw usage_error("a rating needs a model, as 'wearctl drives' shows it");
    if (request.model.size() > longest_model)
        throw usage_error(fmt::format("a model's name has at most {} bytes", longest_model));
    if (std::any_of(request.model.begin(), request.model.end(), [](unsigned char c) { return c < ' '; }))
        throw usage_error("a model's name has no control characters");
    rating.model = request.model;
    if (!request.capacity.empty()) {
        rating.capacity = parse_bytes(request.capacity, "--capacity");
        if (rating.capacity.value == 0 || rating.capacity.value > INT64_MAX)
            throw usage_error(fmt::format("--capacity: '{}' is no drive's", request.capacity));
    }
    return rating;
}

/// Those that are about the same model and capacity, however they were typed.
std::vector<UserRating> same(const std::vector<UserRating>& all, const UserRating& wanted) {
    std::vector<UserRating> found;
    for (const UserRating& one : all)
        if (one.capacity == wanted.capacity &&
            health::same_model(health::model_name(one.model), health::model_name(wanted.model)))
            found.push_back(one);
    return found;
}

}  // namespace

void Supervisor::set_rating(const control::RatingRequest& request) {
    const std::scoped_lock lock(mutex_);
    UserRating rating = subject_of(request);
    rating.endurance = health::parse_endurance(request.rating, "rating");
    if (rating.capacity.value != 0 && !health::rated_bytes(rating.endurance, rating.capacity))
        throw usage_error(fmt::format("rating: '{}' comes to no bytes for this capacity", request.rating));
    rating.set = environment_.clock.wall();
    const auto all = environment_.store.ratings();
    const auto before = same(all, rating);
    if (all.size() - before.size() >= most_ratings)
        throw usage_error(fmt::format("there are {} ratings already; forget one with 'wearctl ratings unset'",
                                      most_ratings));
    for (const UserRating& old : before)
        environment_.store.forget_rating(old.model, old.capacity);
    environment_.store.set_rating(rating);
}

void Supervisor::unset_rating(const control::RatingRequest& request) {
    const std::scoped_lock lock(mutex_);
    const UserRating wanted = subject_of(request);
    const auto found = same(environment_.store.ratings(), wanted);
    if (found.empty())
        throw usage_error(fmt::format("no rating was set for '{}'{}; 'wearctl ratings' shows those that were",
                                      request.model, request.capacity.empty() ? "" : " of that capacity"));
    for (const UserRating& old : found)
        environment_.store.forget_rating(old.model, old.capacity);
}

}  // namespace wearout::service
