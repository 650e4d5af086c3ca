#include "block/safety.h"

#include "fake_machine.h"

#include <cerrno>
#include <filesystem>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using wearout::test::any_has;
using wearout::test::FakeMachine;
using wearout::test::joined;

namespace {

/// A machine with two SATA drives, of which sda has two partitions.
class Machine : public FakeMachine {
  public:
    Machine() {
        add_disk({"sda", "pci0000:00/ata1/host0/0:0:0:0", {8, 0}});
        add_disk({"sdb", "pci0000:00/ata2/host1/1:0:0:0", {8, 16}});
        add_partition("sda", "sda1", {8, 1});
        add_partition("sda", "sda2", {8, 2});
    }
    void add_virtual(const std::string& name, DeviceNumber number) { add_disk({name, "virtual", number}); }

    [[nodiscard]] std::vector<std::string> against(const std::string& name) const {
        TargetSpec spec;
        spec.path = node(name);
        return reasons_not_to_destroy(spec, options, *this);
    }
    [[nodiscard]] std::vector<std::string> against_file(const std::string& path) const {
        TargetSpec spec;
        spec.kind = TargetKind::file;
        spec.path = path;
        return reasons_not_to_destroy(spec, options, *this);
    }
    /// sda's partitions are a reason of their own wherever signatures count.
    SafetyOptions options{.protected_paths = {}, .overwrite_signature = true};
};

void check_reason(const std::vector<std::string>& reasons, const std::string& wanted) {
    CHECK_MESSAGE(any_has(reasons, wanted), "wanted: ", wanted, "\ngot:\n", joined(reasons));
    for (const auto& reason : reasons)
        CHECK_MESSAGE(reason.find('\n') == std::string::npos, reason);
}

}  // namespace

TEST_CASE("a drive that nothing uses may be overwritten") {
    const Machine machine;
    CHECK_MESSAGE(machine.against("sdb").empty(), joined(machine.against("sdb")));
    CHECK(machine.against("sda").empty());
}

TEST_CASE("mounted: the disk, a partition, by another name space, by source alone") {
    Machine machine;
    SUBCASE("whole disk") {
        machine.mount({8, 16}, machine.node("sdb"), "/mnt/with space");
        check_reason(machine.against("sdb"), machine.node("sdb") + " is mounted on /mnt/with space");
        CHECK(machine.against("sda").empty());
    }
    SUBCASE("partition") {
        machine.mount({8, 2}, machine.node("sda2"), "/home");
        machine.mount({8, 2}, machine.node("sda2"), "/home/bind");
        check_reason(machine.against("sda"), machine.node("sda2") + " is mounted on /home and 1 more");
        CHECK(machine.against("sdb").empty());
    }
    SUBCASE("only process 1 sees it") {
        machine.mount_elsewhere({8, 1}, machine.node("sda1"), "/boot");
        check_reason(machine.against("sda"), machine.node("sda1") + " is mounted on /boot");
    }
    SUBCASE("an anonymous device, as of FUSE and btrfs, is known by its source") {
        machine.mount({0, 55}, machine.node("sda2"), "/media", "fuse.something");
        check_reason(machine.against("sda"), machine.node("sda2") + " is mounted on /media");
    }
    SUBCASE("a source that has no node here, but that sysfs knows") {
        std::filesystem::remove(machine.node("sda2"));
        machine.mount({0, 55}, machine.node("sda2"), "/media", "btrfs");
        check_reason(machine.against("sda"), "is mounted on /media");
    }
    SUBCASE("of several devices with colons between, each") {
        machine.mount({0, 55}, machine.node("sda2") + ":" + machine.node("sdb"), "/pool", "bcachefs");
        check_reason(machine.against("sda"), machine.node("sda2") + " is mounted on /pool");
        check_reason(machine.against("sdb"), machine.node("sdb") + " is mounted on /pool");
    }
}

