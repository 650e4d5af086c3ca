#include "base/quantity.h"
#include "tools/wearctl/report.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

std::string csv_text(std::string_view text) {
    std::string safe = "\"";
    for (const char c : text) {
        if (c == '"') safe += '"';
        safe += c;
    }
    return safe + '"';
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw Failure(ExitCode::unreachable, path.string() + ": can't be written");
}

std::string wear_csv(const Report& report) {
    std::string text = "time,tb_written,metric,value,unit,epoch,source\r\n";
    for (const WearLine& line : report.wear)
        for (const analysis::Observation& seen : line.history)
            text += fmt::format("{},{},{},{},{},{},{}\r\n", format_iso_time(seen.time),
                                analysis::terabytes(seen.written), metric_names[line.metric], seen.value,
                                unit_of(line.metric), seen.epoch, csv_text(line.source));
    return text;
}

std::string passes_csv(const Report& report) {
    std::string text = "kind,generation,started,ended,active_seconds,bytes,finding_ranges\r\n";
    for (const PassRecord& pass : report.passes)
        text += fmt::format("{},{},{},{},{:.3f},{},{}\r\n", run_state_names[pass.kind], pass.generation.value,
                            format_iso_time(pass.started), format_iso_time(pass.ended),
                            static_cast<double>(pass.active.count()) / 1000, pass.bytes.value,
                            pass.finding_ranges);
    return text;
}

std::string findings_csv(const std::vector<Finding>& findings) {
    std::string text =
        "sequence,class,lba,sectors,pass,time,expected_generation,found_generation,source_lba,"
        "flips_to_one,flips_to_zero,errno,reread\r\n";
    for (const Finding& finding : findings)
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", finding.sequence, finding_class_names[finding.cls],
            finding.lba.value, finding.sectors, finding.pass, format_iso_time(finding.time),
            finding.expected.value, finding.found ? std::to_string(finding.found->value) : "",
            finding.source_lba ? std::to_string(finding.source_lba->value) : "", finding.flips_to_one,
            finding.flips_to_zero, finding.error, reread_names[finding.reread]);
    return text;
}

}  // namespace

void write_csv(const Report& report, const store::Store& store, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Failure(ExitCode::unreachable, fmt::format("{}: {}", folder, error.message()));
    const std::filesystem::path path(folder);
    write(path / "wear.csv", wear_csv(report));
    write(path / "passes.csv", passes_csv(report));
    write(path / "findings.csv", findings_csv(store.findings(report.subject.run.id)));
}

}  // namespace wearout::tools
