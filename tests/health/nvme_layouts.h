#pragma once

#include "fixtures.h"
#include "health/nvme_log.h"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

/// Log pages built byte by byte from the documents that define them, and answers that hold them.
namespace wearout::health {

class LogPageBytes {
  public:
    explicit LogPageBytes(int id, std::size_t size = 512) : log_{id, 0, std::string(size, '\0')} {}
    /// A little-endian number.
    LogPageBytes& put(std::size_t offset, std::size_t size, std::uint64_t value) {
        for (std::size_t i = 0; i < size; ++i, value = i < 8 ? value >> 8U : 0)
            log_.bytes.at(offset + i) = static_cast<char>(value & 0xffU);
        return *this;
    }
    LogPageBytes& put_bytes(std::size_t offset, const std::vector<int>& bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            log_.bytes.at(offset + i) = static_cast<char>(bytes[i]);
        return *this;
    }
    LogPageBytes& group(int group) {
        log_.group = group;
        return *this;
    }
    LogPageBytes& truncate(std::size_t size) {
        log_.bytes.resize(size);
        return *this;
    }
    [[nodiscard]] std::string line() const { return to_line(log_); }

  private:
    NvmeLog log_;
};

/// smartctl's part, of a drive with that PCI vendor.
inline std::string nvme_json(int vendor, const std::string& model = "ACME NVMe 1") {
    return fmt::format(
        R"({{"smartctl": {{"version": [7, 3], "exit_status": 0}}, "device": {{"protocol": "NVMe"}},
  "model_name": "{}", "firmware_version": "1", "nvme_pci_vendor": {{"id": {}, "subsystem_id": {}}},
  "nvme_smart_health_information_log": {{"percentage_used": 3, "data_units_written": 2000}}}}
)",
        model, vendor, vendor);
}

inline std::string pci_line(int vendor, int device) {
    return to_line(PciId{vendor, device});
}

/// What the logs add to what smartctl's part alone says.
inline std::map<Metric, std::int64_t> from_logs(const Sample& sample) {
    auto result = values(sample);
    result.erase(Metric::percentage_used);
    result.erase(Metric::host_bytes_written);
    return result;
}

}  // namespace wearout::health
