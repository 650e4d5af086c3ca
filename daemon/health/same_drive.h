#pragma once

#include "facts/drive.h"
#include "health/answer.h"
#include "health/health_source.h"

#include <memory>
#include <string>

/// Whether an answer is about the drive that was meant: bridges and RAID controllers show others, too.
namespace wearout::health {

/// What an answer about a drive has to say.
struct Expected {
    std::string serial;
    std::string wwn;  ///< As Drive has it.
    Bytes capacity;   ///< 0: any.
    bool own = true;  ///< The serial number and WWN are the drive's, and not those of a bridge before it.
};
/// From what the kernel and udev tell. Behind a USB bridge a serial number is the drive's own only where udev
/// could ask it by ATA commands, and has named it "ata-…" for that.
[[nodiscard]] Expected expected_of(const Drive& drive);

enum class SameDrive { yes, unsure, no };
/// Spaces, case and punctuation do not count, and of a serial number that was cut off what is left is enough.
[[nodiscard]] SameDrive same_drive(const Answer& answer, const Expected& expected);
/// Told the drive's capacity, to the byte.
[[nodiscard]] bool fits_capacity(const Answer& answer, const Expected& expected);

/// Hands on what `inner` answers unless it is another drive's: then there is only a problem. With `strict`
/// also where nothing shows that it is this one's.
[[nodiscard]] std::unique_ptr<HealthSource> same_drive_source(std::shared_ptr<HealthSource> inner,
                                                              Expected expected, bool strict = false);

}  // namespace wearout::health
