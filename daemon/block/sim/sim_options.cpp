#include "block/sim/sim_options.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include <fmt/format.h>

namespace wearout::block::sim {

namespace {

constexpr std::uint64_t mebibyte = 1ULL << 20U;
constexpr std::uint64_t min_capacity = mebibyte;
constexpr std::uint64_t max_capacity = mebibyte << 20U;  // Page numbers are 32 bits wide.
constexpr std::uint32_t min_erase_block = 4 * page_bytes;
constexpr std::uint32_t max_erase_block = 64U << 20U;
constexpr std::uint32_t max_default_erase_block = 4U << 20U;
constexpr std::uint32_t max_endurance = 100'000;
constexpr std::uint32_t max_over_provisioning = 100;
constexpr std::size_t max_name = 64;

struct OptionRule {
    std::string_view key;
    void (*apply)(std::string_view text, const std::string& what, SimGeometry& geometry);
    std::uint64_t (*value)(const SimGeometry& geometry);
};

std::uint32_t small_uint(std::string_view text, const std::string& what, std::uint32_t min,
                         std::uint32_t max) {
    return static_cast<std::uint32_t>(parse_uint(text, what, min, max));
}

/// In the order of their keys.
constexpr std::array rules = {
    OptionRule{"block",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.logical_block = small_uint(text, what, 0, UINT32_MAX);
               },
               [](const SimGeometry& geometry) -> std::uint64_t { return geometry.logical_block; }},
    OptionRule{"endurance",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.endurance = small_uint(text, what, 1, max_endurance);
               },
               [](const SimGeometry& geometry) -> std::uint64_t { return geometry.endurance; }},
    OptionRule{"erase-block",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.erase_block = static_cast<std::uint32_t>(
                       std::min<std::uint64_t>(parse_bytes(text, what).value, UINT32_MAX));
               },
               [](const SimGeometry& geometry) -> std::uint64_t { return geometry.erase_block; }},
    OptionRule{"factory-bad",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.factory_bad = small_uint(text, what, 0, UINT32_MAX);
               },
               [](const SimGeometry& geometry) -> std::uint64_t { return geometry.factory_bad; }},
    OptionRule{"op",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.over_provisioning = small_uint(text, what, 0, max_over_provisioning);
               },
               [](const SimGeometry& geometry) -> std::uint64_t { return geometry.over_provisioning; }},
    OptionRule{"seed",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.seed = parse_uint(text, what);
               },
               [](const SimGeometry& geometry) { return geometry.seed; }},
    OptionRule{"size",
               [](std::string_view text, const std::string& what, SimGeometry& geometry) {
                   geometry.capacity = parse_bytes(text, what);
               },
               [](const SimGeometry& geometry) { return geometry.capacity.value; }},
};

std::string option_name(const std::string& name, std::string_view key) {
    return fmt::format("sim:{}: {}", name, key);
}

const OptionRule& rule_of(const std::string& name, const std::string& key) {
    for (const OptionRule& rule : rules)
        if (rule.key == key) return rule;
    std::string known;
    for (const OptionRule& rule : rules)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", rule.key);
    throw usage_error(fmt::format("sim:{}: no option '{}'; there are {}", name, key, known));
}

bool is_given(const Options& options, std::string_view key) {
    return std::ranges::any_of(options, [&](const auto& option) { return option.first == key; });
}

/// About a thousand blocks, so that wear shows as a curve on a small drive too, up to a usual size of block.
std::uint32_t default_erase_block(Bytes capacity) {
    const std::uint64_t wanted = std::bit_floor(capacity.value / 1024 + 1);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(wanted, min_erase_block, max_default_erase_block));
}

void check_capacity(const SimGeometry& geometry, const std::string& name) {
    const std::uint64_t size = geometry.capacity.value;
    if (size < min_capacity || size > max_capacity)
        throw usage_error(
            fmt::format("{}: {} bytes is not between 1 MiB and 1 TiB", option_name(name, "size"), size));
    if (size % geometry.logical_block != 0)
        throw usage_error(fmt::format("{}: {} bytes is not a multiple of the logical block of {} bytes",
                                      option_name(name, "size"), size, geometry.logical_block));
}

}  // namespace

