#include "base/error.h"
#include "base/fd.h"
#include "block/drive_list.h"
#include "block/identity.h"
#include "block/safety.h"
#include "scratch_disk.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using namespace wearout::test;

/// The living kernel is asked here, by loop devices that each test makes and detaches.
namespace {

constexpr std::uint64_t mib = 1U << 20U;

std::vector<std::string> against(const std::string& path, const SafetyOptions& options = {}) {
    TargetSpec spec;
    spec.path = path;
    return reasons_not_to_destroy(spec, options);
}

/// Signatures left out: what no option can override.
std::vector<std::string> hard_reasons(const std::string& path,
                                      std::vector<std::string> protected_paths = {}) {
    return against(path, {.protected_paths = std::move(protected_paths), .overwrite_signature = true});
}

bool any_has(const std::vector<std::string>& lines, const std::string& text) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(text) != std::string::npos; });
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

#define CHECK_REASON(reasons, text) \
    CHECK_MESSAGE(any_has(reasons, text), "wanted: ", text, "\ngot:\n", joined(reasons))
#define CHECK_FREE(reasons) CHECK_MESSAGE((reasons).empty(), joined(reasons))

/// A scratch folder with one image and a loop device on it.
struct Scratch {
    explicit Scratch(std::uint64_t bytes = 64 * mib, const std::string& options = "") {
        require_loop_devices();
        make_image(image, bytes);
        loop.emplace(image, options);
    }
    [[nodiscard]] const std::string& path() const { return loop->path(); }
    ScratchFolder folder;
    std::string image = folder.path() + "/image";
    std::optional<ScratchLoop> loop;
};

/// One partition from 1 MiB on, of 32 MiB, in a table of the DOS kind.
std::string dos_table() {
    std::string sector(512, '\0');
    sector[446 + 4] = '\x83';
    sector[446 + 9] = 0x08;   // First sector 2048.
    sector[446 + 14] = 0x01;  // 65536 sectors.
    sector[510] = '\x55';
    sector[511] = '\xaa';
    return sector;
}

}  // namespace

TEST_CASE("a free loop device is a drive that may be overwritten") {
    const Scratch scratch(10 * mib + 512, "");
    const Drive drive = identify_device(scratch.path());
    CHECK(drive.key == "loop:" + scratch.image);
    CHECK(drive.transport == "loop");
    CHECK(drive.capacity == Bytes{10 * mib + 512});
    CHECK(drive.logical_block_bytes == 512);
    CHECK(find_drive(drive.key) == scratch.path());
    CHECK_FREE(against(scratch.path(), {}));
    TargetSpec spec;
    spec.path = scratch.path();
    CHECK(consent_wanted(spec, drive, false) == scratch.path());
    const auto drives = list_drives({});
    CHECK(std::any_of(drives.begin(), drives.end(), [&](const auto& listed) {
        return listed.path == scratch.path() && listed.drive == drive && listed.reasons.empty();
    }));
    // Its file is in use as long as it is set up.
    spec.kind = TargetKind::file;
    spec.path = scratch.image;
    CHECK_REASON(reasons_not_to_destroy(spec, {}), scratch.path() + " is set up on " + scratch.image);
}

TEST_CASE("a logical block of 4096 bytes is seen") {
    const Scratch scratch(16 * mib, "--sector-size 4096");
    CHECK(identify_device(scratch.path()).logical_block_bytes == 4096);
}

TEST_CASE("a mounted file system is refused, and is a signature when it is not mounted") {
    for (const std::string type : {"ext4", "xfs", "btrfs"}) {
        CAPTURE(type);
        const Scratch scratch(320 * mib);
        if (!shell("mkfs." + type + " -q " + scratch.path())) {
            MESSAGE("no mkfs." << type << " here: left out");
            continue;
        }
        {
            const ScratchMount mount(scratch.path(), scratch.folder.path() + "/mnt");
            REQUIRE(mount.works());
            CHECK_REASON(hard_reasons(scratch.path()),
                         scratch.path() + " is mounted on " + scratch.folder.path() + "/mnt");
            CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " is in use");
            const std::string database = scratch.folder.path() + "/mnt/state/wearout.db";
            CHECK_REASON(hard_reasons(scratch.path(), {database}),
                         scratch.path() + " is the drive that holds " + database);
        }
        CHECK_REASON(against(scratch.path()), scratch.path() + " carries a file system (" + type + ")");
        CHECK_FREE(hard_reasons(scratch.path()));
    }
}

