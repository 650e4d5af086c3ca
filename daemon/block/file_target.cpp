#include "base/error.h"
#include "base/quantity.h"
#include "block/io_buffers.h"
#include "block/raw_target.h"
#include "block/text.h"

#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wearout::block {

namespace {

/// Takes a half-made file away again.
class UnlinkGuard {
  public:
    explicit UnlinkGuard(const std::string& path) : path_(&path) {}
    UnlinkGuard(const UnlinkGuard&) = delete;
    UnlinkGuard& operator=(const UnlinkGuard&) = delete;
    ~UnlinkGuard() {
        if (path_ != nullptr) ::unlink(path_->c_str());
    }
    void keep() noexcept { path_ = nullptr; }

  private:
    const std::string* path_;
};

void check_status(const struct stat& status, const std::string& path, bool reads_only) {
    if (S_ISBLK(status.st_mode))
        throw usage_error(fmt::format("{} is a block device: give its path without file:", path));
    if (!S_ISREG(status.st_mode)) throw usage_error(fmt::format("{} {}", path, kind_of_node(status)));
    // Root may write to it all the same, but whoever took the permission away did not mean us to.
    if (!reads_only && (status.st_mode & 0222U) == 0)
        throw Failure(ExitCode::refused, fmt::format("{} is read-only (chmod u+w to allow writing)", path));
}

Geometry geometry_of(Bytes size, const FileOptions& options, const std::string& path) {
    if (size.value == 0) throw usage_error(fmt::format("{} is empty: nothing to test", path));
    if (options.size && *options.size != size)
        throw usage_error(fmt::format("{} is there and has {} bytes, not the {} that size= asks for", path,
                                      size.value, options.size->value));
    const std::uint32_t block = options.block.value_or(size.value % 4096 == 0 ? 4096 : 512);
    if (size.value % block != 0)
        throw usage_error(
            fmt::format("{}: {} bytes is no multiple of the block of {} bytes", path, size.value, block));
    return {size, block};
}

void sync_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    const Fd fd = Fd::open(folder, O_RDONLY | O_DIRECTORY);
    if (::fsync(fd.get()) != 0) throw_errno(folder);
}

[[noreturn]] void no_room(const std::string& path, Bytes size) {
    throw Failure(ExitCode::unreachable,
                  fmt::format("{}: there is no room for {} bytes here", path, size.value));
}

void allocate(const Fd& fd, const std::string& path, Bytes size) {
    // Asked first: trying would fill the file system for a moment, to the harm of everybody else on it.
    struct statvfs space {};
    if (::fstatvfs(fd.get(), &space) == 0 && size.value / space.f_frsize > space.f_bavail)
        no_room(path, size);
    int result = 0;
    do {
        result = ::fallocate(fd.get(), 0, 0, static_cast<off_t>(size.value));
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EOPNOTSUPP) result = ::ftruncate(fd.get(), static_cast<off_t>(size.value));
    if (result == 0) return;
    if (errno == ENOSPC || errno == EDQUOT) no_room(path, size);
    throw_errno(path, errno == EFBIG ? ExitCode::usage : ExitCode::unreachable);
}

Fd make_file(const std::string& path, Bytes size) {
    Fd fd = Fd::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    UnlinkGuard guard(path);
    allocate(fd, path, size);
    if (::fsync(fd.get()) != 0) throw_errno(path);
    sync_folder_of(path);
    guard.keep();
    return fd;
}

Fd open_existing(const std::string& path, bool reads_only) {
    // O_NONBLOCK: a FIFO that took the file's place must not hang us.
    const int flags = (reads_only ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
    Fd fd(::open(path.c_str(), flags));
    if (fd) return fd;
    const bool no_writing = errno == EROFS || errno == EACCES || errno == EPERM || errno == ETXTBSY;
    throw_errno(path, !reads_only && no_writing ? ExitCode::refused : ExitCode::unreachable);
}

void lock_file(const Fd& fd, const std::string& path) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK)
        throw Failure(ExitCode::refused, path + ": in use by another program, which has it locked");
    throw_errno(path);
}

