#pragma once

#include "support/scratch_dir.h"

#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

namespace wearout::health {

/// A program that stands in for smartctl, in a folder that goes with it. The script finds that folder in
/// $here.
class FakeSmartctl {
  public:
    explicit FakeSmartctl(const std::string& script) {
        folder_.write("smartctl", "#!/bin/sh\nhere=$(dirname \"$0\")\n" + script);
        REQUIRE(::chmod(path().c_str(), 0755) == 0);
    }

    [[nodiscard]] std::string path() const { return file("smartctl"); }
    [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
    [[nodiscard]] std::string text_of(const std::string& name) const {
        std::ifstream in(file(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }

  private:
    test::ScratchDir folder_;
};

}  // namespace wearout::health