TEST_CASE("a mount in another name space still shows as a claim") {
    const Scratch scratch;
    REQUIRE(shell("mkfs.ext4 -q " + scratch.path()));
    std::filesystem::create_directories(scratch.folder.path() + "/mnt");
    const std::string ready = scratch.folder.path() + "/ready";
    const std::string done = scratch.folder.path() + "/done";
    REQUIRE(shell("mkfifo " + ready + " " + done));
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string inside = "mount " + scratch.path() + " " + scratch.folder.path() + "/mnt; echo >" +
                                   ready + "; read x <" + done;
        ::execlp("unshare", "unshare", "-m", "sh", "-c", inside.c_str(), nullptr);
        ::_exit(1);
    }
    REQUIRE(shell("read x <" + ready));
    const auto reasons = hard_reasons(scratch.path());
    CHECK_REASON(reasons, scratch.path() + " is in use");
    CHECK_FALSE(any_has(reasons, "is mounted on"));
    REQUIRE(shell("echo >" + done));
    ::waitpid(child, nullptr, 0);
}

TEST_CASE("a mounted partition keeps the whole disk; a partition is no target") {
    const Scratch scratch;
    put_bytes(scratch.path(), 0, dos_table());
    REQUIRE(shell("blockdev --rereadpt " + scratch.path() + " || partx -a " + scratch.path()));
    const std::string partition = scratch.path() + "p1";
    if (!std::filesystem::exists(partition)) {
        MESSAGE("the kernel reads no DOS partition tables here: left out");
        return;
    }
    CHECK_REASON(against(scratch.path()), scratch.path() + " carries a partition table (dos)");
    CHECK_REASON(hard_reasons(partition),
                 partition + " is a partition; name the whole disk, " + scratch.path());
    CHECK_THROWS_AS((void)identify_device(partition), Failure);
    REQUIRE(shell("mkfs.ext4 -q -L photos " + partition));
    CHECK_REASON(against(scratch.path()), partition + " carries a file system (ext4) labelled \"photos\"");
    CHECK_FREE(hard_reasons(scratch.path()));
    {
        const ScratchMount mount(partition, scratch.folder.path() + "/mnt");
        REQUIRE(mount.works());
        CHECK_REASON(hard_reasons(scratch.path()),
                     partition + " is mounted on " + scratch.folder.path() + "/mnt");
        CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " is in use");
    }
    shell("partx -d " + scratch.path());
}

TEST_CASE("swap: on the device, and in a file on it") {
    const Scratch scratch;
    {
        const ScratchSwap swap(scratch.path());
        if (!swap.works()) {
            MESSAGE("no swap on loop devices here: left out");
            return;
        }
        CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " is used for swap");
        CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " is in use");
    }
    CHECK_REASON(against(scratch.path()), scratch.path() + " carries a signature (swap)");
    REQUIRE(shell("mkfs.ext4 -q " + scratch.path()));
    const ScratchMount mount(scratch.path(), scratch.folder.path() + "/mnt");
    const std::string file = scratch.folder.path() + "/mnt/swap file";
    REQUIRE(shell("dd if=/dev/zero of='" + file + "' bs=1M count=16"));
    const ScratchSwap swap(file);
    REQUIRE(swap.works());
    CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " holds the swap file " + file);
    TargetSpec spec;
    spec.kind = TargetKind::file;
    spec.path = file;
    CHECK_REASON(reasons_not_to_destroy(spec, {.protected_paths = {}, .file_is_ours = true}),
                 "is used for swap");
}

TEST_CASE("a loop device on a loop device, and two on one file") {
    const Scratch scratch;
    SUBCASE("on the device: the upper is no drive, the lower is taken") {
        const ScratchLoop upper(scratch.path());
        CHECK_REASON(hard_reasons(scratch.path()), upper.path() + " is set up on " + scratch.path());
        CHECK_REASON(hard_reasons(upper.path()), upper.path() + " only stands for " + scratch.path());
    }
    SUBCASE("on a file in its file system") {
        REQUIRE(shell("mkfs.ext4 -q " + scratch.path()));
        const ScratchMount mount(scratch.path(), scratch.folder.path() + "/mnt");
        make_image(scratch.folder.path() + "/mnt/inner", 4 * mib);
        const ScratchLoop upper(scratch.folder.path() + "/mnt/inner");
        CHECK_REASON(hard_reasons(scratch.path()), upper.path() + " is set up on " + scratch.path());
        CHECK_FREE(hard_reasons(upper.path()));
        std::filesystem::remove(scratch.folder.path() + "/mnt/inner");
        CHECK_REASON(hard_reasons(scratch.path()), upper.path() + " is set up on " + scratch.path());
        CHECK(identify_device(upper.path()).key == "path:" + upper.path());
    }
    SUBCASE("two on one file, though by other names and from another place on") {
        std::filesystem::create_hard_link(scratch.image, scratch.folder.path() + "/other");
        const ScratchLoop second(scratch.folder.path() + "/other", "--offset 1048576");
        CHECK_REASON(hard_reasons(scratch.path()), second.path() + " is set up on " + scratch.image);
        CHECK_REASON(hard_reasons(second.path()), scratch.path() + " is set up on ");
    }
}

