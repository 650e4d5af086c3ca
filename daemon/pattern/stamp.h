#pragma once

// The format of a sector on the media is documented here, beside its constants. Do not renumber: drives that
// were written by an older version must stay readable.

#include "base/types.h"
#include "facts/run_spec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace wearout::pattern {

/// What a sector's stamp says.
struct Stamp {
    std::uint64_t run = 0;
    std::uint64_t drive = 0;
    Lba lba;
    Generation generation;
    bool operator==(const Stamp&) const = default;
};

}  // namespace wearout::pattern
