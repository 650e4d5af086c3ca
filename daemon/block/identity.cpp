#include "block/identity.h"

#include "base/error.h"
#include "block/identity_text.h"
#include "block/text.h"
#include "block/vpd.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace wearout::block {
namespace {

namespace fs = std::filesystem;
using Properties = std::map<std::string, std::string>;

std::string text_of(const std::string& folder, std::string_view name) {
    return clean_text(attribute(folder, name).value_or(""));
}

std::string text_of(const Properties& properties, const std::string& name) {
    const auto found = properties.find(name);
    return found != properties.end() ? clean_text(decode_udev(found->second)) : std::string();
}

std::string first_of(std::initializer_list<std::string> texts) {
    for (const auto& text : texts)
        if (!text.empty()) return text;
    return {};
}

/// What is known of a drive, and what of it goes into the key: there the model and serial number must be the
/// same with and without udev's database, so they may be others than those shown.
struct Portrait {
    Drive drive;
    std::string key_model;
    std::string key_serial;
    std::string key_suffix;  ///< Tells the namespaces of one NVMe drive apart.
};

void add_nvme(Portrait& portrait, const BlockNode& node) {
    Drive& drive = portrait.drive;
    drive.model = text_of(node.folder, "device/model");
    drive.serial = text_of(node.folder, "device/serial");
    drive.firmware = text_of(node.folder, "device/firmware_rev");
    // Linux names a namespace here by its UUID, else NGUID, else EUI-64 (nvme host driver, wwid_show).
    drive.wwn = normal_wwn(text_of(node.folder, "wwid"));
    const auto nsid = number_attribute(node.folder, "nsid").value_or(1);
    if (nsid != 1) portrait.key_suffix = fmt::format(":ns{}", nsid);
}

/// The USB device (not the SCSI device that it plays) that a disk is behind.
std::string usb_folder(const BlockNode& node) {
    std::error_code error;
    for (fs::path folder = node.folder; folder.has_relative_path(); folder = folder.parent_path())
        if (fs::exists(folder / "idVendor", error)) return folder;
    return {};
}

struct ScsiWords {
    std::string vendor, model, revision, serial, wwn;
    std::optional<AtaIdentity> ata;
};

ScsiWords read_scsi(const std::string& folder) {
    ScsiWords words{.vendor = text_of(folder, "device/vendor"),
                    .model = text_of(folder, "device/model"),
                    .revision = text_of(folder, "device/rev"),
                    .serial = vpd_serial(attribute(folder, "device/vpd_pg80").value_or("")),
                    .wwn = normal_wwn(text_of(folder, "device/wwid")),
                    .ata = vpd_ata(attribute(folder, "device/vpd_pg89").value_or(""))};
    if (words.wwn.empty()) words.wwn = normal_wwn(vpd_wwn(attribute(folder, "device/vpd_pg83").value_or("")));
    return words;
}

std::string udev_wwn(const Properties& udev) {
    return first_of(
        {normal_wwn(text_of(udev, "ID_WWN_WITH_EXTENSION")), normal_wwn(text_of(udev, "ID_WWN"))});
}

/// ID_SERIAL_SHORT of a SCSI drive is its WWN once more; there the serial number has a name of its own.
std::string udev_serial(const Properties& udev) {
    const std::string bus = text_of(udev, "ID_BUS");
    return first_of(
        {text_of(udev, "ID_SCSI_SERIAL"), bus == "scsi" ? std::string() : text_of(udev, "ID_SERIAL_SHORT")});
}

std::string udev_model(const Properties& udev) {
    return first_of({text_of(udev, "ID_MODEL_ENC"), text_of(udev, "ID_MODEL")});
}

void add_scsi(Portrait& portrait, const BlockNode& node, const Properties& udev) {
    const ScsiWords scsi = read_scsi(node.folder);
    const AtaIdentity ata = scsi.ata.value_or(AtaIdentity{});
    const bool is_ata = scsi.vendor == "ATA" || scsi.ata || text_of(udev, "ID_ATA") == "1";
    Drive& drive = portrait.drive;
    const std::string inquiry_model =
        is_ata || scsi.vendor.empty() ? scsi.model : clean_text(scsi.vendor + " " + scsi.model);
    drive.model = first_of({ata.model, is_ata ? udev_model(udev) : std::string(), inquiry_model});
    drive.serial = first_of({ata.serial, scsi.serial, udev_serial(udev)});
    drive.firmware =
        first_of({ata.firmware, is_ata ? text_of(udev, "ID_REVISION") : std::string(), scsi.revision});
    drive.wwn = first_of({scsi.wwn, udev_wwn(udev)});
    portrait.key_model = inquiry_model;
    portrait.key_serial = first_of({scsi.serial, ata.serial, udev_serial(udev)});
}

/// A bridge answers INQUIRY in its own name and often hands on neither serial number nor WWN of the drive, so
/// that another drive put into the same dock would look the same. What udev asked the drive itself by ATA
/// commands goes first.
void add_usb(Portrait& portrait, const BlockNode& node, const Properties& udev) {
    const ScsiWords scsi = read_scsi(node.folder);
    const AtaIdentity ata = scsi.ata.value_or(AtaIdentity{});
    const std::string usb = usb_folder(node);
    Drive& drive = portrait.drive;
    drive.model = first_of({ata.model, udev_model(udev), clean_text(scsi.vendor + " " + scsi.model),
                            usb.empty() ? std::string() : text_of(usb, "product")});
    drive.serial = first_of(
        {ata.serial, udev_serial(udev), scsi.serial, usb.empty() ? std::string() : text_of(usb, "serial")});
    drive.firmware = first_of({ata.firmware, text_of(udev, "ID_REVISION"), scsi.revision});
    drive.wwn = first_of({udev_wwn(udev), udev_serial(udev).empty() ? scsi.wwn : std::string()});
}

void add_mmc(Portrait& portrait, const BlockNode& node) {
    portrait.drive.model = text_of(node.folder, "device/name");
    portrait.drive.serial = text_of(node.folder, "device/serial");
    portrait.drive.firmware = text_of(node.folder, "device/fwrev");
}

void add_other(Portrait& portrait, const BlockNode& node, const Properties& udev) {
    portrait.drive.serial = first_of({text_of(node.folder, "serial"), udev_serial(udev)});
    portrait.drive.model = udev_model(udev);
    portrait.drive.wwn = first_of({normal_wwn(text_of(node.folder, "wwid")), udev_wwn(udev)});
}

/// "loop:FILE", and where only a part of the file is used, from where on. A file that is deleted has no name
/// that would lead to it again.
std::string loop_key(const BlockNode& node) {
    const std::string file = loop_file(node).value_or("");
    std::error_code error;
    const fs::path canonical = fs::canonical(file, error);
    if (file.empty() || error) return {};
    const auto offset = number_attribute(node.folder, "loop/offset").value_or(0);
    std::string key = "loop:" + printable_path(canonical.native());
    if (offset != 0) key += fmt::format("?offset={}", offset);
    return key;
}

std::string make_key(const Portrait& portrait, const std::string& path) {
    const Drive& drive = portrait.drive;
    const std::string& serial = portrait.key_serial.empty() ? drive.serial : portrait.key_serial;
    std::string model = portrait.key_model.empty() ? drive.model : portrait.key_model;
    if (model.empty()) model = drive.transport;
    // The model ends at the first colon after it, else two different pairs could make one key.
    std::replace(model.begin(), model.end(), ':', '_');
    if (!drive.wwn.empty()) return "wwn:" + drive.wwn;
    if (is_telling_serial(serial)) return "serial:" + model + ":" + serial + portrait.key_suffix;
    return "path:" + printable_path(path);
}

std::string find_by_id(const System& system, const BlockNode& node, const Properties& udev) {
    const std::string folder = system.dev() + "/disk/by-id";
    std::vector<std::string> names;
    if (const auto links = udev.find("DEVLINKS"); links != udev.end()) {
        std::istringstream words(links->second);
        const std::string prefix = "/dev/disk/by-id/";
        for (std::string word; words >> word;)
            if (word.starts_with(prefix)) names.push_back(word.substr(prefix.size()));
    } else {
        names = list_folder(folder).value_or(names);
    }
    // Two devices may claim one link; it counts for the one that it leads to.
    std::erase_if(names, [&](const std::string& name) {
        if (!by_id_rank(name)) return true;
        const PathFacts facts = system.stat(folder + "/" + name);
        return facts.type != FileType::block || facts.device != node.number;
    });
    const auto better = [](const std::string& a, const std::string& b) {
        return std::tuple(*by_id_rank(a), a.size(), a) < std::tuple(*by_id_rank(b), b.size(), b);
    };
    const auto best = std::min_element(names.begin(), names.end(), better);
    return best != names.end() ? *best : std::string();
}

std::uint32_t logical_block_of(const BlockNode& node) {
    const auto bytes = number_attribute(node.folder, "queue/logical_block_size").value_or(0);
    const bool sensible = std::has_single_bit(bytes) && bytes >= sector_bytes && bytes <= 65536;
    return sensible ? static_cast<std::uint32_t>(bytes) : sector_bytes;
}

}  // namespace

