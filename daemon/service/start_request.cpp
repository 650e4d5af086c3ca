#include "service/start_request.h"

#include "base/error.h"
#include "base/quantity.h"
#include "health/endurance.h"
#include "workload/profile.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace wearout::service {

namespace {

/// What a reader of an option works on.
struct Draft {
    RunSpec& spec;
    const Drive& drive;
};

std::uint64_t random_u64() {
    std::random_device device;
    return std::uint64_t{device()} << 32U | device();
}

std::uint64_t units_of(Bytes capacity) {
    return (capacity.value + unit_bytes - 1) / unit_bytes;
}

/// "START..END" in bytes, END not included and may be left out; both on units.
void set_range(Draft draft, std::string_view text, std::string_view what) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos)
        throw usage_error(
            fmt::format("{}: '{}' is not of the form START..END, such as 0..10GiB", what, text));
    const auto first_text = text.substr(0, dots);
    const auto end_text = text.substr(dots + 2);
    const Bytes first = first_text.empty() ? Bytes{0} : parse_bytes(first_text, what);
    const Bytes end = end_text.empty() ? draft.drive.capacity : parse_bytes(end_text, what);
    if (end > draft.drive.capacity)
        throw usage_error(
            fmt::format("{}: {} ends beyond the drive's {} bytes", what, text, draft.drive.capacity.value));
    if (first >= end) throw usage_error(fmt::format("{}: '{}' is empty", what, text));
    if (first.value % unit_bytes != 0 || (end.value % unit_bytes != 0 && end != draft.drive.capacity))
        throw usage_error(
            fmt::format("{}: both ends of '{}' must be multiples of {} bytes", what, text, unit_bytes));
    const UnitIndex first_unit{first.value / unit_bytes};
    draft.spec.range = {first_unit, units_of(end) - first_unit.value};
}

void set_until(Draft draft, std::string_view text, std::string_view what) {
    Limits& limits = draft.spec.limits;
    if (text == "failure") {
        limits = {};
    } else if (text == "rating") {
        limits = {};
        limits.written = Bytes{0};  // The rating may be given after it: filled in at the end.
    } else if (text.starts_with("wear=")) {
        limits = {};
        auto number = text.substr(5);
        if (number.ends_with('%')) number.remove_suffix(1);
        limits.wear_percent = static_cast<std::uint32_t>(parse_uint(number, what, 1, 255));
    } else {
        throw usage_error(fmt::format("{}: '{}' is none of rating, wear=PERCENT, failure", what, text));
    }
}

constexpr std::string_view given_rating = "given with --rating";

void set_rating(Draft draft, std::string_view text, std::string_view what) {
    const Endurance endurance = health::parse_endurance(text, what);
    draft.spec.rating = health::rated_bytes(endurance, draft.drive.capacity);
    if (!draft.spec.rating)
        throw usage_error(fmt::format("{}: '{}' comes to no bytes for this drive's capacity", what, text));
    draft.spec.rating_source = given_rating;
    if (!endurance.tbw)
        draft.spec.rating_source +=
            fmt::format(" as {}", health::dwpd_text(*endurance.dwpd_milli, *endurance.years));
}

bool on_or_off(std::string_view text, std::string_view what) {
    if (text == "on") return true;
    if (text == "off") return false;
    throw usage_error(fmt::format("{}: '{}' is neither on nor off", what, text));
}

struct Option {
    std::string_view name;
    void (*set)(Draft, std::string_view value, std::string_view what);
};

