#include "health/libnvme_controller.h"

#include "base/error.h"
#include "support/scratch_dir.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <functional>
#include <libnvme.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace {

/// The drive: gets each admin command; what it returns is the NVMe status.
std::function<int(nvme_passthru_cmd&)>& drive() {
    static std::function<int(nvme_passthru_cmd&)> instance;
    return instance;
}

}  // namespace

/// Stands before the C library's, also for libnvme.
extern "C" int ioctl(int, unsigned long request, ...) noexcept {
    std::va_list list;
    va_start(list, request);
    auto* command = va_arg(list, nvme_passthru_cmd*);
    va_end(list);
    if (request == NVME_IOCTL_ADMIN_CMD && drive()) return drive()(*command);
    errno = ENOTTY;
    return -1;
}

namespace wearout::health {
namespace {

/// Byte offsets of Identify Controller (NVMe Base 2.0, figure 275), and its opcode and CNS.
constexpr unsigned identify_opcode = 0x06;
constexpr unsigned get_log_opcode = 0x02;

unsigned char* data_of(const nvme_passthru_cmd& command) {
    return reinterpret_cast<unsigned char*>(command.addr);
}

class Bed {
  public:
    explicit Bed(std::function<int(nvme_passthru_cmd&)> handler) {
        drive() = std::move(handler);
        controller = open_nvme(folder_.write("nvme9n1", ""));
    }
    Bed(const Bed&) = delete;
    Bed& operator=(const Bed&) = delete;
    ~Bed() { drive() = nullptr; }
    std::unique_ptr<NvmeController> controller;

  private:
    test::ScratchDir folder_;
};

TEST_CASE("identify: what a plan needs to know") {
    int commands = 0;
    const auto identify = [&](unsigned lpa, unsigned ctratt, unsigned groups) {
        const Bed bed([&](nvme_passthru_cmd& command) {
            ++commands;
            CHECK(command.opcode == identify_opcode);
            CHECK(command.cdw10 == 1);  // CNS: the controller
            REQUIRE(command.data_len == 4096);
            auto* data = data_of(command);
            data[0] = 0x44;
            data[1] = 0x13;
            std::memcpy(data + 24, "Micron 7400                             ", 40);
            data[261] = static_cast<unsigned char>(lpa);
            data[96] = static_cast<unsigned char>(ctratt & 0xffU);
            data[97] = static_cast<unsigned char>(ctratt >> 8U);
            data[340] = static_cast<unsigned char>(groups & 0xffU);
            data[341] = static_cast<unsigned char>(groups >> 8U);
            return 0;
        });
        return bed.controller->identify();
    };
    const ControllerFacts plain{.pci = {0x1344, 0}, .model = "Micron 7400"};
    CHECK(identify(0, 0, 300) == plain);
    CHECK(identify(0xdf, 0xfdef, 300) == plain);
    CHECK(identify(0x20, 0x210, 300) == ControllerFacts{.pci = {0x1344, 0},
                                                        .model = "Micron 7400",
                                                        .lists_logs = true,
                                                        .lists_uuids = true,
                                                        .endurance_groups = 300});
    CHECK(commands == 3);
}

TEST_CASE("a log is asked of the whole controller, and waiting events are kept") {
    const Bed bed([](nvme_passthru_cmd& command) {
        CHECK(command.opcode == get_log_opcode);
        CHECK(command.nsid == 0xffffffff);
        CHECK((command.cdw10 & 0xffU) == 0xc0);
        CHECK((command.cdw10 & 0x8000U) != 0);  // Retain asynchronous event.
        CHECK((command.cdw10 >> 16U) == 512 / 4 - 1);
        CHECK(command.cdw11 == 3U << 16U);  // Log specific identifier: the endurance group.
        CHECK(command.cdw12 == 0);
        CHECK(command.cdw13 == 0);
        CHECK(command.cdw14 == 2);  // UUID index
        CHECK(command.timeout_ms == 0);
        REQUIRE(command.data_len == 512);
        std::memset(data_of(command), 0x5a, 512);
        return 0;
    });
    const auto reply = bed.controller->read({.id = 0xc0, .group = 3, .uuid_index = 2, .bytes = 512});
    CHECK(reply.kind == LogReply::Kind::answered);
    CHECK(reply.bytes == std::string(512, '\x5a'));
}

TEST_CASE("a refusal is told from a failure") {
    int status = 0;
    const Bed bed([&](nvme_passthru_cmd&) { return status; });
    // With and without the bits "do not retry" and "more".
    for (const int refusal : {0x001, 0x002, 0x00b, 0x109, 0x4109, 0x6002}) {
        status = refusal;
        CHECK(bed.controller->read({.id = 0xc0}).kind == LogReply::Kind::refused);
    }
    for (const int failure : {0x006, 0x009, 0x082, 0x102, 0x4006, 0x281}) {
        status = failure;
        const auto reply = bed.controller->read({.id = 0xc0});
        CHECK(reply.kind == LogReply::Kind::failed);
        CHECK(reply.reason.ends_with(fmt::format("(status {:x}h)", failure)));
    }
    drive() = [](nvme_passthru_cmd&) {
        errno = ENODEV;
        return -1;
    };
    CHECK(bed.controller->read({.id = 0xc0}).reason == "ioctl: No such device");
    CHECK_THROWS_WITH_AS((void)bed.controller->identify(), "identify: ioctl: No such device", Failure);
}

TEST_CASE("the lists of logs and of UUIDs") {
    bool refuses = false;
    const Bed bed([&](nvme_passthru_cmd& command) {
        if (refuses) return 0x4109;
        auto* data = data_of(command);
        if (command.opcode == get_log_opcode) {
            CHECK((command.cdw10 & 0xffU) == 0);
            REQUIRE(command.data_len == 1024);
            data[4 * 0x02] = 1;
            data[4 * 0xc0] = 3;
            data[4 * 0xca] = 2;  // Another bit than "supported".
        } else {
            CHECK(command.cdw10 == 0x17);
            REQUIRE(command.data_len == 4096);
            std::memset(data + 32 + 16, 0x11, 16);  // Index 1
            std::memset(data + 64 + 16, 0x22, 16);  // Index 2
        }
        return 0;
    });
    const auto listed = bed.controller->listed_logs();
    REQUIRE(listed.size() == 256);
    for (std::size_t id = 0; id < listed.size(); ++id)
        CHECK(listed[id] == (id == 0x02 || id == 0xc0));
    const auto uuids = bed.controller->uuids();
    REQUIRE(uuids.size() >= 2);
    CHECK(uuids[0] == std::string(16, '\x11'));
    CHECK(uuids[1] == std::string(16, '\x22'));
    refuses = true;
    CHECK(bed.controller->listed_logs().empty());
    CHECK(bed.controller->uuids().empty());
}

TEST_CASE("what is no NVMe device is told") {
    CHECK_THROWS_AS((void)open_nvme("/no/such/nvme0"), Failure);
    CHECK_THROWS_AS((void)open_nvme("/dev/null")->identify(), Failure);
}

}  // namespace
}  // namespace wearout::health
