#include "health/nvme_plan.h"

#include "base/error.h"

#include <map>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

/// A controller that counts what it is asked.
class FakeController final : public NvmeController {
  public:
    explicit FakeController(ControllerFacts facts) : facts_(std::move(facts)) {}
    ControllerFacts identify() override { return facts_; }
    std::vector<bool> listed_logs() override {
        ++commands;
        return listed;
    }
    std::vector<std::string> uuids() override {
        ++commands;
        return known_uuids;
    }
    LogReply read(const LogRequest&) override {
        FAIL("a plan reads no log");
        return {};
    }
    void list(std::initializer_list<int> ids) {
        listed.assign(256, false);
        for (const int id : ids)
            listed.at(static_cast<std::size_t>(id)) = true;
    }
    [[nodiscard]] std::vector<LogRequest> plan() { return plan_logs(*this, facts_, builtin_catalogue()); }
    [[nodiscard]] std::vector<int> planned_ids() {
        std::vector<int> ids;
        for (const auto& request : plan())
            ids.push_back(request.id);
        return ids;
    }

    std::vector<bool> listed;
    std::vector<std::string> known_uuids;
    int commands = 0;

  private:
    ControllerFacts facts_;
};

using Ids = std::vector<int>;

ControllerFacts facts_of(int vendor, int device, const std::string& model = "ACME") {
    ControllerFacts facts;
    facts.pci = {vendor, device};
    facts.model = model;
    return facts;
}

ControllerFacts listing(ControllerFacts facts) {
    facts.lists_logs = true;
    return facts;
}

TEST_CASE("a drive of no named maker that lists no logs is asked nothing") {
    for (const int vendor : {0x1b36, 0x1987, 0x144d, 0xc0a9, 0x126f, 0x15b7, 0}) {
        FakeController controller(facts_of(vendor, 0x0010));
        CHECK(controller.plan().empty());
        CHECK(controller.commands == 0);
    }
}

TEST_CASE("the OCP log is asked of any drive that lists it") {
    FakeController controller(listing(facts_of(0xabcd, 1)));
    controller.list({0x00, 0x01, 0x02, 0xc0, 0xca});
    CHECK(controller.plan() == std::vector<LogRequest>{{0xc0, 0, 0, 512}});
    CHECK(controller.commands == 1);
    FakeController without(listing(facts_of(0xabcd, 1)));
    without.list({0x00, 0x01, 0x02, 0xca});
    CHECK(without.plan().empty());
    FakeController refusing(listing(facts_of(0xabcd, 1)));
    CHECK(refusing.plan().empty());
    CHECK(refusing.commands == 1);
}

TEST_CASE("a maker's own logs are asked of its drives, unless they say that they have none") {
    CHECK(FakeController(facts_of(0x8086, 0x0a54, "INTEL SSDPE2KX010T8")).planned_ids() == Ids{0xca});
    CHECK(FakeController(facts_of(0x8086, 0xf1a8, "INTEL SSDPEKKA512G8")).planned_ids().empty());
    CHECK(FakeController(facts_of(0x1344, 0x51a2)).planned_ids() == Ids{0xfb, 0xd0});
    CHECK(FakeController(facts_of(0x1344, 0x51c0)).planned_ids() == Ids{0xc0, 0xe1});
    CHECK(FakeController(facts_of(0x1344, 0x5413)).planned_ids().empty());
    CHECK(FakeController(facts_of(0x1b96, 0x2400)).planned_ids() == Ids{0xc0, 0xca, 0xd0});
    CHECK(FakeController(facts_of(0x1b96, 0x2300)).planned_ids() == Ids{0xca, 0xd0, 0xc0});
    CHECK(FakeController(facts_of(0x1bb1, 0x0100, "XP800HE30002")).planned_ids() == Ids{0xc4});
    CHECK(FakeController(facts_of(0x1bb1, 0x5016, "Seagate FireCuda 520")).planned_ids().empty());
    FakeController listed(listing(facts_of(0x1344, 0x51c0)));
    listed.list({0x02, 0xe1});
    CHECK(listed.planned_ids() == Ids{0xe1});
}

TEST_CASE("log 09h is asked of each endurance group, up to four") {
    auto facts = facts_of(0xabcd, 1);
    facts.endurance_groups = 1;
    CHECK(FakeController(facts).plan() == std::vector<LogRequest>{{0x09, 1, 0, 512}});
    facts.endurance_groups = 65535;
    const auto plan = FakeController(facts).plan();
    REQUIRE(plan.size() == 4);
    CHECK(plan.back() == LogRequest{0x09, 4, 0, 512});
    FakeController listed(listing(facts));
    listed.list({0x02});
    CHECK(listed.plan().empty());
}

TEST_CASE("where a page has several definitions, OCP's is asked for by its UUID") {
    const std::string ocp("\xc1\x94\xd5\x5b\xe0\x94\x47\x94\xa2\x1d\x29\x99\x8f\x56\xbe\x6f");
    auto facts = listing(facts_of(0x025e, 0x0b60, "SOLIDIGM"));
    facts.lists_uuids = true;
    FakeController controller(facts);
    controller.list({0xc0, 0xca});
    controller.known_uuids = {std::string(16, '\x11'), ocp, std::string(16, '\0')};
    CHECK(controller.plan() == std::vector<LogRequest>{{0xc0, 0, 2, 512}, {0xca, 0, 0, 512}});
    CHECK(controller.commands == 2);
    controller.known_uuids = {};
    CHECK(controller.plan().front().uuid_index == 0);
}

TEST_CASE("a request is the same after its text") {
    CHECK(to_text({0xc0, 0, 2, 512}) == "c0:0:2:512");
    for (const auto* bad :
         {"", "c0", "c0:0:0", "c0:0:0:", "c0:0:0:0", "c0:0:0:511", "c0:0:0:4100", "100:0:0:512",
          "c0:0:0:512:", "c0:0:0:512 ", "-c0:0:0:512", "c0:0:128:512", "c0:65536:0:512"})
        CHECK_FALSE(parse_request(bad));
    CHECK(rc::check("round trip", [] {
        const LogRequest request{*rc::gen::inRange(0, 256), *rc::gen::inRange(0, 65536),
                                 *rc::gen::inRange(0, 128), 4 * *rc::gen::inRange<std::size_t>(1, 1025)};
        RC_ASSERT(parse_request(to_text(request)) == request);
    }));
}

}  // namespace
}  // namespace wearout::health
