#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace wearout::test {

/// A folder of the test's own that is removed with all that is in it.
class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "wearout-test-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string path() const { return path_.string(); }
    /// Writes a text file in it; its path.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return *this / name;
    }

  private:
    std::filesystem::path path_;
};

}  // namespace wearout::test
