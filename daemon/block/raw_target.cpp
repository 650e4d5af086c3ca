#include "block/raw_target.h"

#include "base/error.h"

#include <cstdlib>
#include <memory>
#include <sys/stat.h>

namespace wearout::block {

std::string canonical_path(const std::string& path) {
    struct Free {
        void operator()(char* text) const noexcept { std::free(text); }
    };
    const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
    if (!resolved) throw_errno(path);
    return resolved.get();
}

void check_same(const Fd& fd, const std::string& path) {
    struct stat opened {};
    struct stat named {};
    const bool same = ::fstat(fd.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      opened.st_dev == named.st_dev && opened.st_ino == named.st_ino &&
                      opened.st_rdev == named.st_rdev;
    if (!same) throw Failure(ExitCode::refused, path + " became something else while it was being opened");
}

std::string kind_of_node(const struct stat& status) {
    if (S_ISDIR(status.st_mode)) return "is a directory";
    if (S_ISCHR(status.st_mode)) return "is a character device";
    if (S_ISFIFO(status.st_mode)) return "is a FIFO";
    if (S_ISSOCK(status.st_mode)) return "is a socket";
    if (S_ISBLK(status.st_mode)) return "is a block device";
    return "is a regular file";
}

}  // namespace wearout::block
