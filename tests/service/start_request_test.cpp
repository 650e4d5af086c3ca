#include "service/start_request.h"

#include "base/error.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;

namespace {

Drive drive_of(std::uint64_t bytes) {
    Drive drive;
    drive.key = "sim:test";
    drive.capacity = {bytes};
    return drive;
}

RunSpec spec_for(const std::string& profile, const std::map<std::string, std::string>& options,
                 std::uint64_t bytes = 1'000'000'512, const std::optional<health::Rating>& known = {}) {
    control::StartRequest request;
    request.target = "sim:test";
    request.profile = profile;
    request.options = options;
    request.confirm = "X";
    return make_spec(request, drive_of(bytes), known);
}

std::string refusal(const std::map<std::string, std::string>& options,
                    const std::string& profile = "burn-in") {
    try {
        (void)spec_for(profile, options);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a run covers every byte of the drive unless told otherwise") {
    const RunSpec spec = spec_for("quick", {});
    CHECK(spec.range.first == UnitIndex{0});
    CHECK(spec.range.count == 1'000'000'512 / 4096 + 1);
    CHECK(spec.limits.passes == 1);
    CHECK(spec.consent == "X");
    CHECK(spec.pattern.drive == drive_of(1).stamp_id());
    CHECK(spec.pattern.run != spec_for("quick", {}).pattern.run);
}

TEST_CASE("options lie over the profile's decisions") {
    const RunSpec spec = spec_for("burn-in", {{"passes", "7"},
                                              {"for", "72h"},
                                              {"tbw", "2TB"},
                                              {"rate", "100MB/s"},
                                              {"seed", "18446744073709551615"},
                                              {"rating", "306TB"},
                                              {"on-finding", "stop"},
                                              {"verify", "off"},
                                              {"range", "4KiB..1MiB"}});
    CHECK(spec.limits.passes == 7);
    CHECK(spec.limits.active_time == std::chrono::hours(72));
    CHECK(spec.limits.written == Bytes{2'000'000'000'000});
    CHECK(spec.bytes_per_second == 100'000'000);
    CHECK(spec.pattern.seed == UINT64_MAX);
    CHECK(spec.rating == Bytes{306'000'000'000'000});
    CHECK(spec.rating_source == "given with --rating");
    CHECK(spec.on_finding == OnFinding::stop);
    CHECK_FALSE(spec.verify);
    CHECK(spec.range == UnitRange{UnitIndex{1}, 255});
}

TEST_CASE("--until replaces the profile's limits, and what is given beside it is added") {
    CHECK(spec_for("burn-in", {{"until", "failure"}}).limits == Limits{});
    CHECK(spec_for("burn-in", {{"until", "wear=90%"}}).limits.wear_percent == 90);
    CHECK(spec_for("burn-in", {{"until", "rating"}, {"rating", "1TB"}}).limits.written ==
          Bytes{1'000'000'000'000});
    const auto both = spec_for("burn-in", {{"until", "wear=100"}, {"passes", "9"}}).limits;
    CHECK(both.wear_percent == 100);
    CHECK(both.passes == 9);
}

TEST_CASE("the rating that is known of the drive holds unless one is given") {
    const health::Rating known{{5'000'000'000'000}, "a data sheet", {}, {}};
    const RunSpec plain = spec_for("endurance", {}, 1'000'000'512, known);
    CHECK(plain.rating == known.bytes);
    CHECK(plain.rating_source == "a data sheet");
    CHECK_FALSE(rating_was_given(plain));
    CHECK(spec_for("burn-in", {{"until", "rating"}}, 1'000'000'512, known).limits.written == known.bytes);
    CHECK(spec_for("scan", {}, 1'000'000'512, known).rating == known.bytes);
    const RunSpec given = spec_for("endurance", {{"rating", "1TB"}}, 1'000'000'512, known);
    CHECK(given.rating == Bytes{1'000'000'000'000});
    CHECK(given.rating_source == "given with --rating");
    CHECK(rating_was_given(given));
    CHECK_FALSE(spec_for("endurance", {}).rating);
    CHECK(spec_for("endurance", {}).rating_source.empty());
}

TEST_CASE("--rating takes drive writes a day over years") {
    const RunSpec spec = spec_for("endurance", {{"rating", "1.3DWPD/5y"}}, 480'000'000'000);
    CHECK(spec.rating == Bytes{1'138'800'000'000'000});
    CHECK(spec.rating_source == "given with --rating as 1.3 DWPD over 5 years");
    CHECK(rating_was_given(spec));
    CHECK(refusal({{"rating", "1.3DWPD"}}).find("1.3DWPD/5y") != std::string::npos);
}

TEST_CASE("a range may end at the drive's odd end and nowhere else off the units") {
    CHECK(spec_for("quick", {{"range", "8KiB.."}}).range.first == UnitIndex{2});
    CHECK(spec_for("quick", {{"range", "8KiB.."}}).range.end() == 1'000'000'512 / 4096 + 1);
    CHECK(refusal({{"range", "1..2"}}).find("multiples of 4096") != std::string::npos);
    CHECK(refusal({{"range", "0..2GB"}}).find("beyond the drive's") != std::string::npos);
    CHECK(refusal({{"range", "8KiB..8KiB"}}).find("empty") != std::string::npos);
    CHECK(refusal({{"range", "8KiB"}}).find("START..END") != std::string::npos);
}

TEST_CASE("bad options are named") {
    for (const auto& [name, value] : std::map<std::string, std::string>{{"passes", "0"},
                                                                        {"for", "0"},
                                                                        {"tbw", "0"},
                                                                        {"rate", "1kB"},
                                                                        {"rating", "0"},
                                                                        {"until", "rating"},
                                                                        {"verify", "maybe"},
                                                                        {"transfer", "5000"},
                                                                        {"queue-depth", "0"}}) {
        CAPTURE(name);
        CHECK(refusal({{name, value}}).find("--" + name) != std::string::npos);
    }
    CHECK(refusal({{"colour", "red"}}) == "unknown option --colour for start");
    CHECK(refusal({}, "brun-in").find("brun-in") != std::string::npos);
    CHECK(refusal({{"passes", "2"}}, "scan").find("only reads") != std::string::npos);
}