TEST_CASE("every member of a mounted btrfs is refused") {
    Machine machine;
    const auto members = std::filesystem::path(machine.sys()) / "fs/btrfs/8a3a6a43-uuid/devices";
    std::filesystem::create_directories(members);
    std::filesystem::create_directory_symlink(machine.folder("sda1"), members / "sda1");
    std::filesystem::create_directory_symlink(machine.folder("sdb"), members / "sdb");
    machine.mount({0, 48}, machine.node("sda1"), "/data", "btrfs");
    check_reason(machine.against("sda"), machine.node("sda1") + " is mounted on /data");
    check_reason(machine.against("sdb"), machine.node("sdb") + " is mounted on /data");
}

TEST_CASE("stacks: md, LVM on crypt, bcache, and what they carry") {
    Machine machine;
    SUBCASE("member of an md array") {
        machine.add_virtual("md0", {9, 0});
        machine.stack("sda1", "md0");
        machine.stack("sdb", "md0");
        check_reason(machine.against("sda"), machine.node("sda1") + " is held by " + machine.node("md0"));
        check_reason(machine.against("sdb"), machine.node("sdb") + " is held by " + machine.node("md0"));
        machine.add_partition("md0", "md0p1", {259, 7});
        machine.mount({259, 7}, machine.node("md0p1"), "/srv");
        check_reason(machine.against("sdb"), machine.node("md0p1") + " is mounted on /srv");
        check_reason(machine.against("md0"), "is no drive of its own, it lies on " + machine.node("sda1"));
    }
    SUBCASE("a mounted logical volume in an encrypted partition") {
        machine.add_virtual("dm-0", {252, 0});
        machine.add_virtual("dm-1", {252, 1});
        machine.set("dm-0", "dm/name", "luks\n");
        machine.set("dm-1", "dm/name", "vg-home\n");
        machine.stack("sda2", "dm-0");
        machine.stack("dm-0", "dm-1");
        machine.mount({252, 1}, "/dev/mapper/vg-home", "/home", "xfs");
        const auto reasons = machine.against("sda");
        check_reason(reasons, machine.node("sda2") + " is held by " + machine.node("dm-0") + " (luks)");
        check_reason(reasons, machine.node("dm-0") + " is held by " + machine.node("dm-1") + " (vg-home)");
        check_reason(reasons, machine.node("dm-1") + " (vg-home) is mounted on /home");
        CHECK(machine.against("sdb").empty());
    }
    SUBCASE("the two devices of a bcache set, of which only one has a holder") {
        machine.add_virtual("bcache0", {251, 0});
        machine.stack("sda1", "bcache0");
        const auto set = std::filesystem::path(machine.sys()) / "fs/bcache/uuid";
        std::filesystem::create_directories(set);
        std::filesystem::create_directories(machine.folder("sda1") / "bcache");
        std::filesystem::create_directories(machine.folder("sdb") / "bcache");
        std::filesystem::create_directory_symlink(set, machine.folder("sda1") / "bcache/cache");
        std::filesystem::create_directory_symlink(set, machine.folder("sdb") / "bcache/set");
        std::filesystem::create_directory_symlink(machine.folder("sda1") / "bcache", set / "bdev0");
        std::filesystem::create_directory_symlink(machine.folder("sdb") / "bcache", set / "cache0");
        machine.mount({251, 0}, machine.node("bcache0"), "/srv");
        check_reason(machine.against("sdb"), machine.node("sdb") + " belongs to a bcache set in use");
        check_reason(machine.against("sdb"), machine.node("bcache0") + " is mounted on /srv");
        check_reason(machine.against("sda"), machine.node("sda1") + " is held by " + machine.node("bcache0"));
    }
}

