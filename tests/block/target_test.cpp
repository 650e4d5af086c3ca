#include "block/target.h"

#include "base/error.h"
#include "block/io_helpers.h"
#include "support/scratch_dir.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

/// The Failure that `act` throws must be one line with this code and these words in it.
void check_failure(const std::function<void()>& act, ExitCode code, const std::string& words) {
    try {
        act();
    } catch (const Failure& failure) {
        const std::string what = failure.what();
        CAPTURE(what);
        CHECK(failure.code() == code);
        CHECK(what.find(words) != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
        return;
    }
    FAIL_CHECK("no Failure with \"" << words << "\"");
}

void refuses(const std::string& target, ExitCode code, const std::string& words,
             const OpenOptions& options = {}) {
    CAPTURE(target);
    check_failure([&] { static_cast<void>(open_target(parse_target(target), options)); }, code, words);
    check_failure([&] { static_cast<void>(identify(parse_target(target), options)); }, code, words);
}

std::string make_file(const test::ScratchDir& dir, const std::string& name, std::uint64_t size) {
    std::ofstream(dir.file(name)).close();
    std::filesystem::resize_file(dir.file(name), size);
    return dir.file(name);
}

}  // namespace

TEST_CASE("a target says what kind it is") {
    test::ScratchDir dir;
    const std::string path = make_file(dir, "drive", mib);
    const TargetSpec file = parse_target("file:/some/where?size=1GiB&block=512");
    CHECK(file.kind == TargetKind::file);
    CHECK(file.path == "/some/where");
    CHECK(file.options == decltype(file.options){{"size", "1GiB"}, {"block", "512"}});
    CHECK(file.text == "file:/some/where?size=1GiB&block=512");
    CHECK(parse_target(path).kind == TargetKind::file);
    CHECK(parse_target(path).path == path);
    CHECK(parse_target("file:/what?is?").path == "/what?is");
    const TargetSpec simulated = parse_target("sim:first.one?endurance=300");
    CHECK(simulated.kind == TargetKind::simulated);
    CHECK(simulated.path == "first.one");
}

TEST_CASE("malformed targets are usage errors that say what is right") {
    const std::string long_path = "file:/" + std::string(5000, 'a');
    for (const auto& [text, words] : std::initializer_list<std::pair<std::string, std::string>>{
             {"", "give a block device"},
             {"sda", "must begin with /"},
             {"disk.img", "must begin with /"},
             {"file:", "must begin with /"},
             {"file:relative?size=1GiB", "must begin with /"},
             {long_path, "4096 characters"},
             {"file:/a\nb", "control characters"},
             {std::string("file:/a\0b", 9), "control characters"},
             {"file:/a\x1b[2J", "control characters"},
             {"file:/a?size", "no option"},
             {"file:/a?size=", "no option"},
             {"file:/a?=1", "no option"},
             {"file:/a?size=1GiB&", "no option"},
             {"file:/a?&size=1GiB", "no option"},
             {"file:/a?size=1GiB&size=1GiB", "twice"},
             {"file:/a?colour=red", "no option \"colour\""},
             {"file:/a?size=many", "many"},
             {"file:/a?size=-1", "-1"},
             {"file:/a?size=0", "above 0"},
             {"file:/a?size=9EiB", "size"},
             {"file:/a?size=99999999999999999999", "size"},
             {"file:/a?block=1024", "512 or 4096"},
             {"file:/a?block=4294967808", "512 or 4096"},
             {"/dev/null", "character device"},
             {"/", "is a directory"}})
        check_failure([&text = text] { static_cast<void>(parse_target(text)); }, ExitCode::usage, words);
    check_failure([] { static_cast<void>(parse_target("/dev/no-such-drive")); }, ExitCode::unreachable,
                  "No such file");
    check_failure([] { static_cast<void>(parse_target("/no/such/file")); }, ExitCode::unreachable,
                  "file:/no/such/file?size=");
    CHECK_THROWS_AS(static_cast<void>(parse_target("sim:")), Failure);
    CHECK_THROWS_AS(static_cast<void>(parse_target("sim:../../etc/passwd")), Failure);
}

TEST_CASE("no text makes the parser do anything but answer or throw a Failure") {
    rc::check([](const std::string& tail) {
        const std::string prefix =
            *rc::gen::element<std::string>("", "file:", "file:/", "file:/x?", "sim:", "/dev/");
        try {
            static_cast<void>(parse_target(prefix + tail));
        } catch (const Failure&) {
        }
    });
}

