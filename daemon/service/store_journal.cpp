#include "service/store_journal.h"

#include "service/log.h"

#include <fmt/format.h>

namespace wearout::service {

namespace {
/// A run with more findings than this tells the rest in the database only.
constexpr std::uint32_t max_logged_findings = 100;
}  // namespace

void StoreJournal::commit(const RunBatch& batch) {
    store_.commit(run_, batch, clock_.wall());
    log_findings(batch);
}

void StoreJournal::log_findings(const RunBatch& batch) {
    for (const auto& finding : batch.findings) {
        if (finding.sequence <= last_logged_) continue;
        last_logged_ = finding.sequence;
        if (finding.sequence > max_logged_findings) continue;
        const auto name = finding_class_names[finding.cls];
        log(LogLevel::error,
            fmt::format("run {}: finding {}: {} at LBA {}, {} sectors, on {}{}", run_.value, finding.sequence,
                        name, finding.lba.value, finding.sectors, drive_key_,
                        finding.sequence == max_logged_findings ? " (further findings are not logged)" : ""),
            {{"MESSAGE_ID", std::string(message_id_finding)},
             {"WEAROUT_RUN", std::to_string(run_.value)},
             {"WEAROUT_DRIVE", drive_key_},
             {"WEAROUT_CLASS", std::string(name)},
             {"WEAROUT_LBA", std::to_string(finding.lba.value)}});
    }
}

}  // namespace wearout::service
