#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What sysfs keeps of a SCSI device's vital product data. All of it is the drive's own word: any bytes.
namespace wearout::block {

/// Page 80h, Unit Serial Number (SPC-5, 7.7.18): cleaned; empty for none.
[[nodiscard]] std::string vpd_serial(std::string_view page80);

/// Page 83h, Device Identification (SPC-5, 7.7.6): the logical unit's NAA, else EUI-64 based, designator as
/// "naa.…" or "eui.…" in lower-case hexadecimal; empty for none.
[[nodiscard]] std::string vpd_wwn(std::string_view page83);

/// What an ATA drive behind a SCSI translation says itself.
struct AtaIdentity {
    std::string model;
    std::string serial;
    std::string firmware;
};

/// Page 89h, ATA Information (SAT-4, 12.4.2), whose last 512 bytes are the IDENTIFY DEVICE data
/// (ACS-4, 7.13).
[[nodiscard]] std::optional<AtaIdentity> vpd_ata(std::string_view page89);

}  // namespace wearout::block
