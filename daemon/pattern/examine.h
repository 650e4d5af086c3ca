#pragma once

#include "facts/finding.h"
#include "pattern/generator.h"
#include "pattern/judge.h"
#include "pattern/pattern.h"

#include <span>
#include <vector>

namespace wearout::pattern {

/// examine() of pattern.h, with its parts given. `twin` makes the same bytes as `generator` by other machine
/// code; where the two disagree, it is this computer that is at fault.
class Examiner {
  public:
    Examiner(const Generator& generator, const Generator& twin, const Expectation& expectation)
        : generator_(generator), twin_(twin), expectation_(expectation) {}

    [[nodiscard]] std::vector<Finding> examine(Lba first, std::span<const std::byte> data);

  private:
    [[nodiscard]] bool as_it_may_be(Lba first, std::span<const std::byte> data) const;
    void examine_unit(Lba first, std::span<const std::byte> data);
    void judge_unit(Lba first, std::span<const std::byte> expected, std::span<const std::byte> data);
    void blame_host(Lba first, std::span<const std::byte> expected, std::span<const std::byte> data);
    void add(Finding finding);

    Generator generator_;
    Generator twin_;
    Expectation expectation_;
    std::vector<Finding> findings_;
};

}  // namespace wearout::pattern