std::uint32_t SimGeometry::pages() const {
    return static_cast<std::uint32_t>((capacity.value + page_bytes - 1) / page_bytes);
}

std::uint32_t SimGeometry::user_blocks() const {
    return (pages() + pages_per_block() - 1) / pages_per_block();
}

std::uint32_t SimGeometry::extra_blocks() const {
    const std::uint64_t wanted = (std::uint64_t{user_blocks()} * over_provisioning + 99) / 100;
    return std::max(static_cast<std::uint32_t>(wanted), reserve_blocks + 2);
}

void check_name(const std::string& name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '_' || c == '-';
    };
    if (!name.empty() && name.size() <= max_name && name.front() != '.' && std::ranges::all_of(name, allowed))
        return;
    std::string shown = name.substr(0, max_name);
    std::ranges::replace_if(
        shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    throw usage_error(
        fmt::format("sim: '{}' is not a name; use 1 to {} letters, digits, '.', '_' and '-', "
                    "not starting with a '.'",
                    shown, max_name));
}

void check_bounds(const SimGeometry& geometry, const std::string& name) {
    if (geometry.logical_block != sector_bytes && geometry.logical_block != page_bytes)
        throw usage_error(
            fmt::format("{}: {} is not 512 or 4096", option_name(name, "block"), geometry.logical_block));
    check_capacity(geometry, name);
    const std::uint32_t erase_block = geometry.erase_block;
    if (erase_block % page_bytes != 0 || erase_block < min_erase_block || erase_block > max_erase_block ||
        erase_block > geometry.capacity.value / 8)
        throw usage_error(
            fmt::format("{}: {} bytes is not a multiple of 4096 from 16 KiB to 64 MiB and at "
                        "most an eighth of the size",
                        option_name(name, "erase-block"), erase_block));
    if (geometry.endurance < 1 || geometry.endurance > max_endurance)
        throw usage_error(fmt::format("{}: {} is not a whole number from 1 to {}",
                                      option_name(name, "endurance"), geometry.endurance, max_endurance));
    if (geometry.over_provisioning > max_over_provisioning)
        throw usage_error(fmt::format("{}: {} is not a whole number from 0 to {}", option_name(name, "op"),
                                      geometry.over_provisioning, max_over_provisioning));
    if (geometry.factory_bad > geometry.user_blocks())
        throw usage_error(fmt::format("{}: {} is more than the {} blocks that the size makes",
                                      option_name(name, "factory-bad"), geometry.factory_bad,
                                      geometry.user_blocks()));
}

SimGeometry plan_geometry(const std::string& name, const Options& options) {
    check_name(name);
    SimGeometry geometry;
    geometry.seed = fnv1a64(name);
    for (std::size_t i = 0; i < options.size(); ++i) {
        const auto& [key, value] = options[i];
        const OptionRule& rule = rule_of(name, key);
        if (is_given({options.begin(), options.begin() + static_cast<std::ptrdiff_t>(i)}, key))
            throw usage_error(fmt::format("{} is given twice", option_name(name, key)));
        rule.apply(value, option_name(name, key), geometry);
    }
    if (!is_given(options, "erase-block")) geometry.erase_block = default_erase_block(geometry.capacity);
    // Makers ship with up to about 2 % of the blocks bad; half of that is a usual drive.
    if (!is_given(options, "factory-bad") && geometry.erase_block >= min_erase_block)
        geometry.factory_bad = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(geometry.capacity.value / geometry.erase_block / 100, UINT32_MAX));
    check_bounds(geometry, name);
    return geometry;
}

void check_agrees(const SimGeometry& stored, const std::string& name, const Options& options) {
    for (const auto& [key, value] : options) {
        const OptionRule& rule = rule_of(name, key);
        SimGeometry asked = stored;
        rule.apply(value, option_name(name, key), asked);
        if (rule.value(asked) == rule.value(stored)) continue;
        throw usage_error(
            fmt::format("{}={}: this simulated drive was made with {}; leave the option out, or "
                        "choose another name for another drive",
                        option_name(name, key), value, rule.value(stored)));
    }
}

}  // namespace wearout::block::sim
