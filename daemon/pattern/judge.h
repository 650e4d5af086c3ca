#pragma once

#include "base/types.h"
#include "facts/finding.h"
#include "pattern/generator.h"
#include "pattern/pattern.h"
#include "pattern/stamp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wearout::pattern {

/// Puts both into the finding, and the first byte that differs.
void note_evidence(Finding& finding, SectorBytes expected, SectorBytes actual);

/// What one sector of a unit was seen to hold.
struct Verdict {
    std::optional<Finding> finding;  ///< Empty: it is as it may be.
    bool holds_expected = false;     ///< Wholly, or in part,
    bool holds_older = false;        ///< and the same of an older generation.
};

/// Names what is wrong with one sector. For one thread.
class SectorJudge {
  public:
    SectorJudge(const Generator& generator, const Expectation& expectation)
        : generator_(generator), expectation_(expectation) {}

    /// `expected` is what the generator makes for the expected generation.
    [[nodiscard]] Verdict judge(Lba lba, SectorBytes expected, SectorBytes actual) const;

  private:
    /// Something that the sector might be a damaged copy of.
    struct Content {
        Stamp stamp;
        std::array<std::byte, sector_bytes> bytes;
    };
    /// The first is what is expected.
    [[nodiscard]] std::vector<Content> candidates(Lba lba, SectorBytes actual) const;
    void name(Finding& finding, SectorBytes actual) const;
    [[nodiscard]] bool allows(Generation generation) const {
        return generation == expectation_.generation || generation == expectation_.or_else;
    }
    /// Each fills in the finding and says true when that is what happened.
    bool name_authentic(Finding& finding, const Stamp& stamp) const;
    bool name_torn(Finding& finding, const std::vector<Content>& contents, SectorBytes actual) const;
    bool name_damaged(Finding& finding, const std::vector<Content>& contents, SectorBytes actual) const;

    Generator generator_;
    Expectation expectation_;
};

}  // namespace wearout::pattern
