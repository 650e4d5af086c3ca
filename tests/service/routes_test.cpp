#include "service/routes.h"

#include "control/api.h"
#include "service/fixture.h"

#include <doctest/doctest.h>

using namespace wearout;
using wearout::test::Service;

TEST_CASE("each path answers, and everything else is an error with an exit code") {
    Service service;
    const auto call = [&](const char* method, const char* path, const std::string& body = {}) {
        return service::answer(service.supervisor, std::chrono::seconds(1), {method, path, {}, body});
    };
    CHECK(call("GET", "/v1/status").status == 200);
    CHECK(control::run_statuses_from(call("GET", "/v1/status").body).empty());
    CHECK(call("GET", "/v1/drives").status == 200);
    CHECK(control::profiles_from(call("GET", "/v1/profiles").body).size() >= 4);
    CHECK(call("GET", "/v1/runs/1").status == 400);
    CHECK(call("GET", "/v1/runs/0").status == 400);
    CHECK(call("GET", "/v1/runs/x").status == 400);
    CHECK(call("GET", "/v1/nothing").status == 404);
    CHECK(call("DELETE", "/v1/status").status == 404);
    CHECK(call("GET", "/").status == 404);
    CHECK(call("GET", "").status == 404);
    CHECK(call("POST", "/v1/runs", "{").status == 400);
    CHECK(call("POST", "/v1/runs", R"({"target":"nonsense","profile":"quick"})").status == 400);
    CHECK(call("POST", "/v1/alerts/5/ack").status == 400);

    CHECK(call("POST", "/v1/ratings", R"({"model":"ACME A1","rating":"300TB"})").body == "{}");
    CHECK(call("POST", "/v1/ratings", R"({"model":"ACME A1"})").status == 400);
    CHECK(call("POST", "/v1/ratings/unset", R"({"model":"acme a1"})").body == "{}");
    CHECK(call("POST", "/v1/ratings/unset", R"({"model":"acme a1"})").status == 400);
    CHECK(call("GET", "/v1/ratings").status == 404);
    CHECK(call("POST", "/v1/ratings/explode", R"({"model":"acme a1"})").status == 404);

    control::StartRequest request;
    request.target = "sim:r?size=32MiB";
    request.profile = "endurance";
    request.options = {{"rate", "1MB"}};
    CHECK(call("POST", "/v1/consent", R"({"target":"sim:r?size=32MiB"})").status == 200);
    CHECK(call("POST", "/v1/runs", control::to_json(request)).body == "{\"id\":1}");
    CHECK(call("POST", "/v1/runs", control::to_json(request)).status == 403);
    CHECK(control::run_status_from(call("GET", "/v1/runs/1").body).profile == "endurance");
    CHECK(call("POST", "/v1/runs/1/stop").status == 200);
    CHECK(call("POST", "/v1/runs/1/explode").status == 404);
}