TEST_CASE("swap: a partition, a stacked device, a file") {
    Machine machine;
    SUBCASE("partition") {
        machine.swap_on(machine.node("sda1"), false);
        check_reason(machine.against("sda"), machine.node("sda1") + " is used for swap");
        CHECK(machine.against("sdb").empty());
    }
    SUBCASE("logical volume") {
        machine.add_virtual("dm-3", {252, 3});
        machine.stack("sdb", "dm-3");
        machine.swap_on(machine.node("dm-3"), false);
        check_reason(machine.against("sdb"), machine.node("dm-3") + " is used for swap");
    }
    SUBCASE("file") {
        machine.place("/swap file", {8, 2}, FileType::regular);
        machine.swap_on("/swap file", true);
        check_reason(machine.against("sda"), machine.node("sda2") + " holds the swap file /swap file");
        check_reason(machine.against_file("/swap file"), "/swap file is used for swap");
    }
    SUBCASE("a device that cannot be found counts against all") {
        machine.swap_on("/dev/gone", false);
        check_reason(machine.against("sdb"), "cannot tell which device the swap area /dev/gone is");
    }
}

TEST_CASE("loop devices: on a drive, on a file on it, and stacked") {
    Machine machine;
    machine.add_virtual("loop0", {7, 0});
    SUBCASE("on the disk itself: neither may be overwritten") {
        machine.set("loop0", "loop/backing_file", machine.node("sdb") + "\n");
        check_reason(machine.against("sdb"), machine.node("loop0") + " is set up on " + machine.node("sdb"));
        check_reason(machine.against("loop0"),
                     machine.node("loop0") + " only stands for " + machine.node("sdb") + "; name that");
    }
    SUBCASE("on a file of a mounted partition") {
        machine.place("/images/x.img", {8, 2}, FileType::regular);
        machine.set("loop0", "loop/backing_file", "/images/x.img\n");
        check_reason(machine.against("sda"), machine.node("loop0") + " is set up on " + machine.node("sda2"));
        CHECK_MESSAGE(machine.against("loop0").empty(), joined(machine.against("loop0")));
        check_reason(machine.against_file("/images/x.img"), "loop0 is set up on /images/x.img");

        machine.add_virtual("loop1", {7, 1});
        machine.place("/other/name", {8, 2}, FileType::regular, machine.paths["/images/x.img"].inode);
        machine.set("loop1", "loop/backing_file", "/other/name\n");
        check_reason(machine.against("loop0"), machine.node("loop1") + " is set up on /images/x.img");
    }
    SUBCASE("the kernel's own word counts where the path leads elsewhere or nowhere") {
        machine.set("loop0", "loop/backing_file", "/deleted (deleted)\n");
        PathFacts file;
        file.type = FileType::regular;
        file.file_system = {8, 2};
        file.inode = 77;
        machine.loops[machine.node("loop0")] = file;
        check_reason(machine.against("sda"), machine.node("loop0") + " is set up on " + machine.node("sda2"));
        machine.place("/deleted (deleted)", {8, 16}, FileType::regular, 5);
        check_reason(machine.against("sda"), machine.node("loop0") + " is set up on " + machine.node("sda2"));
        CHECK(machine.against("sdb").empty());
    }
    SUBCASE("on what cannot be told: nothing may be overwritten") {
        machine.set("loop0", "loop/backing_file", "/secret\n");
        check_reason(machine.against("sdb"), "cannot tell what " + machine.node("loop0") + " is set up on");
    }
}

