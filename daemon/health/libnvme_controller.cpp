#include "health/libnvme_controller.h"

#include "base/error.h"
#include "base/fd.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <libnvme.h>

#include <fmt/format.h>

namespace wearout::health {
namespace {

namespace fs = std::filesystem;

/// The PCI device number of the controller behind a block or character device of that name; 0 where sysfs has
/// none. A namespace that several controllers share hangs below their subsystem.
int pci_device(const std::string& name) {
    std::error_code none;
    const fs::path device = fs::path("/sys/class") /
                            (fs::exists("/sys/class/block/" + name, none) ? "block" : "nvme") / name /
                            "device";
    std::vector<fs::path> places{device / "device" / "device", device / "device"};
    for (fs::directory_iterator entry(device, none), end; !none && entry != end; entry.increment(none))
        if (entry->path().filename().string().starts_with("nvme"))
            places.push_back(entry->path() / "device" / "device");
    for (const auto& place : places) {
        std::string text;
        if (std::ifstream(place) >> text && text.starts_with("0x"))
            if (const auto number = parse_unsigned(text.substr(2), 16, 0xffff)) return *number;
    }
    return 0;
}

std::string trimmed(const char* text, std::size_t size) {
    std::string result(text, size);
    result.erase(std::find(result.begin(), result.end(), '\0'), result.end());
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
}

/// Says that the drive does not have it, rather than that something went wrong: invalid opcode, field,
/// namespace or log page (NVMe Base 2.0, figures 94 and 96). Bits 10:8 of a status are its type.
bool is_refusal(int status) {
    constexpr int type_and_code = 0x7ff;
    constexpr int command_specific = 0x100;
    const int code = status & type_and_code;
    return code == NVME_SC_INVALID_OPCODE || code == NVME_SC_INVALID_FIELD || code == NVME_SC_INVALID_NS ||
           code == (command_specific | NVME_SC_INVALID_LOG_PAGE);
}

class LibnvmeController final : public NvmeController {
  public:
    explicit LibnvmeController(const std::string& path)
        : fd_(Fd::open(path, O_RDONLY)), device_(pci_device(fs::canonical(path).filename())) {}

    ControllerFacts identify() override {
        nvme_id_ctrl id{};
        const int status = ::nvme_identify_ctrl(fd_.get(), &id);
        if (status != 0) throw Failure(ExitCode::unreachable, "identify: " + reason(status));
        return {.pci = {le16toh(id.vid), device_},
                .model = trimmed(id.mn, sizeof id.mn),
                .lists_logs = (id.lpa & NVME_CTRL_LPA_LI0_LI5_LI12_LI13) != 0,
                .lists_uuids = (le32toh(id.ctratt) & NVME_CTRL_CTRATT_UUID_LIST) != 0,
                .endurance_groups = (le32toh(id.ctratt) & NVME_CTRL_CTRATT_ENDURANCE_GROUPS) != 0
                                        ? le16toh(id.endgidmax)
                                        : 0};
    }

    std::vector<bool> listed_logs() override {
        nvme_supported_log_pages pages{};
        const auto reply = read({.id = NVME_LOG_LID_SUPPORTED_LOG_PAGES, .bytes = sizeof pages});
        if (reply.kind != LogReply::Kind::answered) return {};
        std::memcpy(&pages, reply.bytes.data(), sizeof pages);
        std::vector<bool> listed;
        for (const auto support : pages.lid_support)
            listed.push_back((le32toh(support) & 1U) != 0);
        return listed;
    }

    std::vector<std::string> uuids() override {
        nvme_id_uuid_list list{};
        std::vector<std::string> result;
        if (::nvme_identify_uuid(fd_.get(), &list) != 0) return result;
        for (const auto& entry : list.entry)
            result.emplace_back(reinterpret_cast<const char*>(entry.uuid), sizeof entry.uuid);
        return result;
    }

    LogReply read(const LogRequest& request) override {
        std::string bytes(request.bytes, '\0');
        nvme_get_log_args arguments{};
        arguments.args_size = sizeof arguments;
        arguments.fd = fd_.get();
        arguments.timeout = NVME_DEFAULT_IOCTL_TIMEOUT;
        arguments.lid = static_cast<nvme_cmd_get_log_lid>(request.id);
        arguments.log = bytes.data();
        arguments.len = static_cast<std::uint32_t>(bytes.size());
        arguments.nsid = NVME_NSID_ALL;
        arguments.lsi = static_cast<std::uint16_t>(request.group);
        arguments.uuidx = static_cast<std::uint8_t>(request.uuid_index);
        arguments.rae = true;  // Others may wait for the event that reading would clear.
        const int status = ::nvme_get_log(&arguments);
        if (status == 0) return {LogReply::Kind::answered, std::move(bytes), {}};
        return {status > 0 && is_refusal(status) ? LogReply::Kind::refused : LogReply::Kind::failed,
                {},
                reason(status)};
    }

  private:
    static std::string reason(int status) {
        return status < 0 ? errno_text("ioctl", errno)
                          : fmt::format("{} (status {:x}h)", ::nvme_status_to_string(status, false), status);
    }

    Fd fd_;
    int device_;
};

}  // namespace

std::unique_ptr<NvmeController> open_nvme(const std::string& path) {
    return std::make_unique<LibnvmeController>(path);
}

}  // namespace wearout::health
