#include "health/nvme_plan.h"

#include "health/log_field.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// A drive has one or two, and what several tell is not decoded.
constexpr int most_groups = 4;

/// Asks the drive what it has, at most once, and only when a page depends on it.
class Inventory {
  public:
    Inventory(NvmeController& controller, const ControllerFacts& facts)
        : controller_(controller), facts_(facts) {}

    /// Nothing: the drive does not say.
    [[nodiscard]] std::optional<bool> lists(int id) {
        if (facts_.lists_logs && !asked_logs_) logs_ = controller_.listed_logs();
        asked_logs_ = true;
        const auto index = static_cast<std::size_t>(id);
        if (index >= logs_.size()) return std::nullopt;
        return logs_[index];
    }

    [[nodiscard]] int uuid_index(const std::string& uuid) {
        if (uuid.empty() || !facts_.lists_uuids) return 0;
        if (!asked_uuids_) uuids_ = controller_.uuids();
        asked_uuids_ = true;
        const auto found = std::find(uuids_.begin(), uuids_.end(), uuid);
        return found == uuids_.end() ? 0 : static_cast<int>(found - uuids_.begin()) + 1;
    }

  private:
    NvmeController& controller_;
    const ControllerFacts& facts_;
    bool asked_logs_ = false;
    bool asked_uuids_ = false;
    std::vector<bool> logs_;
    std::vector<std::string> uuids_;
};

void add(std::vector<LogRequest>& requests, const LogRequest& request) {
    const auto same = std::find_if(requests.begin(), requests.end(), [&](const LogRequest& other) {
        return other.id == request.id && other.group == request.group;
    });
    if (same == requests.end())
        requests.push_back(request);
    else
        same->bytes = std::max(same->bytes, request.bytes);
}

}  // namespace

std::string to_text(const LogRequest& request) {
    return fmt::format("{:02x}:{}:{}:{}", request.id, request.group, request.uuid_index, request.bytes);
}

std::optional<LogRequest> parse_request(std::string_view text) {
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        parts.at(i) = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    parts.back() = text;
    const auto id = parse_unsigned(parts[0], 16, 0xff);
    const auto group = parse_unsigned(parts[1], 10, 0xffff);
    const auto uuid_index = parse_unsigned(parts[2], 10, 127);
    const auto bytes = parse_unsigned(parts[3], 10, static_cast<int>(longest_nvme_log));
    if (!id || !group || !uuid_index || !bytes || *bytes == 0 || *bytes % 4 != 0) return std::nullopt;
    return LogRequest{*id, *group, *uuid_index, static_cast<std::size_t>(*bytes)};
}

std::vector<LogRequest> plan_logs(NvmeController& controller, const ControllerFacts& facts,
                                  const Catalogue& catalogue) {
    Inventory inventory(controller, facts);
    std::vector<LogRequest> requests;
    for (const auto& family : catalogue.families) {
        if (family.logs.empty() || !names_drive(family, facts.pci, facts.model)) continue;
        for (const auto& page : family.logs) {
            if (page.per_group && facts.endurance_groups == 0) continue;
            if (!inventory.lists(page.id).value_or(!page.if_listed)) continue;
            LogRequest request{page.id, 0, inventory.uuid_index(page.uuid), page.bytes};
            if (!page.per_group) add(requests, request);
            for (int group = 1; page.per_group && group <= std::min(facts.endurance_groups, most_groups);
                 ++group) {
                request.group = group;
                add(requests, request);
            }
        }
    }
    return requests;
}

}  // namespace wearout::health