Drive identify_node(const System& system, const BlockNode& node) {
    Portrait portrait;
    Drive& drive = portrait.drive;
    const std::string path = device_path(system, node);
    drive.transport = transport_of(node.name, node.folder, text_of(node.folder, "device/vendor"));
    drive.capacity = {capacity_of(node)};
    drive.logical_block_bytes = logical_block_of(node);
    if (drive.transport == "loop") {
        drive.key = loop_key(node);
        if (drive.key.empty()) drive.key = "path:" + printable_path(path);
        return drive;
    }
    // What the kernel makes up (dm, md, zram, nbd) and the special areas of an eMMC are no drives of their
    // own.
    const bool nvme = drive.transport == "nvme";
    const bool is_virtual = !nvme && node.folder.find("/devices/virtual/") != std::string::npos;
    if (is_virtual || is_special_area(node.name)) {
        drive.key = "path:" + printable_path(path);
        return drive;
    }
    const Properties udev = system.udev_properties(node.number);
    if (nvme)
        add_nvme(portrait, node);
    else if (drive.transport == "usb")
        add_usb(portrait, node, udev);
    else if (drive.transport == "mmc")
        add_mmc(portrait, node);
    else if (node.name.starts_with("sd"))
        add_scsi(portrait, node, udev);
    else
        add_other(portrait, node, udev);
    drive.by_id = find_by_id(system, node, udev);
    drive.key = make_key(portrait, path);
    return drive;
}

Drive identify_device(const std::string& device_path, const System& system) {
    const std::string shown = printable_path(device_path);
    const PathFacts facts = system.stat(device_path);
    if (facts.error != 0) throw Failure(ExitCode::unreachable, errno_text(shown, facts.error));
    switch (facts.type) {
        case FileType::block:
            break;
        case FileType::directory:
            throw usage_error(shown + " is a folder, not a block device");
        case FileType::regular:
            throw usage_error(shown + " is a regular file, not a block device; for a file say file:" + shown);
        case FileType::other:
            throw usage_error(shown + " is not a block device");
    }
    const auto node = find_block(system, facts.device);
    if (!node)
        throw Failure(ExitCode::unreachable,
                      fmt::format("{} leads to device {}, which the kernel does not know ({}/dev/block)",
                                  shown, facts.device.text(), system.sys()));
    if (node->is_partition())
        throw usage_error(fmt::format("{} is a partition; name the whole disk, {}", shown,
                                      block::device_path(system, node->disk)));
    return identify_node(system, *node);
}

bool is_lasting_key(const std::string& key) {
    return !key.empty() && !key.starts_with("path:");
}

}  // namespace wearout::block
