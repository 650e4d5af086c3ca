#include "store/impl.h"

namespace wearout::store {

void Store::set_rating(const UserRating& rating) {
    impl_->write([&](Database& database) {
        const Endurance& endurance = rating.endurance;
        database
            .query(
                "REPLACE INTO rating (model, capacity, tbw, dwpd_milli, years, set_at) VALUES (?, ?, ?, ?, "
                "?, ?)")
            .bind(rating.model, rating.capacity, endurance.tbw, endurance.dwpd_milli, endurance.years,
                  rating.set)
            .run();
    });
}

bool Store::forget_rating(std::string_view model, Bytes capacity) {
    return impl_->write([&](Database& database) {
        database.query("DELETE FROM rating WHERE model = ? AND capacity = ?").bind(model, capacity).run();
        return database.changed();
    });
}

std::vector<UserRating> Store::ratings() const {
    return impl_->read([&](Database& database) {
        std::vector<UserRating> all;
        auto row = database.query(
            "SELECT model, capacity, tbw, dwpd_milli, years, set_at FROM rating ORDER BY model, capacity");
        while (row.next()) {
            auto& rating = all.emplace_back();
            Endurance& endurance = rating.endurance;
            row >> rating.model >> rating.capacity >> endurance.tbw >> endurance.dwpd_milli >>
                endurance.years >> rating.set;
        }
        return all;
    });
}

}  // namespace wearout::store
