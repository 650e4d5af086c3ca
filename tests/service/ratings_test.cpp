// What a drive is rated for: --rating, else what the user has set, else the catalogue.

#include "base/error.h"
#include "service/fixture.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace wearout;
using namespace wearout::service;
using wearout::test::Service;

namespace {

constexpr std::uint64_t tera = 1'000'000'000'000;

control::DriveStatus drive_called(Service& service, const std::string& key) {
    const auto drives = service.supervisor.drives();
    const auto found = std::find_if(drives.begin(), drives.end(),
                                    [&](const control::DriveStatus& drive) { return drive.key == key; });
    REQUIRE(found != drives.end());
    return *found;
}

std::string refusal(Service& service, const control::RatingRequest& request, bool set = true) {
    try {
        set ? service.supervisor.set_rating(request) : service.supervisor.unset_rating(request);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "accepted";
}

/// A drive that was here once and had no run.
std::string remembered(Service& service, const std::string& model, std::uint64_t capacity) {
    Drive drive;
    drive.key = "serial:" + model + ":1";
    drive.model = model;
    drive.serial = "1";
    drive.transport = "sata";
    drive.capacity = {capacity};
    service.store.remember_drive(drive, false);
    return drive.key;
}

RunId stop_soon(Service& service, RunId run) {
    service.supervisor.order(run, Session::Order::stop);
    service.wait_for(run, "stopped");
    CHECK(service.supervisor.come_to_rest(std::chrono::seconds(20)));
    return run;
}

}  // namespace

TEST_CASE("drives are rated by the catalogue without any run, and unknown ones are not") {
    Service service;
    const auto known = remembered(service, "KINGSTON SEDC500M480G", 480'103'981'056);
    const auto unknown = remembered(service, "KINGSTON SHSS37A240G", 240'057'409'536);
    CHECK(drive_called(service, known).rating_bytes == 1139 * tera);
    CHECK(drive_called(service, known).rating_source == "Review of the Kingston DC500M 480GB");
    CHECK_FALSE(drive_called(service, unknown).rating_bytes);
    CHECK(drive_called(service, unknown).rating_source.empty());

    service.supervisor.set_rating({"KINGSTON SEDC500M480G", "500TB", ""});
    service.supervisor.set_rating({"kingston_shss37a240g", "0.7DWPD/5y", "240GB"});
    CHECK(drive_called(service, known).rating_bytes == 500 * tera);
    CHECK(drive_called(service, known).rating_source == "set by the user");
    CHECK(drive_called(service, unknown).rating_bytes == 240'057'409'536 * 7 * 1825 / 10);
    service.supervisor.unset_rating({"SEDC500M480G", "", ""});
    CHECK(drive_called(service, known).rating_bytes == 1139 * tera);
}

TEST_CASE("a run takes what the user has set, --rating goes before it, and drives show what holds") {
    Service service;
    const RunId first = service.start("sim:a?size=32MiB", "endurance", {{"rate", "1MB"}});
    const std::string model = service.supervisor.status(first).model;
    CHECK_FALSE(service.supervisor.status(first).rating_bytes);
    CHECK_FALSE(drive_called(service, "sim:a").rating_bytes);
    stop_soon(service, first);

    service.supervisor.set_rating({model, "300TB", ""});
    CHECK(drive_called(service, "sim:a").rating_bytes == 300 * tera);
    const RunId second = service.start("sim:a", "endurance", {{"rate", "1MB"}});
    CHECK(service.supervisor.status(second).rating_bytes == 300 * tera);
    CHECK(service.store.run(second)->spec.rating_source == "set by the user");
    // What is set while a run goes on does not change what it is held against.
    service.supervisor.set_rating({model, "200TB", ""});
    CHECK(drive_called(service, "sim:a").rating_bytes == 300 * tera);
    stop_soon(service, second);
    CHECK(drive_called(service, "sim:a").rating_bytes == 200 * tera);

    const RunId third = service.start("sim:a", "endurance", {{"rate", "1MB"}, {"rating", "100TB"}});
    CHECK(service.supervisor.status(third).rating_bytes == 100 * tera);
    stop_soon(service, third);
    // What was given for this very drive still holds for it, until the user says otherwise.
    CHECK(drive_called(service, "sim:a").rating_bytes == 100 * tera);
    CHECK(drive_called(service, "sim:a").rating_source == "given with --rating");
    service.supervisor.set_rating({model, "150TB", ""});
    CHECK(drive_called(service, "sim:a").rating_bytes == 150 * tera);
    service.supervisor.unset_rating({model, "", ""});
    CHECK(drive_called(service, "sim:a").rating_bytes == 100 * tera);
}

TEST_CASE("--until rating ends at what the user has set") {
    Service service;
    service.supervisor.set_rating({service.supervisor.consent("sim:b?size=32MiB").model, "64MiB", ""});
    const RunId run = service.start("sim:b?size=32MiB", "burn-in", {{"until", "rating"}});
    const auto status = service.wait_for(run, "finished");
    CHECK(status.written_bytes >= (64U << 20U));
    CHECK(service.supervisor.come_to_rest(std::chrono::seconds(20)));
}

TEST_CASE("a model has one rating for a capacity, however it is typed") {
    Service service;
    service.supervisor.set_rating({"ACME A1", "1TB", ""});
    service.supervisor.set_rating({"acme_a1", "2TB", ""});
    service.supervisor.set_rating({"ACME A1", "3TB", "1TB"});
    REQUIRE(service.store.ratings().size() == 2);
    CHECK(service.store.ratings()[0].model == "ACME A1");
    CHECK(service.store.ratings()[1].endurance.tbw == Bytes{2 * tera});
    service.supervisor.unset_rating({"ACME a1", "", ""});
    REQUIRE(service.store.ratings().size() == 1);
    CHECK(service.store.ratings()[0].capacity == Bytes{tera});
    CHECK(refusal(service, {"ACME a1", "", ""}, false).find("ACME a1") != std::string::npos);
    CHECK(refusal(service, {"ACME a1", "", "2TB"}, false).find("of that capacity") != std::string::npos);
    CHECK(refusal(service, {"ACME a1", "", "1TB"}, false) == "accepted");
}

TEST_CASE("a rating that can't be is refused with one line") {
    Service service;
    CHECK(refusal(service, {"", "1TB", ""}).find("needs a model") != std::string::npos);
    CHECK(refusal(service, {" _ ", "1TB", ""}).find("needs a model") != std::string::npos);
    CHECK(refusal(service, {std::string(257, 'x'), "1TB", ""}).find("256 bytes") != std::string::npos);
    CHECK(refusal(service, {"a\nb", "1TB", ""}).find("control characters") != std::string::npos);
    CHECK(refusal(service, {"A 1", "much", ""}).find("'much' is not a rating") != std::string::npos);
    CHECK(refusal(service, {"A 1", "1TB", "big"}).find("--capacity: 'big'") != std::string::npos);
    CHECK(refusal(service, {"A 1", "1TB", "0"}).find("--capacity: '0'") != std::string::npos);
    CHECK(refusal(service, {"A 1", "0.001DWPD/1y", "1"}).find("no bytes") != std::string::npos);
    CHECK(service.store.ratings().empty());
    for (int i = 0; i < 1000; ++i)
        service.store.set_rating({fmt::format("A {}", i), {}, {Bytes{1}, {}, {}}, {}});
    CHECK(refusal(service, {"B 1", "1TB", ""}).find("1000 ratings") != std::string::npos);
    CHECK(refusal(service, {"A 7", "1TB", ""}) == "accepted");
}