/// What offsets must be multiples of for O_DIRECT; 0: none possible; nothing: the kernel does not tell.
std::optional<std::uint32_t> direct_alignment(const Fd& fd) {
    struct statx status {};
    if (::statx(fd.get(), "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) != 0 ||
        (status.stx_mask & STATX_DIOALIGN) == 0)
        return std::nullopt;
    return status.stx_dio_offset_align;
}

/// Turns O_DIRECT on, or says that it cannot be had. Throws when it can, but not in blocks of this size.
bool make_direct(const Fd& fd, const std::string& path, std::uint32_t block) {
    // Without the O_NONBLOCK of the opening, which would make the kernel refuse to wait for the drive.
    const int flags = ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK;
    const auto alignment = direct_alignment(fd);
    if (alignment == 0U || ::fcntl(fd.get(), F_SETFL, flags | O_DIRECT) != 0) {
        if (::fcntl(fd.get(), F_SETFL, flags) != 0) throw_errno(path);
        return false;
    }
    const IoBuffers buffer(1, 4096);
    const bool taken = ::pread(fd.get(), buffer.at(0).data(), block, block) >= 0 || errno != EINVAL;
    if (!taken || (alignment && block % *alignment != 0))
        throw usage_error(fmt::format("{}: direct I/O on this file system needs larger blocks than {}{}",
                                      path, block, block < 4096 ? ": say ?block=4096" : ""));
    return true;
}

std::optional<struct stat> status_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return status;
    if (errno == ENOENT) return std::nullopt;
    throw_errno(path);
}

/// The size of a file that is to be made.
Bytes size_to_make(const TargetSpec& spec, const FileOptions& wanted, const OpenOptions& options) {
    const std::string missing = errno_text(spec.path, ENOENT);
    if (options.reads_only || !options.may_create) throw Failure(ExitCode::unreachable, missing);
    if (!wanted.size)
        throw Failure(ExitCode::unreachable, missing + " (to make it, give a size: ?size=1GiB)");
    return *wanted.size;
}

std::string path_to_make(const std::string& path) {
    const std::filesystem::path whole(path);
    if (!whole.has_filename()) throw usage_error(path + " names a folder, not a file");
    return std::filesystem::path(canonical_path(whole.parent_path())) / whole.filename();
}

}  // namespace

FileOptions file_options(const TargetSpec& spec) {
    FileOptions options;
    for (const auto& [key, value] : spec.options) {
        if (key == "size") {
            options.size = parse_bytes(value, "size");
            if (options.size->value == 0 || options.size->value > INT64_MAX)
                throw usage_error(fmt::format("size \"{}\": must be above 0 and below 8 EiB", value));
        } else if (key == "block") {
            const std::uint64_t block = parse_bytes(value, "block").value;
            if (block != 512 && block != 4096)
                throw usage_error(fmt::format("block \"{}\": must be 512 or 4096", value));
            options.block = static_cast<std::uint32_t>(block);
        } else {
            throw usage_error(
                fmt::format("{}: a file has no option \"{}\", only size and block", spec.text, key));
        }
    }
    return options;
}

RawTarget open_file(const TargetSpec& spec, const OpenOptions& options) {
    const FileOptions wanted = file_options(spec);
    RawTarget target;
    if (const auto status = status_of(spec.path)) {
        target.path = canonical_path(spec.path);
        check_status(*status, target.path, options.reads_only);
        target.fd = open_existing(target.path, options.reads_only);
    } else {
        target.path = path_to_make(spec.path);
        target.geometry = geometry_of(size_to_make(spec, wanted, options), wanted, target.path);
        target.fd = make_file(target.path, target.geometry.capacity);
        target.created = true;
    }
    lock_file(target.fd, target.path);
    struct stat status {};
    if (::fstat(target.fd.get(), &status) != 0) throw_errno(target.path);
    check_status(status, target.path, options.reads_only);
    check_same(target.fd, target.path);
    target.geometry = geometry_of({static_cast<std::uint64_t>(status.st_size)}, wanted, target.path);
    target.direct = make_direct(target.fd, target.path, target.geometry.logical_block);
    return target;
}

Drive describe_file(const TargetSpec& spec, const OpenOptions& options) {
    const FileOptions wanted = file_options(spec);
    if (const auto status = status_of(spec.path)) {
        const std::string path = canonical_path(spec.path);
        check_status(*status, path, options.reads_only);
        return file_drive(path, geometry_of({static_cast<std::uint64_t>(status->st_size)}, wanted, path));
    }
    const std::string path = path_to_make(spec.path);
    return file_drive(path, geometry_of(size_to_make(spec, wanted, options), wanted, path));
}

Drive file_drive(const std::string& path, const Geometry& geometry) {
    Drive drive;
    drive.key = "file:" + printable_path(path);
    drive.model = "regular file";
    drive.transport = "file";
    drive.capacity = geometry.capacity;
    drive.logical_block_bytes = geometry.logical_block;
    return drive;
}

}  // namespace wearout::block
