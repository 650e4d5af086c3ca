#include "block/drive_list.h"

#include "base/error.h"
#include "fake_machine.h"

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using wearout::test::any_has;
using wearout::test::FakeMachine;

namespace {

std::vector<std::string> paths_of(const std::vector<ListedDrive>& drives) {
    std::vector<std::string> paths;
    for (const auto& listed : drives)
        paths.push_back(listed.path);
    return paths;
}

}  // namespace

TEST_CASE("whole drives are listed in natural order, and nothing else") {
    FakeMachine machine;
    unsigned minor = 0;
    for (const char* name : {"sdaa", "sdb", "sda", "nvme10n1", "nvme2n1", "vda", "xvda", "mmcblk0", "nbd0"})
        machine.add_disk({name, "pci0000:00", {8, minor++}});
    for (const char* name : {"dm-0", "md0", "zram0", "ram0", "sr0", "loop0", "loop1", "bcache0"})
        machine.add_disk({name, "virtual", {9, minor++}});
    machine.add_disk({"nbd1", "virtual", {43, 1}, 0});
    machine.add_disk({"mmcblk0boot0", "pci0000:00/mmcblk0", {179, 8}});
    machine.add_disk({"nvme1c1n1", "pci0000:00", {259, 9}});
    machine.set("nvme1c1n1", "hidden", "1\n");
    machine.add_partition("sda", "sda1", {8, 100});
    machine.place("/image", {8, 100}, FileType::regular);
    machine.set("loop1", "loop/backing_file", "/image\n");
    machine.set("nvme2n1", "wwid", "eui.0025385b71b0a1c2\n");
    machine.open_errors[machine.node("sdb")] = EBUSY;

    const auto drives = list_drives({}, machine);
    std::vector<std::string> wanted;
    for (const char* name :
         {"loop1", "mmcblk0", "nbd0", "nvme2n1", "nvme10n1", "sda", "sdb", "sdaa", "vda", "xvda"})
        wanted.push_back(machine.node(name));
    CHECK(paths_of(drives) == wanted);
    for (const auto& listed : drives) {
        const bool in_use = listed.path == machine.node("sdb") || listed.path == machine.node("sda");
        CHECK_MESSAGE(listed.reasons.empty() == !in_use, listed.path);
    }
    CHECK(any_has(drives[5].reasons, machine.node("loop1") + " is set up on " + machine.node("sda1")));

    CHECK(find_drive("wwn:eui.0025385b71b0a1c2", machine) == machine.node("nvme2n1"));
    CHECK(find_drive("path:" + machine.node("sda"), machine) == machine.node("sda"));
    CHECK(find_drive("wwn:none", machine).empty());
    CHECK(find_drive("", machine).empty());
    machine.set("nvme10n1", "wwid", "eui.0025385b71b0a1c2\n");
    CHECK_MESSAGE(find_drive("wwn:eui.0025385b71b0a1c2", machine).empty(), "two that cannot be told apart");
}

TEST_CASE("a machine without sysfs is told, not shown as one without drives") {
    const System machine("/nowhere/sys", "/nowhere/proc", "/nowhere/dev");
    CHECK_THROWS_AS((void)list_drives({}, machine), Failure);
    CHECK(find_drive("wwn:x", machine).empty());
}
