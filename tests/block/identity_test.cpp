#include "block/identity.h"

#include "base/error.h"
#include "block/identity_text.h"
#include "fake_machine.h"

#include <filesystem>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using wearout::test::FakeMachine;

namespace {

/// The message of the Failure that identifying a path ends with, after its code.
std::string failure_of(const System& system, const std::string& path) {
    try {
        return "none: " + identify_device(path, system).key;
    } catch (const Failure& failure) {
        return std::to_string(static_cast<int>(failure.code())) + ": " + failure.what();
    }
}

void add_nvme(FakeMachine& machine, const std::string& name, unsigned minor, const std::string& nsid) {
    machine.add_disk({name, "pci0000:00/0000:00:1d.0/nvme/nvme0", {259, minor}, 1000215216});
    machine.set(name, "device/model", "Samsung SSD 970 EVO 1TB                 \n");
    machine.set(name, "device/serial", "S467NX0K712345E     \n");
    machine.set(name, "device/firmware_rev", "1B2QEXE7\n");
    machine.set(name, "nsid", nsid + "\n");
    machine.set(name, "wwid", "nvme.144d-5334-00000001\n");
}

std::string vpd_page(unsigned code, const std::string& content) {
    return {std::string{'\0', static_cast<char>(code), '\0', static_cast<char>(content.size())} + content};
}

/// Page 89h with its IDENTIFY data, whose strings have the bytes of each word exchanged.
std::string ata_page(std::string model, std::string serial, std::string firmware) {
    std::string page(572, '\0');
    page[1] = static_cast<char>(0x89);
    page[2] = 2;
    page[3] = 0x38;
    const auto put = [&](std::size_t word, std::string text, std::size_t length) {
        text.resize(length, ' ');
        for (std::size_t i = 0; i < length; ++i)
            page[60 + word * 2 + (i ^ 1U)] = text[i];
    };
    put(27, std::move(model), 40);
    put(10, std::move(serial), 20);
    put(23, std::move(firmware), 8);
    return page;
}

void add_sata(FakeMachine& machine, const std::string& name, unsigned minor) {
    machine.add_disk({name, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0", {8, minor}, 468862128});
    machine.set(name, "device/vendor", "ATA     \n");
    machine.set(name, "device/model", "KINGSTON SH103S3\n");
    machine.set(name, "device/rev", "BBF0\n");
}

}  // namespace

TEST_CASE("an NVMe namespace is known from sysfs alone") {
    FakeMachine machine;
    add_nvme(machine, "nvme0n1", 0, "1");
    machine.set("nvme0n1", "wwid", "eui.0025385B71B0A1C2\n");
    machine.set("nvme0n1", "queue/logical_block_size", "4096\n");
    const Drive drive = identify_device(machine.node("nvme0n1"), machine);
    CHECK(drive.key == "wwn:eui.0025385b71b0a1c2");
    CHECK(drive.wwn == "eui.0025385b71b0a1c2");
    CHECK(drive.model == "Samsung SSD 970 EVO 1TB");
    CHECK(drive.serial == "S467NX0K712345E");
    CHECK(drive.firmware == "1B2QEXE7");
    CHECK(drive.transport == "nvme");
    CHECK(drive.capacity == Bytes{512110190592});
    CHECK(drive.logical_block_bytes == 4096);
    CHECK_FALSE(drive.simulated);
}

TEST_CASE("two namespaces of one NVMe drive are two drives, with and without names of their own") {
    FakeMachine machine;
    add_nvme(machine, "nvme0n1", 0, "1");
    add_nvme(machine, "nvme0n2", 1, "2");
    const Drive first = identify_device(machine.node("nvme0n1"), machine);
    const Drive second = identify_device(machine.node("nvme0n2"), machine);
    CHECK(first.key == "serial:Samsung SSD 970 EVO 1TB:S467NX0K712345E");
    CHECK(second.key == "serial:Samsung SSD 970 EVO 1TB:S467NX0K712345E:ns2");
    CHECK(first.wwn.empty());

    machine.set("nvme0n1", "wwid", "uuid.1B4E28BA-2FA1-11D2-883F-0016D3CCA427\n");
    CHECK(identify_device(machine.node("nvme0n1"), machine).key ==
          "wwn:uuid.1b4e28ba-2fa1-11d2-883f-0016d3cca427");
}

TEST_CASE("a SATA drive has the same key with and without udev's database") {
    FakeMachine machine;
    add_sata(machine, "sda", 0);
    machine.set("sda", "device/vpd_pg80", vpd_page(0x80, "    50026B723A02AABB"));
    const Drive bare = identify_device(machine.node("sda"), machine);
    CHECK(bare.key == "serial:KINGSTON SH103S3:50026B723A02AABB");
    CHECK(bare.transport == "sata");

    machine.udev[{8, 0}] = {{"ID_ATA", "1"},
                            {"ID_BUS", "ata"},
                            {"ID_MODEL", "KINGSTON_SH103S3240G"},
                            {"ID_MODEL_ENC", "KINGSTON\\x20SH103S3240G\\x20\\x20\\x20"},
                            {"ID_REVISION", "BBF0A001"},
                            {"ID_SERIAL_SHORT", "50026B723A02AABB"}};
    const Drive known = identify_device(machine.node("sda"), machine);
    CHECK(known.key == bare.key);
    CHECK(known.model == "KINGSTON SH103S3240G");
    CHECK(known.serial == "50026B723A02AABB");
    CHECK(known.firmware == "BBF0A001");

    SUBCASE("and a kernel that shows page 89h tells as much as udev") {
        machine.udev.clear();
        machine.set("sda", "device/vpd_pg89",
                    ata_page("KINGSTON SH103S3240G", "50026B723A02AABB", "BBF0A001"));
        const Drive told = identify_device(machine.node("sda"), machine);
        CHECK(told == known);
    }
    SUBCASE("a WWN names it before its serial number does, whichever way it is told") {
        machine.udev[{8, 0}]["ID_WWN"] = "0x50026B723A02AABB";
        CHECK(identify_device(machine.node("sda"), machine).key == "wwn:50026b723a02aabb");
        machine.udev.clear();
        machine.set("sda", "device/wwid", "naa.50026b723a02aabb\n");
        CHECK(identify_device(machine.node("sda"), machine).key == "wwn:50026b723a02aabb");
        machine.set("sda", "device/wwid", "t10.ATA     KINGSTON SH103S3240G   50026B723A02AABB \n");
        machine.set("sda", "device/vpd_pg83",
                    vpd_page(0x83, std::string("\x02\x00\x00\x04"
                                               "ABCD"
                                               "\x01\x13\x00\x08"
                                               "portport"
                                               "\x01\x03\x00\x08\x50\x02\x6b\x72\x3a\x02\xaa\xbb",
                                               32)));
        CHECK(identify_device(machine.node("sda"), machine).key == "wwn:50026b723a02aabb");
    }
}

TEST_CASE("a SAS drive's serial number is page 80h's, not udev's repetition of its WWN") {
    FakeMachine machine;
    machine.add_disk({"sdb", "pci0000:00/0000:02:00.0/host1/port-1:0/end_device-1:0/1:0:0:0", {8, 16}});
    machine.set("sdb", "device/vendor", "SEAGATE \n");
    machine.set("sdb", "device/model", "ST4000NM0023    \n");
    machine.set("sdb", "device/rev", "0004\n");
    machine.udev[{8, 16}] = {{"ID_BUS", "scsi"},
                             {"ID_SERIAL_SHORT", "35000c50057dd1111"},
                             {"ID_SCSI_SERIAL", "Z1Z0ABCD"},
                             {"ID_WWN", "0x5000c50057dd1111"}};
    const Drive drive = identify_device(machine.node("sdb"), machine);
    CHECK(drive.serial == "Z1Z0ABCD");
    CHECK(drive.model == "SEAGATE ST4000NM0023");
    CHECK(drive.firmware == "0004");
    CHECK(drive.transport == "sas");
    CHECK(drive.key == "wwn:5000c50057dd1111");
}

TEST_CASE("a drive in a USB dock is the drive, not the dock") {
    FakeMachine machine;
    machine.add_disk({"sdc", "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host2/target2:0:0/2:0:0:0", {8, 32}});
    machine.set("sdc", "device/vendor", "JMicron \n");
    machine.set("sdc", "device/model", "Generic         \n");
    machine.set("sdc", "device/wwid", "naa.3000000000000001\n");
    const auto usb = std::filesystem::path(machine.sys()) / "devices/pci0000:00/0000:00:14.0/usb2/2-1";
    machine.write(usb / "idVendor", "152d\n");
    machine.write(usb / "serial", "DOCK00001\n");

    CHECK(identify_device(machine.node("sdc"), machine).serial == "DOCK00001");
    machine.udev[{8, 32}] = {{"ID_ATA", "1"},
                             {"ID_BUS", "ata"},
                             {"ID_MODEL_ENC", "Samsung\\x20SSD\\x20860"},
                             {"ID_SERIAL_SHORT", "S3Z9NB0K111111A"}};
    const Drive first = identify_device(machine.node("sdc"), machine);
    CHECK(first.transport == "usb");
    CHECK(first.key == "serial:Samsung SSD 860:S3Z9NB0K111111A");
    machine.udev[{8, 32}]["ID_SERIAL_SHORT"] = "S3Z9NB0K222222B";
    CHECK(identify_device(machine.node("sdc"), machine).key != first.key);
}

TEST_CASE("virtio, mmc, xen, nbd, zram and loop devices") {
    FakeMachine machine;
    machine.add_disk({"vda", "pci0000:00/0000:00:02.0/virtio1", {254, 0}});
    machine.set("vda", "serial", "disk-0001");
    machine.add_disk({"vdb", "pci0000:00/0000:00:03.0/virtio2", {254, 16}});
    machine.add_disk({"mmcblk0", "platform/soc/mmc0/mmc0:0001", {179, 0}});
    machine.set("mmcblk0", "device/name", "SC16G\n");
    machine.set("mmcblk0", "device/serial", "0x0e7e3d5a\n");
    machine.add_disk({"mmcblk0boot0", "platform/soc/mmc0/mmc0:0001/mmcblk0", {179, 8}});
    machine.set("mmcblk0boot0", "device/name", "SC16G\n");
    machine.set("mmcblk0boot0", "device/serial", "0x0e7e3d5a\n");
    machine.add_disk({"zram0", "virtual", {253, 0}});
    machine.add_disk({"loop3", "virtual", {7, 3}});
    const auto file = std::filesystem::path(machine.dev()) / "a file \xc3\xa9\x01";
    machine.write(file, "x");
    machine.set("loop3", "loop/backing_file", file.native() + "\n");

    const auto key = [&](const char* name) { return identify_device(machine.node(name), machine).key; };
    CHECK(key("vda") == "serial:virtio:disk-0001");
    CHECK(key("vdb") == "path:" + machine.node("vdb"));
    CHECK(key("mmcblk0") == "serial:SC16G:0x0e7e3d5a");
    CHECK(key("mmcblk0boot0") == "path:" + machine.node("mmcblk0boot0"));
    CHECK(key("zram0") == "path:" + machine.node("zram0"));
    CHECK(key("loop3") == "loop:" + machine.dev() + "/a file \xc3\xa9\\x01");
    machine.set("loop3", "loop/offset", "1048576\n");
    CHECK(key("loop3") == "loop:" + machine.dev() + "/a file \xc3\xa9\\x01?offset=1048576");
    std::filesystem::remove(file);
    CHECK(key("loop3") == "path:" + machine.node("loop3"));
    CHECK_FALSE(is_lasting_key(key("loop3")));
    CHECK(is_lasting_key(key("vda")));
}

TEST_CASE("what is no whole block device is refused in one line that says what to do") {
    FakeMachine machine;
    add_sata(machine, "sda", 0);
    machine.add_partition("sda", "sda1", {8, 1});
    machine.place("/home", {8, 1});
    machine.place("/home/file", {8, 1}, FileType::regular);
    machine.place("/dev/null", {0, 6}, FileType::other);
    CHECK(failure_of(machine, machine.node("sda1")) ==
          "2: " + machine.node("sda1") + " is a partition; name the whole disk, " + machine.node("sda"));
    CHECK(failure_of(machine, "/home") == "2: /home is a folder, not a block device");
    CHECK(failure_of(machine, "/home/file").find("say file:/home/file") != std::string::npos);
    CHECK(failure_of(machine, "/dev/null") == "2: /dev/null is not a block device");
    CHECK(failure_of(machine, "/nowhere\n") == "4: /nowhere\\x0a: No such file or directory");
    PathFacts unknown;
    unknown.type = FileType::block;
    unknown.device = {8, 99};
    machine.paths["/dev/sdz"] = unknown;
    CHECK(failure_of(machine, "/dev/sdz").starts_with("4: /dev/sdz leads to device 8:99"));
}

TEST_CASE("of the names in by-id the best that leads here is shown") {
    FakeMachine machine;
    add_sata(machine, "sda", 0);
    add_sata(machine, "sdb", 16);
    machine.by_id("wwn-0x50026b723a02aabb", "sda");
    machine.by_id("scsi-350026b723a02aabb", "sda");
    const auto by_id = [&] { return identify_device(machine.node("sda"), machine).by_id; };
    CHECK(by_id() == "scsi-350026b723a02aabb");
    machine.by_id("ata-KINGSTON_SH103S3240G_50026B723A02AABB", "sda");
    machine.by_id("ata-AAA", "sdb");
    CHECK(by_id() == "ata-KINGSTON_SH103S3240G_50026B723A02AABB");
    machine.udev[{8, 0}]["DEVLINKS"] =
        "/dev/disk/by-path/x /dev/disk/by-id/wwn-0x50026b723a02aabb /dev/disk/by-id/ata-AAA";
    CHECK(by_id() == "wwn-0x50026b723a02aabb");  // ata-AAA is claimed by both and leads to the other.
    // A symbolic link names the drive as well as its node does.
    CHECK(identify_device(machine.dev() + "/disk/by-id/ata-AAA", machine).by_id == "ata-AAA");
}

TEST_CASE("a world-wide name that was left blank, and a serial number that all have, name nothing") {
    CHECK(normal_wwn("0x5000C500A1B2C3D4") == "5000c500a1b2c3d4");
    CHECK(normal_wwn("naa.600508b1001c4d3fa1b2c3d4e5f60718") == "600508b1001c4d3fa1b2c3d4e5f60718");
    CHECK(normal_wwn("eui.00000000000000018CE38E0300123456") == "eui.00000000000000018ce38e0300123456");
    for (const char* bad :
         {"", "0x", "0x5000000000000000", "0xffffffffffffffff", "naa.5000c500a1b2c3", "naa.9000c500a1b2c3d4",
          "naa.5000c500a1b2c3dg", "eui.0000000000000000", "t10.ATA     X", "nvme.144d-5334-00000001",
          "uuid.1234", "uuid.00000000-0000-0000-0000-000000000000", "5000c500a1b2c3d4"})
        CHECK_MESSAGE(normal_wwn(bad).empty(), bad);
    for (const char* bad :
         {"", "0", "00000000", "FFFFFFFF", "0123456789ABCDEF", "123456789012", "0123456789"})
        CHECK_MESSAGE(!is_telling_serial(bad), bad);
    for (const char* good : {"S467NX0K712345E", "12", "Z1Z0ABCD", "00000001"})
        CHECK_MESSAGE(is_telling_serial(good), good);
}

TEST_CASE("a colon in a model cannot make two drives one") {
    FakeMachine machine;
    add_nvme(machine, "nvme0n1", 0, "1");
    add_nvme(machine, "nvme1n1", 1, "1");
    machine.set("nvme0n1", "device/model", "A:B");
    machine.set("nvme0n1", "device/serial", "Cc");
    machine.set("nvme1n1", "device/model", "A");
    machine.set("nvme1n1", "device/serial", "B:Cc");
    CHECK(identify_device(machine.node("nvme0n1"), machine).key !=
          identify_device(machine.node("nvme1n1"), machine).key);
}

TEST_CASE("sizes that make no sense become no size") {
    FakeMachine machine;
    add_sata(machine, "sda", 0);
    for (const char* size : {"", "-1", "18446744073709551615", "99999999999999999999999", "12x", "0x10"}) {
        machine.set("sda", "size", size);
        CHECK_MESSAGE(identify_device(machine.node("sda"), machine).capacity == Bytes{0}, size);
    }
    machine.set("sda", "size", "35156656128\n");  // 18 TB
    CHECK(identify_device(machine.node("sda"), machine).capacity == Bytes{18000207937536});
    for (const char* bytes : {"", "0", "511", "1", "1073741824", "4097"}) {
        machine.set("sda", "queue/logical_block_size", bytes);
        CHECK_MESSAGE(identify_device(machine.node("sda"), machine).logical_block_bytes == 512, bytes);
    }
}
