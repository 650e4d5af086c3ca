#include "block/sim/sim_image.h"

#include "base/error.h"
#include "block/sim/ftl.h"
#include "tests/block/sim_support.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block::sim;

namespace {

struct Refusal {
    ExitCode code = ExitCode::pass;
    std::string message;
};

Refusal refusal_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Failure& failure) {
        return {failure.code(), failure.what()};
    }
    return {};
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Opens it and computes what is not in it, as a device does.
void open_whole(const std::string& path) {
    Image image = Image::open(path);
    const Ftl ftl(image);
}

void check_refused_untouched(const std::string& path) {
    const std::string before = bytes_of(path);
    const Refusal refusal = refusal_of([&] { open_whole(path); });
    CHECK(refusal.code == ExitCode::unreachable);
    CHECK(refusal.message.find(path) == 0);
    CHECK(refusal.message.find('\n') == std::string::npos);
    CHECK(bytes_of(path) == before);
}

/// A drive with something on it, closed again.
SimGeometry make_used(const std::string& path) {
    const SimGeometry geometry = small_drive({{"size", "1MiB"}, {"erase-block", "16KiB"}});
    Image image = Image::create(path, geometry);
    Ftl ftl(image);
    std::vector<std::byte> bytes(300'032);
    fill(bytes, 7);
    REQUIRE(ftl.write(512, bytes) == Ftl::Written::done);
    return geometry;
}

}  // namespace

TEST_CASE("a drive is on disk what it was") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    const SimGeometry geometry = make_used(path);
    CHECK(Image::peek(path) == geometry);
    Image image = Image::open(path);
    CHECK(image.geometry() == geometry);
    Ftl ftl(image);
    check_conservation(image, ftl);
    std::vector<std::byte> expected(300'032);
    fill(expected, 7);
    std::vector<std::byte> read(expected.size());
    ftl.read(512, read);
    CHECK(read == expected);
}

TEST_CASE("a drive's file takes the space of what is on it") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    const SimGeometry geometry = small_drive({{"size", "256MiB"}, {"erase-block", "256KiB"}});
    Image image = Image::create(path, geometry);
    Ftl ftl(image);
    std::vector<std::byte> bytes(1U << 20U);
    REQUIRE(ftl.write(0, bytes) == Ftl::Written::done);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_size == static_cast<off_t>(layout_of(geometry).end));
    CHECK(status.st_blocks * 512 < 8 << 20);
}

TEST_CASE("a drive that is open is refused, to another process and to this one") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    const SimGeometry geometry = make_used(path);
    {
        const Image image = Image::open(path);
        const Refusal refusal = refusal_of([&] { static_cast<void>(Image::open(path)); });
        CHECK(refusal.code == ExitCode::refused);
        CHECK(refusal.message.find("in use") != std::string::npos);
        CHECK(Image::peek(path) == geometry);
    }
    CHECK(refusal_of([&] { open_whole(path); }).code == ExitCode::pass);
    const Image made = Image::create(folder.path() + "/b.sim", geometry);
    CHECK(refusal_of([&] { static_cast<void>(Image::open(folder.path() + "/b.sim")); }).code ==
          ExitCode::refused);
}

TEST_CASE("a draft that a killed process left does not matter") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    write_file(path + ".new", "half a drive");
    make_used(path);
    CHECK_FALSE(std::filesystem::exists(path + ".new"));
    open_whole(path);
}

