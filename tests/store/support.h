#pragma once

#include "facts/checkpoint.h"
#include "facts/drive.h"
#include "facts/sample.h"
#include "store/store.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace wearout::store::test {

/// Where files are made whose durability is not what the test is about: in memory, where there is such a
/// place.
inline std::filesystem::path quick_place() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

/// A folder for one test, removed at its end.
class Folder {
  public:
    explicit Folder(const std::filesystem::path& place = quick_place()) {
        std::string name = (place / "wearout-store-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(std::string_view name = "wearout.db") const {
        return (path_ / name).string();
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Runs `body` in a child process; its exit code, or 128 + the signal that ended it.
template <typename Body>
int in_child(Body body) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid == 0) {
        int code = 99;
        try {
            code = body();
        } catch (...) {
            code = 98;
        }
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline WallTime at(std::int64_t seconds) {
    return WallTime(std::chrono::seconds(1'780'000'000 + seconds));
}

inline Drive some_drive(std::string key = "serial:X25:CVPR1234") {
    Drive drive;
    drive.key = std::move(key);
    drive.model = "X25";
    drive.serial = "CVPR1234";
    drive.transport = "sata";
    drive.by_id = "ata-X25_CVPR1234";
    drive.capacity = {32'017'047'552};
    return drive;
}

inline RunSpec some_spec() {
    RunSpec spec;
    spec.profile = "endurance";
    spec.target = "/dev/disk/by-id/ata-X25_CVPR1234";
    spec.pattern = {UINT64_MAX, 0x8000'0000'0000'0001U, 7};
    spec.range = {UnitIndex{0}, 7'816'662};
    spec.limits.passes = 3;
    spec.consent = "CVPR1234";
    return spec;
}

/// The nth of a run's checkpoints.
inline Checkpoint checkpoint(std::uint64_t n) {
    Checkpoint state;
    state.media.flushed_to = n * 256;
    state.media.issued_to = n * 256 + 512;
    state.counters.written = {n << 20U};
    state.counters.active = std::chrono::milliseconds(n * 3);
    return state;
}

inline Finding finding(std::uint32_t sequence, std::uint64_t lba = 8) {
    Finding found;
    found.sequence = sequence;
    found.cls = FindingClass::stale;
    found.lba = {lba};
    found.sectors = 8;
    found.time = at(sequence);
    found.expected = {3};
    found.found = Generation{2};
    found.expected_bytes.assign(sector_bytes, std::byte{0xa5});
    found.actual_bytes.assign(sector_bytes, std::byte{0x5a});
    return found;
}

inline Sample sample(std::int64_t seconds, std::vector<Reading> readings = {}) {
    Sample taken;
    taken.time = at(seconds);
    taken.readings = std::move(readings);
    taken.decoder = "kingston-phison, firmware 101, drivedb 7.3";
    return taken;
}

inline Reading reading(Metric metric, std::int64_t value, std::string source = "attribute 5") {
    return {metric, value, std::move(source), Confidence::vendor};
}

}  // namespace wearout::store::test