TEST_CASE("a file is made with the size asked for, in full, and is the same drive when opened again") {
    test::ScratchDir dir;
    const std::string path = dir.file("drive");
    const TargetSpec spec = parse_target("file:" + path + "?size=1MiB");
    const Drive described = identify(spec, {});
    CHECK_FALSE(std::filesystem::exists(path));
    const test::Data data = test::random_data(mib, 1);
    {
        const OpenTarget target = open_target(spec, {});
        CHECK(target.created);
        CHECK(target.drive == described);
        CHECK(target.drive.key == "file:" + std::filesystem::canonical(path).string());
        CHECK(target.drive.model == "regular file");
        CHECK(target.drive.transport == "file");
        CHECK(target.drive.capacity.value == mib);
        CHECK(target.device_path.empty());
        CHECK(target.device->geometry() == Geometry{{mib}, 4096});
        CHECK(test::is_done(test::write(*target.device, 0, data)));
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK(static_cast<std::uint64_t>(status.st_blocks) * 512 >= mib);
        CHECK((status.st_mode & 0077U) == 0);
    }
    OpenOptions again;
    again.may_create = false;
    const OpenTarget target = open_target(parse_target(path), again);
    CHECK_FALSE(target.created);
    CHECK(target.drive == described);
    CHECK(test::read(*target.device, 0, mib) == data);
}

TEST_CASE("the block follows from the size, or is the one that was asked for") {
    test::ScratchDir dir;
    const auto block_of = [&](const std::string& name, const std::string& options) {
        const OpenTarget target = open_target(parse_target("file:" + dir.file(name) + options), {});
        CHECK(target.drive.logical_block_bytes == target.device->geometry().logical_block);
        return target.device->geometry().logical_block;
    };
    CHECK(block_of("a", "?size=8192") == 4096);
    CHECK(block_of("b", "?size=8704") == 512);
    CHECK(block_of("c", "?size=8192&block=512") == 512);
    refuses("file:" + dir.file("b") + "?block=4096", ExitCode::usage, "no multiple of the block");
    refuses("file:" + dir.file("d") + "?size=1000", ExitCode::usage, "no multiple of the block");
    CHECK_FALSE(std::filesystem::exists(dir.file("d")));
}

TEST_CASE("what is no drive is refused in one line") {
    test::ScratchDir dir;
    const std::string at = "file:";
    make_file(dir, "empty", 0);
    make_file(dir, "odd", 1000);
    make_file(dir, "good", mib);
    REQUIRE(::mkfifo(dir.file("fifo").c_str(), 0600) == 0);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{AF_UNIX, {}};
    dir.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(listener);
    std::filesystem::create_symlink("nowhere", dir.file("dangling"));

    refuses(at + dir.file("empty"), ExitCode::usage, "is empty");
    refuses(at + dir.file("empty") + "?size=1MiB", ExitCode::usage, "is empty");
    refuses(at + dir.file("odd"), ExitCode::usage, "no multiple of the block");
    refuses(at + dir.file("good") + "?size=2MiB", ExitCode::usage, "1048576 bytes, not the 2097152");
    refuses(at + dir.file("fifo"), ExitCode::usage, "is a FIFO");
    refuses(at + dir.file("socket"), ExitCode::usage, "is a socket");
    refuses(at + "/dev/null", ExitCode::usage, "is a character device");
    refuses(at + dir.file("."), ExitCode::usage, "is a directory");
    refuses(at + dir.file("missing"), ExitCode::unreachable, "?size=");
    refuses(at + dir.file("no/folder") + "?size=1MiB", ExitCode::unreachable, "No such file");
    refuses(at + dir.file("good/child") + "?size=1MiB", ExitCode::unreachable, "Not a directory");
    refuses(at + dir.file("new/") + "?size=1MiB", ExitCode::usage, "names a folder");
    check_failure(
        [&] { static_cast<void>(open_target(parse_target(at + dir.file("dangling") + "?size=1MiB"), {})); },
        ExitCode::unreachable, "exists");
    CHECK_THROWS_AS(static_cast<void>(parse_target(dir.file("fifo"))), Failure);
}

TEST_CASE("a file is not made by an opener who only reads or goes on") {
    test::ScratchDir dir;
    const std::string target = "file:" + dir.file("new") + "?size=1MiB";
    OpenOptions options;
    options.reads_only = true;
    refuses(target, ExitCode::unreachable, "No such file", options);
    options = {};
    options.may_create = false;
    refuses(target, ExitCode::unreachable, "No such file", options);
    CHECK_FALSE(std::filesystem::exists(dir.file("new")));
}