TEST_CASE("a loop device on the database is the database") {
    const Scratch scratch;
    CHECK_REASON(hard_reasons(scratch.path(), {scratch.image}),
                 scratch.path() + " is set up on " + scratch.image + ", which must not be overwritten");
}

TEST_CASE("a read-only device, and one that another process holds") {
    const Scratch scratch;
    {
        const ScratchLoop read_only(scratch.image, "-r");
        CHECK_REASON(hard_reasons(read_only.path()), read_only.path() + " is read-only");
    }
    int ready[2] = {};
    int done[2] = {};
    REQUIRE(::pipe(ready) == 0);
    REQUIRE(::pipe(done) == 0);
    const pid_t child = ::fork();
    char byte = 0;
    if (child == 0) {
        const int fd = ::open(scratch.path().c_str(), O_RDONLY | O_EXCL);
        const bool told = ::write(ready[1], "x", 1) == 1 && ::read(done[0], &byte, 1) == 1;
        ::_exit(fd >= 0 && told ? 0 : 1);
    }
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    CHECK_REASON(hard_reasons(scratch.path()), scratch.path() + " is in use");
    REQUIRE(::write(done[1], "x", 1) == 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK_FREE(hard_reasons(scratch.path()));
    for (const int fd : {ready[0], ready[1], done[0], done[1]})
        ::close(fd);
}

TEST_CASE("the other devices of a mounted btrfs, and what is protected in a subvolume of it") {
    const Scratch first(320 * mib);
    const Scratch second(320 * mib);
    if (!shell("mkfs.btrfs -q -d raid1 -m raid1 " + first.path() + " " + second.path())) {
        MESSAGE("no mkfs.btrfs here: left out");
        return;
    }
    const std::string target = first.folder.path() + "/mnt";
    const ScratchMount mount("-o device=" + first.path() + ",device=" + second.path() + " " + first.path(),
                             target);
    REQUIRE(mount.works());
    REQUIRE(shell("btrfs subvolume create " + target + "/sub"));
    for (const auto* scratch : {&first, &second}) {
        const auto reasons = hard_reasons(scratch->path(), {target + "/sub/wearout.db"});
        CHECK_REASON(reasons, scratch->path() + " is mounted on " + target);
        CHECK_REASON(reasons, scratch->path() + " is the drive that holds " + target + "/sub/wearout.db");
        CHECK_FALSE(any_has(reasons, "cannot tell"));
    }
}

TEST_CASE("a protected path in an overlay lies where the layers lie") {
    const Scratch scratch;
    REQUIRE(shell("mkfs.ext4 -q " + scratch.path()));
    const std::string base = scratch.folder.path();
    const ScratchMount mount(scratch.path(), base + "/mnt");
    REQUIRE(shell("mkdir " + base + "/mnt/upper " + base + "/mnt/work " + base + "/lower"));
    const ScratchMount overlay("-t overlay overlay -o lowerdir=" + base + "/lower,upperdir=" + base +
                                   "/mnt/upper,workdir=" + base + "/mnt/work",
                               base + "/merged");
    if (!overlay.works()) {
        MESSAGE("no overlay here: left out");
        return;
    }
    CHECK_REASON(hard_reasons(scratch.path(), {base + "/merged/wearout.db"}),
                 scratch.path() + " is the drive that holds " + base + "/merged/wearout.db");
}

TEST_CASE("the drive that this machine runs from is refused") {
    for (const auto& listed : list_drives({}))
        if (any_has(listed.reasons, "is the drive that holds /"))
            CHECK_REASON(hard_reasons(listed.path), "is the drive that holds /");
    const PathFacts root = live_system().stat("/");
    REQUIRE(root.error == 0);
    if (const auto node = find_block(live_system(), root.file_system))
        CHECK_FALSE(hard_reasons(device_path(live_system(), node->disk)).empty());
}

TEST_CASE("an ordinary user gets refusals, not a crash") {
    const Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
        const auto reasons = hard_reasons(scratch.path());
        bool good = any_has(reasons, "cannot open " + scratch.path() + ": Permission denied");
        for (const auto& listed : list_drives({"/root/.not-to-be-seen/wearout.db"}))
            good = good && !listed.reasons.empty();
        good = good && identify_device(scratch.path()).capacity == Bytes{64 * mib};
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}
