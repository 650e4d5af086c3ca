#pragma once

#include <optional>
#include <string>
#include <string_view>

/// The rules by which identities are read from text; no I/O.
namespace wearout::block {

/// One form for a world-wide name whichever way it is told: of "naa.5000C500…", "0x5000c500…", "eui.…",
/// "uuid.…" the lower-case "5000c500…", "eui.…", "uuid.…". Empty for what is no such name ("t10.…" and
/// "nvme.…" only repeat model and serial number), has the wrong length or was left blank (all 0 or all f).
[[nodiscard]] std::string normal_wwn(std::string_view text);

/// Whether a serial number can tell one drive from another: not empty, not one character over and over, not
/// counted up ("0123456789ABCDEF"), as cheap USB bridges have it.
[[nodiscard]] bool is_telling_serial(std::string_view serial);

/// How good a name below /dev/disk/by-id is for people, 0 the best: names made of model and serial number
/// before those of numbers alone. Nothing for a stacked device's or an unprintable one.
[[nodiscard]] std::optional<int> by_id_rank(std::string_view name);

/// "nvme", "sata", "sas", "fc", "iscsi", "scsi", "usb", "virtio", "xen", "mmc", "loop", "zram", "nbd", "dm",
/// "md", else "block"; from the kernel's name, the path in sysfs and the SCSI vendor.
[[nodiscard]] std::string transport_of(std::string_view name, std::string_view sysfs_folder,
                                       std::string_view scsi_vendor);

}  // namespace wearout::block