TEST_CASE("the drive that holds / or a protected path, through every kind of stack") {
    Machine machine;
    machine.options.protected_paths = {"/var/lib/wearout/wearout.db"};
    SUBCASE("directly, though the file is not made yet") {
        machine.place("/var/lib/wearout", {8, 2});
        check_reason(machine.against("sda"),
                     machine.node("sda") + " is the drive that holds /var/lib/wearout/wearout.db");
        CHECK(machine.against("sdb").empty());
    }
    SUBCASE("/ on a mirror") {
        machine.add_virtual("md0", {9, 0});
        machine.stack("sda1", "md0");
        machine.stack("sdb", "md0");
        machine.place("/", {9, 0});
        check_reason(machine.against("sda"), machine.node("sda") + " is the drive that holds /");
        check_reason(machine.against("sdb"), machine.node("sdb") + " is the drive that holds /");
    }
    SUBCASE("in a loop device's file system") {
        machine.add_virtual("loop0", {7, 0});
        machine.place("/images/x.img", {8, 16}, FileType::regular);
        machine.set("loop0", "loop/backing_file", "/images/x.img\n");
        machine.place("/var/lib/wearout", {7, 0});
        check_reason(machine.against("sdb"), machine.node("sdb") + " is the drive that holds /var");
        check_reason(machine.against("loop0"), machine.node("loop0") + " is the drive that holds /var");
        CHECK(machine.against("sda").empty());
    }
    SUBCASE("a btrfs subvolume, whose files have a number that no mount has") {
        machine.mount({0, 40}, machine.node("sdb"), "/var", "btrfs");
        machine.place("/var/lib/wearout", {0, 41});
        check_reason(machine.against("sda"), "cannot tell which drive holds /var/lib/wearout/wearout.db");
        machine.paths["/var/lib/wearout"].mount_id = machine.last_mount_id();
        check_reason(machine.against("sdb"), machine.node("sdb") + " is the drive that holds /var");
        CHECK(machine.against("sda").empty());
    }
    SUBCASE("an overlay lies where its layers lie") {
        machine.place("/layers/upper", {8, 2});
        machine.place("/layers/lower", {8, 16});
        machine.place("/", {0, 60});
        machine.mount({0, 60}, "overlay", "/", "overlay",
                      "rw,lowerdir=/gone:/layers/lower,upperdir=/layers/upper,workdir=/layers/work");
        check_reason(machine.against("sda"), machine.node("sda") + " is the drive that holds /");
        check_reason(machine.against("sdb"), machine.node("sdb") + " is the drive that holds /");
    }
    SUBCASE("a path that may not be looked at counts against all") {
        PathFacts denied;
        denied.error = EACCES;
        machine.paths["/var/lib/wearout/wearout.db"] = denied;
        check_reason(machine.against("sdb"), "cannot tell which drive holds /var/lib/wearout/wearout.db");
        check_reason(machine.against("sdb"), "Permission denied");
    }
    SUBCASE("a device that sysfs does not know counts against all") {
        machine.place("/var/lib/wearout", {8, 77});
        check_reason(machine.against("sdb"), "cannot tell which drive holds /var/lib/wearout/wearout.db");
    }
}

TEST_CASE("read-only, empty, claimed, not to be opened") {
    Machine machine;
    machine.set("sdb", "ro", "1\n");
    check_reason(machine.against("sdb"), machine.node("sdb") + " is read-only");
    machine.set("sdb", "ro", "0\n");
    machine.set("sdb", "size", "0\n");
    check_reason(machine.against("sdb"), machine.node("sdb") + " has no capacity");
    machine.set("sdb", "size", "2048\n");
    CHECK(machine.against("sdb").empty());
    machine.open_errors[machine.node("sdb")] = EBUSY;
    check_reason(machine.against("sdb"), machine.node("sdb") + " is in use");
    machine.open_errors[machine.node("sdb")] = EACCES;
    check_reason(machine.against("sdb"), "cannot open " + machine.node("sdb") + ": Permission denied");
}

TEST_CASE("signatures of the disk and its partitions are reasons that the user can override") {
    Machine machine;
    machine.options.overwrite_signature = false;
    machine.marks[machine.node("sdb")] = {{"ext4", "filesystem", "photos"}};
    check_reason(machine.against("sdb"),
                 machine.node("sdb") + " carries a file system (ext4) labelled \"photos\"");
    check_reason(machine.against("sda"), machine.node("sda") + " has 2 partitions");
    machine.marks[machine.node("sda")] = {{"gpt", "partition-table", ""}};
    machine.marks[machine.node("sda2")] = {{"LVM2_member", "raid", ""}};
    check_reason(machine.against("sda"), machine.node("sda") + " carries a partition table (gpt)");
    check_reason(machine.against("sda"),
                 machine.node("sda2") + " carries the mark of a volume member (LVM2_member)");

    machine.options.overwrite_signature = true;
    CHECK(machine.against("sda").empty());
    machine.mount({8, 2}, machine.node("sda2"), "/home");
    check_reason(machine.against("sda"), "is mounted on /home");
}

