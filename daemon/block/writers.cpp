#include "block/writers.h"

#include "block/sysfs.h"
#include "block/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::block {
namespace {

namespace fs = std::filesystem;

bool only_manages(std::string_view program) {
    constexpr std::array<std::string_view, 5> managers{"smartctl", "smartd", "systemd-udevd", "(udev-worker)",
                                                       "udevd"};
    return std::find(managers.begin(), managers.end(), program) != managers.end();
}

/// Of "flags:\t0100002" in fdinfo, which is octal (proc(5)). What cannot be read counts as writing.
bool is_for_writing(const std::string& info) {
    constexpr std::string_view name = "flags:";
    const std::size_t at = info.find(name);
    if (at == std::string::npos) return true;
    const std::size_t digits = info.find_first_not_of(" \t", at + name.size());
    if (digits == std::string::npos) return true;
    int flags = O_RDWR;
    std::from_chars(info.data() + digits, info.data() + info.size(), flags, 8);
    return (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

std::map<DeviceNumber, std::string> find_writers(const System& system) {
    std::map<DeviceNumber, std::string> writers;
    const std::string own = std::to_string(::getpid());
    for (const auto& process : list_folder(system.proc()).value_or(std::vector<std::string>{})) {
        if (process.find_first_not_of("0123456789") != std::string::npos || process == own) continue;
        const std::string folder = system.proc() + "/" + process;
        const std::string program = clean_text(text_attribute(folder, "comm").value_or("?"));
        if (only_manages(program)) continue;
        for (const auto& fd : list_folder(folder + "/fd").value_or(std::vector<std::string>{})) {
            const std::string link = fmt::format("{}/fd/{}", folder, fd);
            std::error_code error;
            if (!fs::read_symlink(link, error).native().starts_with(system.dev() + "/")) continue;
            const PathFacts facts = system.stat(link);
            if (facts.error != 0 || facts.type != FileType::block) continue;
            if (is_for_writing(attribute(folder + "/fdinfo", fd).value_or("")))
                writers.emplace(facts.device, fmt::format("{} (process {})", program, process));
        }
    }
    return writers;
}

}  // namespace wearout::block
