#include "base/error.h"
#include "block/safety_check.h"
#include "block/text.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

/// The part of SafetyCheck that judges files.
namespace wearout::block {
namespace {

namespace fs = std::filesystem;

fs::path canonical_path(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : canonical;
}

/// The files that SQLite keeps beside a database (sqlite.org/tempfiles.html).
constexpr const char* database_suffixes[] = {"", "-wal", "-shm", "-journal"};

bool is_database_name(const std::string& name) {
    for (const char* suffix : database_suffixes)
        if (name.ends_with(std::string(".db") + suffix)) return true;
    return false;
}

}  // namespace

bool SafetyCheck::is_protected_file(const std::string& path, const PathFacts& facts) const {
    const fs::path canonical = canonical_path(path);
    for (const auto& guarded : options_.protected_paths) {
        const fs::path guarded_path = canonical_path(guarded);
        for (const char* suffix : database_suffixes) {
            const std::string beside = guarded_path.native() + suffix;
            // By inode too: a hard link is the same file under another name.
            if (canonical == beside || facts.same_file(system_.stat(beside))) return true;
        }
        if (canonical.parent_path() == guarded_path && is_database_name(canonical.filename())) return true;
    }
    return false;
}

std::vector<std::string> SafetyCheck::file_in_use(const PathFacts& facts, const std::string& name,
                                                  DeviceNumber but) const {
    Reasons reasons;
    for (const auto& loop : uses_.loops())
        if (loop.node.number != but && loop.backing && loop.backing->same_file(facts))
            reasons.push_back(fmt::format("{} is set up on {}", device_path(system_, loop.node), name));
    for (const auto& use : uses_.swaps())
        if (use.facts.same_file(facts)) reasons.push_back(name + " is used for swap");
    return reasons;
}

std::vector<std::string> SafetyCheck::reasons_against_file(const std::string& path) const {
    const std::string name = printable_path(path);
    const PathFacts facts = system_.stat(path);
    if (facts.dangling) return {name + " is a symbolic link that leads nowhere"};
    if (facts.error != 0 && facts.error != ENOENT) return {errno_text(name, facts.error)};
    Reasons reasons = uses_.problems();
    if (is_protected_file(path, facts)) reasons.push_back(name + " belongs to this program's own files");
    if (facts.error == ENOENT) return reasons;
    if (facts.type != FileType::regular) {
        reasons.push_back(name +
                          (facts.type == FileType::directory ? " is a folder" : " is not a regular file"));
        return reasons;
    }
    for (auto& reason : file_in_use(facts, name))
        reasons.push_back(std::move(reason));
    if (const int error = system_.try_write_access(path); error != 0)
        reasons.push_back(errno_text("cannot write " + name, error));
    if (!options_.file_is_ours)
        reasons.push_back(
            fmt::format("{0} exists and was not made by this program; confirm it by its path", name));
    return reasons;
}

}  // namespace wearout::block
