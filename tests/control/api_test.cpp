#include "control/api.h"

#include "base/version.h"

#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::control;

namespace {

rc::Gen<std::string> text() {
    return rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
}

rc::Gen<double> number() {
    return rc::gen::map(rc::gen::arbitrary<std::int32_t>(), [](std::int32_t n) { return n / 64.0; });
}

template <typename T>
std::optional<T> maybe() {
    if (*rc::gen::arbitrary<bool>()) return *rc::gen::arbitrary<T>();
    return std::nullopt;
}

template <typename T>
rc::Gen<std::map<std::string, T>> counts() {
    return rc::gen::container<std::map<std::string, T>>(text(), rc::gen::arbitrary<T>());
}

RunStatus some_run() {
    RunStatus status;
    status.id = *rc::gen::arbitrary<std::int64_t>();
    status.drive_key = *text();
    status.model = *text();
    status.serial = *text();
    status.target = *text();
    status.profile = *text();
    status.state = *text();
    status.phase = *text();
    status.reason = *text();
    status.pass = *rc::gen::arbitrary<std::uint32_t>();
    status.pass_limit = maybe<std::uint32_t>();
    status.open_ended = *rc::gen::arbitrary<bool>();
    status.pass_percent = *number();
    status.bytes_per_second = *number();
    if (*rc::gen::arbitrary<bool>()) status.eta_seconds = *number();
    status.written_bytes = *rc::gen::arbitrary<std::uint64_t>();
    status.verified_bytes = *rc::gen::arbitrary<std::uint64_t>();
    status.active_seconds = *number();
    status.started = *text();
    status.findings = *counts<std::uint64_t>();
    status.findings_total = *rc::gen::arbitrary<std::uint64_t>();
    status.wear = *counts<std::int64_t>();
    status.health = *text();
    status.rating_bytes = maybe<std::uint64_t>();
    status.notes = *rc::gen::container<std::vector<std::string>>(text());
    return status;
}

DriveStatus some_drive() {
    DriveStatus drive;
    drive.key = *text();
    drive.path = *text();
    drive.by_id = *text();
    drive.model = *text();
    drive.serial = *text();
    drive.firmware = *text();
    drive.transport = *text();
    drive.capacity_bytes = *rc::gen::arbitrary<std::uint64_t>();
    drive.logical_block_bytes = *rc::gen::arbitrary<std::uint32_t>();
    drive.simulated = *rc::gen::arbitrary<bool>();
    drive.written_bytes = *rc::gen::arbitrary<std::uint64_t>();
    drive.wear = *counts<std::int64_t>();
    drive.rating_bytes = maybe<std::uint64_t>();
    drive.rating_source = *text();
    drive.run = maybe<std::int64_t>();
    drive.reasons = *rc::gen::container<std::vector<std::string>>(text());
    return drive;
}

/// The message of the usage error that reading `json` ends with.
template <typename Read>
std::string refusal(Read read, const std::string& json) {
    try {
        (void)read(json);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("every value comes back from its JSON as it was") {
    CHECK(rc::check("RunStatus", [] {
        const RunStatus run = some_run();
        RC_ASSERT(run_status_from(to_json(run)) == run);
        RC_ASSERT(run_statuses_from(status_json({run, run}, 1.5)) == (std::vector{run, run}));
    }));
    CHECK(rc::check("DriveStatus", [] {
        const std::vector drives{some_drive(), some_drive()};
        RC_ASSERT(drive_statuses_from(to_json(drives)) == drives);
    }));
    CHECK(rc::check("StartRequest, ConsentInfo, ProfileInfo", [] {
        const StartRequest request{*text(), *text(),
                                   *rc::gen::container<std::map<std::string, std::string>>(text(), text()),
                                   *text(), *rc::gen::arbitrary<bool>()};
        RC_ASSERT(start_request_from(to_json(request)) == request);
        const RatingRequest rating{*text(), *text(), *text()};
        RC_ASSERT(rating_request_from(to_json(rating)) == rating);
        const ConsentInfo info{*text(), *text(), *rc::gen::arbitrary<std::uint64_t>(), *text(), {*text()}};
        RC_ASSERT(consent_info_from(to_json(info)) == info);
        const std::vector<ProfileInfo> profiles{{*text(), *text(), true}, {*text(), *text(), false}};
        RC_ASSERT(profiles_from(to_json(profiles)) == profiles);
        const auto target = *text();
        RC_ASSERT(target_from(target_json(target)) == target);
        const RunId run{*rc::gen::arbitrary<std::int64_t>()};
        RC_ASSERT(run_id_from(run_id_json(run)) == run);
    }));
}

TEST_CASE("the status names the version and the uptime") {
    const auto json = nlohmann::json::parse(status_json({}, 12.5));
    CHECK(json.at("runs").empty());
    CHECK(json.at("version") == std::string(version()));
    CHECK(json.at("uptime_seconds") == 12.5);
}

TEST_CASE("a drive may call itself anything, and a number may be none") {
    RunStatus run;
    run.model = "bad \xff\xfe name \x80";
    run.serial = "ssd \xc3\xa9";
    run.bytes_per_second = std::numeric_limits<double>::quiet_NaN();
    run.eta_seconds = std::numeric_limits<double>::infinity();
    const RunStatus back = run_status_from(to_json(run));
    CHECK(back.model == "bad \xef\xbf\xbd\xef\xbf\xbd name \xef\xbf\xbd");
    CHECK(back.serial == run.serial);
    CHECK(back.bytes_per_second == 0);
    CHECK(!back.eta_seconds);
}

TEST_CASE("what is not asked for is refused by name") {
    const auto start = [](const std::string& json) { return refusal(start_request_from, json); };
    CHECK(start(R"({"target": "t", "profil": "x"})") == "\"profil\" is not known here");
    CHECK(start(R"({"profile": "x"})") == "\"target\" is missing");
    CHECK(start(R"({"target": 3})") == "\"target\" is not a string");
    CHECK(start(R"({"target": null})") == "\"target\" is not a string");
    CHECK(start(R"({"target": "t", "options": []})") == "\"options\" is not an object");
    CHECK(start(R"({"target": "t", "options": {"passes": 3}})") == "\"options.passes\" is not a string");
    CHECK(start(R"({"target": "t", "overwrite_signature": 1})") ==
          "\"overwrite_signature\" is not true or false");
    CHECK(start("[]") == "a JSON object is expected");
    CHECK(start("") == "this is no JSON");
    CHECK(start(R"({"target": "t"} x)") == "this is no JSON");
    CHECK(start("{\"target\": \"\xff\"}") == "this is no JSON");
    const auto run = [](const std::string& json) { return refusal(run_status_from, json); };
    CHECK(run(R"({"id": 1.5, "state": ""})") == "\"id\" is not a whole number");
    CHECK(run(R"({"id": 18446744073709551615, "state": ""})") == "\"id\" is not a whole number");
    CHECK(run(R"({"id": 1, "state": "", "written_bytes": -1})").starts_with("\"written_bytes\" is not"));
    CHECK(run(R"({"id": 1, "state": "", "pass": 4294967296})").starts_with("\"pass\" is not"));
    CHECK(run(R"({"id": 1, "state": "", "pass_percent": 1e999})") == "this is no JSON");
    CHECK(run(R"({"id": 1, "state": "", "notes": [1]})") == "\"notes\" is not a string");
    CHECK(refusal(drive_statuses_from, R"({"drives": {}})") == "\"drives\" is not a list");
    CHECK(refusal(rating_request_from, R"({"rating": "1TB"})") == "\"model\" is missing");
    CHECK(refusal(rating_request_from, R"({"model": "m", "rating": 1})") == "\"rating\" is not a string");
    CHECK(refusal(rating_request_from, R"({"model": "m", "tbw": "1TB"})") == "\"tbw\" is not known here");
    CHECK(refusal(profiles_from, R"({"profiles": [3]})") == "a JSON object is expected");
}

TEST_CASE("no text at all makes a reader fail in another way") {
    const std::string whole = to_json(StartRequest{"t", "p", {{"passes", "3"}}, "c", true});
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THROWS_AS((void)start_request_from(whole.substr(0, length)), Failure);
    CHECK_THROWS_AS((void)target_from(std::string(60'000, '[')), Failure);
    CHECK(rc::check("any byte changed", [&whole] {
        std::string text = whole;
        text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
        try {
            (void)start_request_from(text);
        } catch (const Failure& failure) {
            RC_ASSERT(failure.code() == ExitCode::usage);
        }
    }));
}

TEST_CASE("a failure crosses the socket with its exit code and its line") {
    const std::pair<ExitCode, unsigned> cases[] = {
        {ExitCode::usage, 400}, {ExitCode::refused, 403}, {ExitCode::unreachable, 404}};
    for (const auto& [code, status] : cases) {
        const Response response = error_response(Failure(code, "one \"line\""));
        CHECK(response.status == status);
        try {
            throw_if_error(response);
            FAIL("accepted");
        } catch (const Failure& failure) {
            CHECK(failure.code() == code);
            CHECK(std::string(failure.what()) == "one \"line\"");
        }
    }
    CHECK_NOTHROW(throw_if_error({200, ""}));
    for (const char* body : {"", "{}", R"({"error": 3})", R"({"error": {"exit_code": 0, "message": "x"}})",
                             R"({"error": {"exit_code": 99, "message": "x"}})"}) {
        try {
            throw_if_error({502, body});
            FAIL("accepted");
        } catch (const Failure& failure) {
            CHECK(failure.code() == ExitCode::unreachable);
            CHECK(std::string(failure.what()).find("502") != std::string::npos);
        }
    }
}
