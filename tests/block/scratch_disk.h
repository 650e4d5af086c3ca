#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wearout::test {

/// Ends the process as skipped (77) unless it is root's and loop devices work here.
void require_loop_devices();

/// Runs a shell command, its output thrown away. True for exit code 0.
bool shell(const std::string& command);
[[nodiscard]] bool has_command(const std::string& name);

/// A temporary folder, removed with what is in it.
class ScratchFolder {
  public:
    ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// A loop device, detached at the end.
class ScratchLoop {
  public:
    /// `options` as for losetup.
    explicit ScratchLoop(const std::string& file, const std::string& options = "");
    ScratchLoop(const ScratchLoop&) = delete;
    ScratchLoop& operator=(const ScratchLoop&) = delete;
    ~ScratchLoop();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// A mount, undone at the end.
class ScratchMount {
  public:
    ScratchMount(const std::string& arguments, std::string target);
    ScratchMount(const ScratchMount&) = delete;
    ScratchMount& operator=(const ScratchMount&) = delete;
    ~ScratchMount();
    [[nodiscard]] bool works() const { return works_; }

  private:
    std::string target_;
    bool works_ = false;
};

/// Swap, switched off at the end.
class ScratchSwap {
  public:
    explicit ScratchSwap(std::string path);
    ScratchSwap(const ScratchSwap&) = delete;
    ScratchSwap& operator=(const ScratchSwap&) = delete;
    ~ScratchSwap();
    [[nodiscard]] bool works() const { return works_; }

  private:
    std::string path_;
    bool works_ = false;
};

/// Makes a sparse file.
void make_image(const std::string& path, std::uint64_t bytes);
/// Writes bytes into a file or device at an offset.
void put_bytes(const std::string& path, std::uint64_t offset, const std::string& bytes);

}  // namespace wearout::test