TEST_CASE("two devices with one identity are both refused") {
    Machine machine;
    for (const char* name : {"sda", "sdb"})
        machine.set(name, "device/wwid", "naa.5000c500a1b2c3d4\n");
    check_reason(machine.against("sdb"), machine.node("sdb") + " cannot be told from " + machine.node("sda") +
                                             ": both say that they are wwn:5000c500a1b2c3d4");
    check_reason(machine.against("sda"), "cannot be told from");
}

TEST_CASE("a partition, a special area and a path that leads nowhere") {
    Machine machine;
    check_reason(machine.against("sda1"),
                 machine.node("sda1") + " is a partition; name the whole disk, " + machine.node("sda"));
    machine.add_disk({"mmcblk0boot0", "platform/mmc0/mmcblk0", {179, 8}});
    check_reason(machine.against("mmcblk0boot0"), "is a special area of an eMMC");
    check_reason(machine.against("sdq"), machine.node("sdq") + ": No such file or directory");
    machine.place(machine.node("folder"), {0, 2});
    check_reason(machine.against("folder"), "is not a block device");
    PathFacts unknown;
    unknown.type = FileType::block;
    unknown.device = {8, 240};
    machine.paths[machine.node("sdp")] = unknown;
    check_reason(machine.against("sdp"), "cannot tell what " + machine.node("sdp") + " is");
}

TEST_CASE("whatever cannot be looked at is a reason") {
    namespace fs = std::filesystem;
    Machine machine;
    const fs::path proc = machine.proc();
    SUBCASE("no mount table") {
        fs::remove(proc / "self/mountinfo");
        check_reason(machine.against("sdb"), "cannot tell what is mounted");
    }
    SUBCASE("an empty mount table") {
        machine.write(proc / "self/mountinfo", "");
        check_reason(machine.against("sdb"), "cannot tell what is mounted");
    }
    SUBCASE("a mount table with a line that makes no sense") {
        machine.write(proc / "self/mountinfo", "rubbish\n", true);
        check_reason(machine.against("sdb"), "cannot tell what is mounted");
    }
    SUBCASE("process 1's mount table makes no sense") {
        machine.write(proc / "1/mountinfo", "rubbish\n");
        check_reason(machine.against("sdb"), "cannot tell what is mounted");
    }
    SUBCASE("swap that cannot be read") {
        fs::remove(proc / "swaps");
        fs::create_directories(proc / "swaps");
        check_reason(machine.against("sdb"), "cannot tell what is used for swap");
    }
    SUBCASE("no holders folder") {
        fs::remove_all(machine.folder("sda2") / "holders");
        check_reason(machine.against("sda"), "cannot tell what uses " + machine.node("sda2"));
    }
    SUBCASE("a holder that leads nowhere") {
        fs::create_symlink("/nowhere", machine.folder("sdb") / "holders/dm-9");
        check_reason(machine.against("sdb"), "cannot tell what uses " + machine.node("sdb"));
    }
    SUBCASE("no slaves folder") {
        fs::remove_all(machine.folder("sdb") / "slaves");
        check_reason(machine.against("sdb"), "cannot tell what " + machine.node("sdb") + " is made of");
    }
    SUBCASE("no read-only flag") {
        fs::remove(machine.folder("sdb") / "ro");
        check_reason(machine.against("sdb"), "cannot tell whether " + machine.node("sdb") + " is read-only");
    }
    SUBCASE("a partition without a number") {
        fs::remove(machine.folder("sda2") / "dev");
        check_reason(machine.against("sda"), "cannot tell what uses " + machine.node("sda"));
    }
    SUBCASE("no list of disks") {
        fs::remove_all(fs::path(machine.sys()) / "block");
        check_reason(machine.against("sdb"), "cannot tell which devices there are");
    }
    SUBCASE("a kernel without swap, though, has none") {
        fs::remove(proc / "swaps");
        CHECK(machine.against("sdb").empty());
    }
}

