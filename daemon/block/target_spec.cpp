#include "base/error.h"
#include "block/raw_target.h"
#include "block/sim/sim_options.h"
#include "block/target.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace wearout::block {

namespace {

constexpr std::size_t longest_target = 4096;
constexpr std::string_view what_is_right =
    "give a block device (best /dev/disk/by-id/…), file:/PATH or sim:NAME";

/// Before anything of it is printed: a target may come from anybody who can reach the daemon.
void check_text(std::string_view text) {
    if (text.empty()) throw usage_error(fmt::format("no target: {}", what_is_right));
    if (text.size() > longest_target)
        throw usage_error(fmt::format("a target of more than {} characters", longest_target));
    const auto is_control = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    };
    if (std::ranges::any_of(text, is_control)) throw usage_error("a target with control characters in it");
}

/// "PATH?key=value&key=value", split at the last question mark, so that a path with one can be given as
/// "PATH?".
void split_options(std::string_view text, TargetSpec& spec) {
    const std::size_t mark = text.rfind('?');
    spec.path = text.substr(0, mark);
    if (mark == std::string_view::npos || mark + 1 == text.size()) return;
    std::set<std::string_view> seen;
    std::string_view rest = text.substr(mark + 1);
    for (;;) {
        const std::size_t end = rest.find('&');
        const std::string_view option = rest.substr(0, end);
        const std::size_t equals = option.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == option.size())
            throw usage_error(fmt::format("{}: \"{}\" is no option: write them as ?key=value&key=value",
                                          spec.text, option));
        const std::string_view key = option.substr(0, equals);
        if (!seen.insert(key).second)
            throw usage_error(fmt::format("{}: the option \"{}\" is there twice", spec.text, key));
        spec.options.emplace_back(key, option.substr(equals + 1));
        if (end == std::string_view::npos) return;
        rest = rest.substr(end + 1);
    }
}

/// The daemon's working folder is none of the user's, so that a relative path would mislead.
void check_absolute(const TargetSpec& spec) {
    if (!spec.path.starts_with('/'))
        throw usage_error(fmt::format("{}: the path must begin with /; {}", spec.text, what_is_right));
}

TargetKind kind_of_path(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        const std::string hint = errno == ENOENT && !path.starts_with("/dev/")
                                     ? fmt::format(" (to make a file: file:{}?size=1GiB)", path)
                                     : "";
        throw Failure(ExitCode::unreachable, errno_text(path) + hint);
    }
    if (S_ISBLK(status.st_mode)) return TargetKind::block_device;
    if (S_ISREG(status.st_mode)) return TargetKind::file;
    throw usage_error(fmt::format("{} {}: {}", path, kind_of_node(status), what_is_right));
}

}  // namespace

TargetSpec parse_target(std::string_view text) {
    check_text(text);
    TargetSpec spec;
    spec.text = text;
    if (text.starts_with("sim:")) {
        spec.kind = TargetKind::simulated;
        split_options(text.substr(4), spec);
        sim::check_name(spec.path);
        static_cast<void>(sim::plan_geometry(spec.path, spec.options));
    } else if (text.starts_with("file:")) {
        spec.kind = TargetKind::file;
        split_options(text.substr(5), spec);
        check_absolute(spec);
        static_cast<void>(file_options(spec));
    } else {
        spec.path = text;
        check_absolute(spec);
        spec.kind = kind_of_path(spec.path);
    }
    return spec;
}

}  // namespace wearout::block
