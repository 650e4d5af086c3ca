#include "store/migrations.h"
#include "store/opening.h"
#include "support.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::store;
using namespace wearout::store::test;

namespace {

UserRating any_rating() {
    UserRating rating;
    rating.model = *rc::gen::element<std::string>("", "A", "A 1", "a 1", "'; DROP TABLE rating; --", "\xff");
    rating.capacity = {*rc::gen::element<std::uint64_t>(0, 480, 1U << 30U, INT64_MAX)};
    if (*rc::gen::arbitrary<bool>())
        rating.endurance.tbw = Bytes{*rc::gen::inRange<std::uint64_t>(1, INT64_MAX)};
    if (*rc::gen::arbitrary<bool>()) rating.endurance.dwpd_milli = *rc::gen::arbitrary<std::uint32_t>();
    if (*rc::gen::arbitrary<bool>()) rating.endurance.years = *rc::gen::arbitrary<std::uint32_t>();
    rating.set = at(*rc::gen::inRange(0, 1'000'000));
    return rating;
}

bool about_the_same(const UserRating& a, const UserRating& b) {
    return a.model == b.model && a.capacity == b.capacity;
}

}  // namespace

TEST_CASE("a rating comes back as it was set, until it is set anew or forgotten") {
    CHECK(rc::check("against a list", [] {
        const Folder folder;
        std::vector<UserRating> naive;
        {
            Store store(folder.file(), OpenMode::read_write);
            for (int step = *rc::gen::inRange(1, 20); step > 0; --step) {
                const auto rating = any_rating();
                const auto old =
                    std::erase_if(naive, [&](const UserRating& one) { return about_the_same(one, rating); });
                if (*rc::gen::inRange(0, 3) == 0) {
                    RC_ASSERT(store.forget_rating(rating.model, rating.capacity) == (old > 0));
                } else {
                    store.set_rating(rating);
                    naive.push_back(rating);
                }
            }
        }
        std::sort(naive.begin(), naive.end());
        auto stored = Store(folder.file(), OpenMode::read_only).ratings();
        std::sort(stored.begin(), stored.end());
        RC_ASSERT(stored == naive);
    }));
}

TEST_CASE("a database from before ratings keeps all it has and can hold some") {
    const Folder folder;
    {
        auto opened = open_to_write(folder.file(), migrations().first(1));
        opened.database.execute(
            "INSERT INTO drive VALUES (1, 'serial:A:B', 'A', 'B', '', '', 'sata', '', 480, 512, 0, 0)");
    }
    {
        Store store(folder.file(), OpenMode::read_write);
        CHECK(store.ratings().empty());
        store.set_rating({"A", {}, {Bytes{7}, {}, {}}, at(1)});
    }
    const Store store(folder.file(), OpenMode::read_only);
    CHECK(store.drives().size() == 1);
    CHECK(store.ratings() == std::vector{UserRating{"A", {}, {Bytes{7}, {}, {}}, at(1)}});
}
