#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace wearout {

/// The printed names of an enumeration whose values are 0, 1, 2, …; the names are what the database and
/// scripts see.
template <typename Enum, std::size_t N>
struct EnumNames {
    std::array<std::string_view, N> names;

    static constexpr std::size_t size() { return N; }
    [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
        return names.at(static_cast<std::size_t>(value));
    }
    [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
        for (std::size_t i = 0; i < N; ++i)
            if (names[i] == name) return static_cast<Enum>(i);
        return std::nullopt;
    }
};

}  // namespace wearout
