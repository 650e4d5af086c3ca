#pragma once

#include "health/catalogue.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wearout::health {

/// One Get Log Page command.
struct LogRequest {
    int id = 0;
    int group = 0;       ///< Endurance group, for a log that each has; else 0.
    int uuid_index = 0;  ///< Which of several definitions of the page; 0 where there is but one.
    std::size_t bytes = 512;
    bool operator==(const LogRequest&) const = default;
};

/// "c0:0:0:512", and back.
[[nodiscard]] std::string to_text(const LogRequest& request);
[[nodiscard]] std::optional<LogRequest> parse_request(std::string_view text);

/// From Identify Controller (NVMe Base 2.0, figure 275), and where a request goes to sysfs.
struct ControllerFacts {
    PciId pci;  ///< Device 0: not known.
    std::string model;
    bool lists_logs = false;   ///< LPA bit 5: has the Supported Log Pages log.
    bool lists_uuids = false;  ///< CTRATT bit 9.
    int endurance_groups = 0;  ///< ENDGIDMAX, where CTRATT bit 4 says that there are any.
    bool operator==(const ControllerFacts&) const = default;
};

/// What came of one Get Log Page command.
struct LogReply {
    enum class Kind { answered, refused, failed };
    Kind kind = Kind::failed;
    std::string bytes;   ///< Answered.
    std::string reason;  ///< Failed: for the user.
};

/// The seam between what is asked and a real controller. Each call is one admin command.
class NvmeController {
  public:
    NvmeController() = default;
    NvmeController(const NvmeController&) = delete;
    NvmeController& operator=(const NvmeController&) = delete;
    virtual ~NvmeController() = default;
    /// Throws a Failure (unreachable).
    [[nodiscard]] virtual ControllerFacts identify() = 0;
    /// By log identifier; empty where the drive refuses.
    [[nodiscard]] virtual std::vector<bool> listed_logs() = 0;
    /// 16 bytes each, from index 1 on; none where the drive refuses.
    [[nodiscard]] virtual std::vector<std::string> uuids() = 0;
    [[nodiscard]] virtual LogReply read(const LogRequest& request) = 0;
};

/// What is worth to be asked of this drive: what the catalogue names for it, less what the drive says that it
/// does not have. A page is asked for once, however many families name it.
[[nodiscard]] std::vector<LogRequest> plan_logs(NvmeController& controller, const ControllerFacts& facts,
                                                const Catalogue& catalogue);

}  // namespace wearout::health