TEST_CASE("a stack that goes round in a circle ends") {
    Machine machine;
    machine.add_virtual("dm-0", {252, 0});
    machine.add_virtual("dm-1", {252, 1});
    machine.stack("sdb", "dm-0");
    machine.stack("dm-0", "dm-1");
    machine.stack("dm-1", "dm-0");
    machine.place("/", {252, 1});
    check_reason(machine.against("sdb"), machine.node("sdb") + " is the drive that holds /");
}

TEST_CASE("files: what exists and is not ours, what is protected, what is no file") {
    Machine machine;
    namespace fs = std::filesystem;
    const fs::path home = fs::path(machine.dev()).parent_path() / "home";
    const std::string database = home / "state/wearout.db";
    machine.options.protected_paths = {database, home / "state"};
    machine.place(home, {8, 2});
    CHECK_MESSAGE(machine.against_file(home / "new.img").empty(),
                  joined(machine.against_file(home / "new.img")));

    machine.place(home / "old.img", {8, 2}, FileType::regular);
    check_reason(machine.against_file(home / "old.img"), "exists and was not made by this program");
    machine.options.file_is_ours = true;
    CHECK(machine.against_file(home / "old.img").empty());
    machine.write_errors[home / "old.img"] = EROFS;
    check_reason(machine.against_file(home / "old.img"), "Read-only file system");

    check_reason(machine.against_file(home), "is a folder");
    machine.place(home / "socket", {8, 2}, FileType::other);
    check_reason(machine.against_file(home / "socket"), "is not a regular file");
    machine.place(machine.node("sdb"), {0, 6}, FileType::block);
    check_reason(machine.against_file(machine.node("sdb")), "is not a regular file");

    const std::string own = "belongs to this program's own files";
    for (const char* name :
         {"wearout.db", "wearout.db-wal", "wearout.db-shm", "other.db", "../state/wearout.db"})
        check_reason(machine.against_file(home / "state" / name), own);
    CHECK(machine.against_file(home / "state/scratch.img").empty());
    machine.place(database, {8, 2}, FileType::regular, 4242);
    machine.place(home / "hard-link", {8, 2}, FileType::regular, 4242);
    check_reason(machine.against_file(home / "hard-link"), own);
    PathFacts dangling;
    dangling.error = ENOENT;
    dangling.dangling = true;
    machine.paths[home / "link"] = dangling;
    check_reason(machine.against_file(home / "link"), "is a symbolic link that leads nowhere");

    // A loop device on the database is the database.
    machine.add_virtual("loop0", {7, 0});
    machine.place(home / "state", {8, 2});
    machine.set("loop0", "loop/backing_file", database + "\n");
    check_reason(machine.against("loop0"), "which must not be overwritten");
}

TEST_CASE("a simulated drive is never refused") {
    TargetSpec spec;
    spec.kind = TargetKind::simulated;
    spec.path = "/dev/sda";
    CHECK(reasons_not_to_destroy(spec, {}).empty());
    CHECK(consent_wanted(spec, {}, false).empty());
}

TEST_CASE("consent is the serial number, else the by-id name, else the path") {
    const Machine machine;
    TargetSpec spec;
    spec.path = machine.node("sda");
    Drive drive;
    drive.serial = "S1";
    drive.by_id = "ata-X";
    CHECK(consent_wanted(spec, drive, false, machine) == "S1");
    drive.serial.clear();
    CHECK(consent_wanted(spec, drive, false, machine) == "ata-X");
    drive.by_id.clear();
    CHECK(consent_wanted(spec, drive, true, machine) == spec.path);

    spec.kind = TargetKind::file;
    spec.path = machine.node("sda");
    CHECK(consent_wanted(spec, drive, false, machine) == spec.path);
    CHECK(consent_wanted(spec, drive, true, machine).empty());
    spec.path = "/nowhere/new";
    CHECK(consent_wanted(spec, drive, false, machine).empty());
}
