#pragma once

#include "base/clock.h"
#include "block/block_device.h"
#include "block/target.h"
#include "facts/drive.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wearout::block {

struct SimOpened {
    Drive drive;
    std::unique_ptr<BlockDevice> device;
    bool created = false;  ///< It did not exist and was made now.
};

/// Opens the simulated drive kept in STATE_DIR/sim/NAME.sim, locked, or makes it. `options` are those of the
/// target (see sim/sim_options.h); for a drive that exists they may only repeat what it is. Throws a Failure:
/// usage (bad name or option, or one that contradicts the drive), refused (in use by another process),
/// unreachable (damaged or foreign file, no space to make it, or not there and `open` reads only or
/// may not create it).
/// `clock` outlives the device.
[[nodiscard]] SimOpened open_simulated(const std::string& name,
                                       const std::vector<std::pair<std::string, std::string>>& options,
                                       const OpenOptions& open, Clock& clock = system_clock());

/// Who that drive is, or would be, without making it, locking it or opening it for writing. Throws as
/// open_simulated().
[[nodiscard]] Drive describe_simulated(const std::string& name,
                                       const std::vector<std::pair<std::string, std::string>>& options,
                                       const OpenOptions& open);

}  // namespace wearout::block
