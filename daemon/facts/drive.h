#pragma once

#include "base/hash.h"
#include "base/types.h"

#include <cstdint>
#include <string>

namespace wearout {

/// The thing under test. Empty text: the drive does not tell.
struct Drive {
    /// What makes it this drive and no other, whatever the kernel calls it today: "wwn:…",
    /// "serial:MODEL:SERIAL", "loop:BACKING-FILE", "file:PATH", "sim:NAME".
    std::string key;
    std::string model;
    std::string serial;
    std::string wwn;
    std::string firmware;
    /// "nvme", "sata", "sas", "scsi", "usb", "virtio", "loop", "file", "simulated", …
    std::string transport;
    /// The best name below /dev/disk/by-id, without the folder.
    std::string by_id;
    Bytes capacity;
    std::uint32_t logical_block_bytes = sector_bytes;
    bool simulated = false;

    /// What its sectors' stamps carry, since a key does not fit there.
    [[nodiscard]] std::uint64_t stamp_id() const { return fnv1a64(key); }
    auto operator<=>(const Drive&) const = default;
};

}  // namespace wearout