TEST_CASE("a read-only file is refused to writers, root too, and open to readers") {
    test::ScratchDir dir;
    const std::string path = make_file(dir, "drive", mib);
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    refuses(path, ExitCode::refused, "read-only");
    OpenOptions options;
    options.reads_only = true;
    const OpenTarget target = open_target(parse_target(path), options);
    CHECK(test::read(*target.device, 0, 4096) == test::Data(4096));
    CHECK(test::failed_with(test::write(*target.device, 0, test::Data(4096))) == EBADF);
}

TEST_CASE("a file in use is refused, whatever name it is reached by, and free as soon as it is closed") {
    test::ScratchDir dir;
    const std::string path = make_file(dir, "drive", mib);
    std::filesystem::create_symlink("drive", dir.file("link"));
    std::filesystem::create_hard_link(path, dir.file("twin"));
    for (int i = 0; i < 20; ++i) {
        OpenTarget first = open_target(parse_target(dir.file("link")), {});
        CHECK(first.drive.key == "file:" + std::filesystem::canonical(path).string());
        test::write(*first.device, 0, test::Data(4096));
        for (const std::string& name : {path, dir.file("link"), dir.file("twin")})
            check_failure([&] { static_cast<void>(open_target(parse_target(name), {})); }, ExitCode::refused,
                          "in use");
    }
    const int other = ::open(path.c_str(), O_RDONLY);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    check_failure([&] { static_cast<void>(open_target(parse_target(path), {})); }, ExitCode::refused,
                  "in use");
    ::close(other);
}

TEST_CASE("a file that does not fit is not left behind") {
    test::ScratchDir dir;
    struct statvfs space {};
    REQUIRE(::statvfs(dir.file(".").c_str(), &space) == 0);
    const std::uint64_t too_much = (space.f_bavail * space.f_frsize / mib + 1024) * mib;
    const std::string file = "file:" + dir.file("drive");
    check_failure(
        [&] { static_cast<void>(open_target(parse_target(fmt::format("{}?size={}", file, too_much)), {})); },
        ExitCode::unreachable, "no room");
    CHECK_THROWS_AS(static_cast<void>(open_target(parse_target(file + "?size=7000000TiB"), {})), Failure);
    CHECK_FALSE(std::filesystem::exists(dir.file("drive")));
}

TEST_CASE("queue depth and transfer size are checked") {
    test::ScratchDir dir;
    const TargetSpec spec = parse_target(make_file(dir, "drive", mib));
    const auto open_with = [&](std::uint32_t depth, std::uint32_t transfer) {
        return [&spec, depth, transfer] {
            OpenOptions options;
            options.queue_depth = depth;
            options.transfer_bytes = transfer;
            static_cast<void>(open_target(spec, options));
        };
    };
    check_failure(open_with(0, 4096), ExitCode::usage, "queue depth");
    check_failure(open_with(100'000, 4096), ExitCode::usage, "queue depth");
    check_failure(open_with(1, 0), ExitCode::usage, "transfers");
    check_failure(open_with(1, 5000), ExitCode::usage, "transfers");
    check_failure(open_with(1, 1U << 30U), ExitCode::usage, "transfers");
    open_with(1024, 4096)();
}

TEST_CASE("a simulated drive is made, and found again by its name") {
    test::ScratchDir dir;
    OpenOptions options;
    options.state_dir = dir.file(".");
    options.transfer_bytes = 65536;
    const TargetSpec spec = parse_target("sim:one?size=16MiB");
    const Drive described = identify(spec, options);
    const test::Data data = test::random_data(65536, 1);
    {
        const OpenTarget target = open_target(spec, options);
        CHECK(target.created);
        CHECK(target.drive == described);
        CHECK(target.drive.simulated);
        CHECK(smart_face(*target.device) != nullptr);
        CHECK(test::is_done(test::write(*target.device, 65536, data)));
        CHECK(test::is_done(target.device->flush()));
    }
    options.may_create = false;
    const OpenTarget target = open_target(parse_target("sim:one"), options);
    CHECK_FALSE(target.created);
    CHECK(test::read(*target.device, 65536, data.size()) == data);
    CHECK_THROWS_AS(static_cast<void>(open_target(parse_target("sim:other"), options)), Failure);
    check_failure([] { static_cast<void>(parse_target("sim:one?colour=red")); }, ExitCode::usage, "colour");
}

TEST_CASE("a file has no SMART face") {
    test::ScratchDir dir;
    const OpenTarget target = open_target(parse_target(make_file(dir, "drive", mib)), {});
    CHECK(smart_face(*target.device) == nullptr);
}
