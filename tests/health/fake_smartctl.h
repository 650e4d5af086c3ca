#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

namespace wearout::health {

/// A program that stands in for smartctl, in a folder that goes with it. The script finds that folder in
/// $here.
class FakeSmartctl {
  public:
    explicit FakeSmartctl(const std::string& script) {
        std::string name = (std::filesystem::temp_directory_path() / "wearout-smartctl-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        std::ofstream(path()) << "#!/bin/sh\nhere=$(dirname \"$0\")\n" << script;
        REQUIRE(::chmod(path().c_str(), 0755) == 0);
    }
    FakeSmartctl(const FakeSmartctl&) = delete;
    FakeSmartctl& operator=(const FakeSmartctl&) = delete;
    ~FakeSmartctl() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return (folder_ / "smartctl").string(); }
    [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::string text_of(const std::string& name) const {
        std::ifstream in(folder_ / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }

  private:
    std::filesystem::path folder_;
};

}  // namespace wearout::health
