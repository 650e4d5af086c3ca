#include "block/drive_list.h"
#include "block/text.h"
#include "block/vpd.h"
#include "fake_machine.h"

#include <random>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block;
using wearout::test::FakeMachine;

namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t most) {
    std::string text(random() % (most + 1), '\0');
    const bool plausible = random() % 3 == 0;
    for (char& c : text)
        c = static_cast<char>(plausible ? 32 + random() % 95 : random());
    return text;
}

bool is_presentable(const std::string& text, std::size_t longest) {
    if (text.size() > longest) return false;
    for (const char c : text)
        if (c < ' ' || c > '~') return false;
    return true;
}

/// Valid UTF-8 without control characters, as JSON and a terminal want it.
bool is_safe_text(std::string text) {
    std::erase(text, '\\');
    return printable_path(text) == text;
}

}  // namespace

TEST_CASE("whatever the attributes hold, answers stay whole, short and printable") {
    const unsigned seed = std::random_device{}();
    INFO("seed ", seed);
    std::mt19937_64 random(seed);
    const std::vector<std::string> attributes{"dev",
                                              "size",
                                              "ro",
                                              "hidden",
                                              "wwid",
                                              "nsid",
                                              "serial",
                                              "queue/logical_block_size",
                                              "device/model",
                                              "device/vendor",
                                              "device/serial",
                                              "device/rev",
                                              "device/firmware_rev",
                                              "device/wwid",
                                              "device/vpd_pg80",
                                              "device/vpd_pg83",
                                              "device/vpd_pg89",
                                              "device/name",
                                              "device/fwrev",
                                              "loop/backing_file",
                                              "loop/offset",
                                              "dm/name"};
    for (int round = 0; round < 60; ++round) {
        FakeMachine machine;
        const std::vector<std::string> names{"sda", "nvme0n1", "mmcblk0", "vda", "loop0", "sdb"};
        unsigned minor = 0;
        for (const auto& name : names)
            machine.add_disk({name, name == "sdb" ? "pci0/usb1/1-1" : "pci0/ata1", {8, minor++}});
        machine.add_partition("sda", "sda1", {8, 99});
        for (const auto& name : names)
            for (const auto& attribute : attributes)
                if (random() % 4 != 0 && (attribute != "dev" || round % 4 == 0))
                    machine.set(name, attribute, random_bytes(random, attribute.size() % 2 ? 40 : 9000));
        for (auto& [key, value] : std::map<std::string, std::string>{
                 {"ID_MODEL_ENC", ""}, {"ID_SERIAL_SHORT", ""}, {"ID_WWN", ""}, {"DEVLINKS", ""}})
            machine.udev[{8, 0}][key] = random_bytes(random, 5000);
        for (const auto& listed : list_drives({}, machine)) {
            const Drive& drive = listed.drive;
            CHECK(is_presentable(drive.model, 300));
            CHECK(is_presentable(drive.serial, 300));
            CHECK(is_presentable(drive.firmware, 300));
            CHECK(is_presentable(drive.wwn, 64));
            CHECK(is_presentable(drive.by_id, 255));
            CHECK(is_safe_text(drive.key));
            CHECK(drive.logical_block_bytes >= 512);
            for (const auto& reason : listed.reasons)
                CHECK(is_safe_text(reason));
        }
    }
}

TEST_CASE("vital product data pages may hold anything") {
    CHECK(rc::check("VPD pages", [](const std::string& page) {
        for (const char code : {'\x80', '\x83', '\x89'}) {
            std::string typed = page;
            if (typed.size() > 1) typed[1] = code;
            RC_ASSERT(vpd_serial(typed).size() <= 128U);
            RC_ASSERT(vpd_wwn(typed).size() <= 36U);
            (void)vpd_ata(typed);
        }
    }));
}

TEST_CASE("a page cut short anywhere is read without going beyond it") {
    std::string page(
        "\x00\x83\x00\x18"
        "\x01\x03\x00\x08\x50\x02\x6b\x72\x3a\x02\xaa\xbb"
        "\x01\x02\x00\x08"
        "EUI64EUI",
        28);
    CHECK(vpd_wwn(page) == "naa.50026b723a02aabb");
    for (std::size_t length = 0; length < page.size(); ++length) {
        const std::string cut = page.substr(0, length);
        CHECK(vpd_wwn(cut) == (length >= 16 ? "naa.50026b723a02aabb" : ""));
    }
}