TEST_CASE("what is no simulated drive is refused and left alone") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    for (const std::string& content :
         {std::string(), std::string("short"), std::string(4096, '\0'), std::string(100'000, 'x')}) {
        write_file(path, content);
        check_refused_untouched(path);
    }
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(refusal_of([&] { open_whole(path); }).code == ExitCode::unreachable);
    CHECK(refusal_of([&] { static_cast<void>(Image::peek(path)); }).code == ExitCode::unreachable);
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(refusal_of([&] { open_whole(path); }).code == ExitCode::unreachable);
    std::filesystem::remove(path);
    make_used(folder.path() + "/b.sim");
    std::filesystem::create_symlink(folder.path() + "/b.sim", path);
    CHECK(refusal_of([&] { open_whole(path); }).code == ExitCode::unreachable);
}

TEST_CASE("a damaged drive is refused and left alone") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/a.sim";
    const SimGeometry geometry = make_used(path);
    const std::string good = bytes_of(path);
    const ImageLayout layout = layout_of(geometry);
    const auto refused_with = [&](std::size_t at, std::uint32_t value) {
        std::string bad = good;
        std::memcpy(bad.data() + at, &value, sizeof value);
        CAPTURE(at);
        REQUIRE(bad != good);
        write_file(path, bad);
        check_refused_untouched(path);
    };
    SUBCASE("header") {
        for (std::size_t at = 0; at < sizeof(ImageHeader); at += sizeof(std::uint32_t))
            refused_with(at, 0xdeadbeefU);
        refused_with(offsetof(ImageHeader, version), format_version + 1);
    }
    SUBCASE("map") {
        std::uint32_t other = 0;
        std::memcpy(&other, good.data() + layout.map + 4, sizeof other);
        refused_with(layout.map, other);                                               // named twice
        refused_with(layout.map, geometry.blocks() * geometry.pages_per_block() + 1);  // beyond the end
        refused_with(layout.map, UINT32_MAX);
        refused_with(layout.map, geometry.blocks() * geometry.pages_per_block());  // never programmed
    }
    SUBCASE("blocks") {
        refused_with(layout.blocks + offsetof(BlockRecord, programmed), 1U << 20U);
        refused_with(layout.blocks + offsetof(BlockRecord, endurance), 0);
        refused_with(layout.blocks + offsetof(BlockRecord, state), 0xff);
        // The first block holds data, or is bad from the factory.
        for (std::uint32_t i = 0; i < 2; ++i)
            for (const BlockState state : {BlockState::erased, BlockState::factory_bad})
                if (BlockState(good[layout.blocks + i * 16 + 12]) == BlockState::full)
                    refused_with(layout.blocks + i * 16 + 12, static_cast<std::uint32_t>(state));
    }
    SUBCASE("length") {
        for (const std::size_t length :
             {good.size() - 1, good.size() - 4096, good.size() / 2, std::size_t{4096}, std::size_t{4095},
              std::size_t{63}, std::size_t{1}}) {
            write_file(path, good.substr(0, length));
            check_refused_untouched(path);
        }
        write_file(path, good + 'x');
        check_refused_untouched(path);
    }
}

namespace {

/// In a child with a file system of its own of 4 MiB. Exits with 77 where that can't be had, else with 0
/// where all is as it should be.
[[noreturn]] void fill_a_small_file_system(const std::string& folder) {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(77);
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4m") != 0)
        ::_exit(77);
    try {
        const SimGeometry geometry = small_drive({{"size", "16MiB"}, {"erase-block", "64KiB"}});
        Image image = Image::create(folder + "/a.sim", geometry);
        Ftl ftl(image);
        ByteArray naive(geometry.capacity);
        std::vector<std::byte> page(page_bytes);
        std::uint32_t written = 0;
        auto result = Ftl::Written::done;
        for (; result == Ftl::Written::done && written < geometry.pages(); ++written) {
            fill(page, written);
            result = ftl.write(written * std::uint64_t{page_bytes}, page);
            if (result == Ftl::Written::done) naive.write(written * std::uint64_t{page_bytes}, page);
        }
        check_conservation(image, ftl);
        bool good = result == Ftl::Written::no_space && written > 500 && !ftl.read_only() &&
                    naive.first_difference(ftl) == geometry.capacity.value;
        // A drive whose fixed part does not fit is not made at all.
        const SimGeometry large = plan_geometry("large", {{"size", "1TiB"}});
        good = good && refusal_of([&] { static_cast<void>(Image::create(folder + "/b.sim", large)); }).code ==
                           ExitCode::unreachable;
        good = good && !std::filesystem::exists(folder + "/b.sim") &&
               !std::filesystem::exists(folder + "/b.sim.new");
        ::_exit(good ? 0 : 1);
    } catch (const std::exception&) {
        ::_exit(2);
    }
}

}  // namespace

TEST_CASE("a full file system is an answer, not a signal") {
    const ScratchFolder folder;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) fill_a_small_file_system(folder.path());
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        MESSAGE("skipped: no mount namespace to be had here");
        return;
    }
    CHECK(WEXITSTATUS(status) == 0);
}
