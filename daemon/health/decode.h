#pragma once

#include "health/catalogue.h"
#include "health/health_source.h"

namespace wearout::health {

/// `decode` with a catalogue other than the one that is built in.
[[nodiscard]] Sample decode(const RawAnswer& answer, const Catalogue& catalogue);

}  // namespace wearout::health