// In the order in which they are applied: --until clears the profile's limits, which the others then add to.
constexpr std::array options = {
    Option{"until", &set_until},
    Option{"passes",
           [](Draft d, std::string_view v, std::string_view what) {
               d.spec.limits.passes = static_cast<std::uint32_t>(parse_uint(v, what, 1, 1'000'000'000));
           }},
    Option{"for",
           [](Draft d, std::string_view v, std::string_view what) {
               d.spec.limits.active_time = parse_duration(v, what);
               if (d.spec.limits.active_time->count() == 0)
                   throw usage_error(fmt::format("{}: must be longer than no time at all", what));
           }},
    Option{"tbw",
           [](Draft d, std::string_view v, std::string_view what) {
               d.spec.limits.written = parse_bytes(v, what);
               if (d.spec.limits.written->value == 0)
                   throw usage_error(fmt::format("{}: must be more than 0", what));
           }},
    Option{"rate",
           [](Draft d, std::string_view v, std::string_view what) {
               if (v.ends_with("/s")) v.remove_suffix(2);
               d.spec.bytes_per_second = parse_bytes(v, what).value;
               if (*d.spec.bytes_per_second < 64 * 1024)
                   throw usage_error(fmt::format("{}: '{}' is below 64KiB/s", what, v));
           }},
    Option{"rating", &set_rating},
    Option{"verify",
           [](Draft d, std::string_view v, std::string_view what) { d.spec.verify = on_or_off(v, what); }},
    Option{"seed", [](Draft d, std::string_view v,
                      std::string_view what) { d.spec.pattern.seed = parse_uint(v, what); }},
    Option{"range", &set_range},
    Option{"on-finding",
           [](Draft d, std::string_view v, std::string_view what) {
               const auto value = on_finding_names.find(v);
               if (!value) throw usage_error(fmt::format("{}: '{}' is neither continue nor stop", what, v));
               d.spec.on_finding = *value;
           }},
    Option{"transfer",
           [](Draft d, std::string_view v, std::string_view what) {
               const auto bytes = parse_bytes(v, what).value;
               if (bytes < unit_bytes || bytes > (16U << 20U) || bytes % unit_bytes != 0)
                   throw usage_error(
                       fmt::format("{}: '{}' is no multiple of 4KiB from 4KiB to 16MiB", what, v));
               d.spec.transfer_bytes = static_cast<std::uint32_t>(bytes);
           }},
    Option{"queue-depth",
           [](Draft d, std::string_view v, std::string_view what) {
               d.spec.queue_depth = static_cast<std::uint32_t>(parse_uint(v, what, 1, 128));
           }},
};

void refuse_unknown(const control::StartRequest& request) {
    for (const auto& [name, value] : request.options)
        if (std::ranges::find(options, std::string_view(name), &Option::name) == options.end())
            throw usage_error(fmt::format("unknown option --{} for start", name));
}

/// "--until rating" needs a rating; its bytes become the limit.
void resolve_rating(const control::StartRequest& request, RunSpec& spec) {
    const auto until = request.options.find("until");
    if (until == request.options.end() || until->second != "rating" || request.options.contains("tbw"))
        return;
    if (!spec.rating)
        throw usage_error(
            "--until rating: the drive's rating is not known; give it with --rating or "
            "'wearctl ratings set'");
    spec.limits.written = spec.rating;
}

}  // namespace

bool rating_was_given(const RunSpec& spec) {
    return spec.rating_source.starts_with(given_rating);
}

RunSpec make_spec(const control::StartRequest& request, const Drive& drive,
                  const std::optional<health::Rating>& known) {
    refuse_unknown(request);
    const auto& profile = workload::find_profile(request.profile);
    RunSpec spec;
    spec.profile = profile.name;
    spec.target = request.target;
    spec.pattern = {random_u64(), drive.stamp_id(), random_u64()};
    spec.range = {UnitIndex{0}, units_of(drive.capacity)};
    spec.limits = profile.limits;
    spec.reads_only = profile.reads_only;
    spec.verify = profile.verify;
    spec.on_finding = profile.on_finding;
    spec.consent = request.confirm;
    if (known) {
        spec.rating = known->bytes;
        spec.rating_source = known->source;
    }
    for (const auto& option : options) {
        const auto given = request.options.find(std::string(option.name));
        if (given == request.options.end()) continue;
        if (spec.reads_only && option.name != "rate" && option.name != "on-finding" &&
            option.name != "transfer" && option.name != "queue-depth")
            throw usage_error(fmt::format("--{} means nothing to the profile {}, which only reads",
                                          option.name, spec.profile));
        option.set({spec, drive}, given->second, "--" + std::string(option.name));
    }
    resolve_rating(request, spec);
    return spec;
}

}  // namespace wearout::service
