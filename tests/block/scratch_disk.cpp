#include "scratch_disk.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <stdlib.h>
#include <unistd.h>
#include <utility>

namespace wearout::test {
namespace {

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return text;
    std::array<char, 256> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr)
        text += buffer.data();
    ::pclose(pipe);
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

}  // namespace

void require_loop_devices() {
    if (::geteuid() == 0 && !output_of("losetup -f").empty()) return;
    std::cout << "skipped: needs root and loop devices\n";
    std::exit(77);
}

bool shell(const std::string& command) {
    return std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()) == 0;
}

bool has_command(const std::string& name) {
    return shell("command -v " + name);
}

ScratchFolder::ScratchFolder() : path_(std::filesystem::temp_directory_path() / "wearout-test-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = std::filesystem::canonical(path_);
}

ScratchFolder::~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

ScratchLoop::ScratchLoop(const std::string& file, const std::string& options)
    : path_(output_of("losetup -f --show " + options + " '" + file + "'")) {
    if (path_.empty()) throw std::runtime_error("losetup failed for " + file);
}

ScratchLoop::~ScratchLoop() {
    shell("losetup -d " + path_);
}

ScratchMount::ScratchMount(const std::string& arguments, std::string target) : target_(std::move(target)) {
    std::filesystem::create_directories(target_);
    works_ = shell("mount " + arguments + " '" + target_ + "'");
}

ScratchMount::~ScratchMount() {
    if (works_) shell("umount '" + target_ + "' || { sleep 1; umount '" + target_ + "'; }");
}

ScratchSwap::ScratchSwap(std::string path) : path_(std::move(path)) {
    works_ = shell("chmod 600 '" + path_ + "'; mkswap '" + path_ + "' && swapon '" + path_ + "'");
}

ScratchSwap::~ScratchSwap() {
    if (works_) shell("swapoff '" + path_ + "'");
}

void make_image(const std::string& path, std::uint64_t bytes) {
    std::ofstream(path, std::ios::trunc).close();
    std::filesystem::resize_file(path, bytes);
}

void put_bytes(const std::string& path, std::uint64_t offset, const std::string& bytes) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
                                        static_cast<ssize_t>(bytes.size());
    const bool flushed = fd >= 0 && ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    if (!written || !flushed) throw std::runtime_error("cannot write " + path);
}

}  // namespace wearout::test
