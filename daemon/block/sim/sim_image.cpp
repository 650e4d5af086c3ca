#include "block/sim/sim_image.h"

#include "base/error.h"
#include "base/hash.h"
#include "block/sim/wear_model.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <string_view>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace wearout::block::sim {

namespace {

std::uint64_t check_of(const ImageHeader& header) {
    return fnv1a64({reinterpret_cast<const char*>(&header), offsetof(ImageHeader, check)});
}

ImageHeader header_of(const SimGeometry& geometry) {
    ImageHeader header;
    header.magic = format_magic;
    header.version = format_version;
    header.logical_block = geometry.logical_block;
    header.capacity = geometry.capacity.value;
    header.seed = geometry.seed;
    header.erase_block = geometry.erase_block;
    header.over_provisioning = geometry.over_provisioning;
    header.endurance = geometry.endurance;
    header.factory_bad = geometry.factory_bad;
    header.file_bytes = layout_of(geometry).end;
    header.check = check_of(header);
    return header;
}

[[noreturn]] void refuse_file(const std::string& path, std::string_view why) {
    throw Failure(ExitCode::unreachable,
                  fmt::format("{}: {}; move the file away to make a new simulated drive", path, why));
}

/// What the file says of itself, if it is one of ours and whole in outline.
SimGeometry read_geometry(const std::string& path, int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) throw_errno(path);
    ImageHeader header;
    if (!S_ISREG(status.st_mode) || status.st_size < static_cast<off_t>(page_bytes) ||
        ::pread(fd, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
        header.magic != format_magic)
        refuse_file(path, "is not a simulated drive");
    if (header.version != format_version)
        refuse_file(path, fmt::format("has format version {}, and this program knows {}", header.version,
                                      format_version));
    if (header.check != check_of(header)) refuse_file(path, "is damaged (its header does not hold)");
    const SimGeometry geometry{.capacity = {header.capacity},
                               .logical_block = header.logical_block,
                               .erase_block = header.erase_block,
                               .over_provisioning = header.over_provisioning,
                               .endurance = header.endurance,
                               .factory_bad = header.factory_bad,
                               .seed = header.seed};
    try {
        check_bounds(geometry, path);
    } catch (const Failure& failure) {
        refuse_file(path, fmt::format("is damaged ({})", failure.what()));
    }
    if (header.file_bytes != layout_of(geometry).end ||
        status.st_size != static_cast<off_t>(header.file_bytes))
        refuse_file(path, fmt::format("is damaged ({} bytes long instead of {})", status.st_size,
                                      layout_of(geometry).end));
    return geometry;
}

void lock(const std::string& path, int fd) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK)
        throw Failure(ExitCode::refused, path + ": the simulated drive is in use by another process");
    throw_errno(path);
}

/// Best effort: only some file systems have it, and only those need it.
void ask_not_to_copy(int fd) {
    int flags = 0;
    if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return;
    flags |= FS_NOCOW_FL;
    static_cast<void>(::ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

/// The file that is to become the drive's, locked by us alone.
Fd open_draft(const std::string& draft) {
    Fd fd = Fd::open(draft, O_RDWR | O_CREAT | O_NOFOLLOW);
    lock(draft, fd.get());
    struct stat ours {};
    struct stat named {};
    // Another process may have finished and renamed it before we had the lock.
    if (::fstat(fd.get(), &ours) != 0 || ::stat(draft.c_str(), &named) != 0 || ours.st_ino != named.st_ino)
        throw Failure(ExitCode::refused, draft + ": another process makes this simulated drive; try again");
    return fd;
}

void lay_out(const std::string& draft, int fd, const SimGeometry& geometry) {
    const ImageLayout layout = layout_of(geometry);
    if (::ftruncate(fd, 0) != 0) throw_errno(draft);
    ask_not_to_copy(fd);
    if (::ftruncate(fd, static_cast<off_t>(layout.end)) != 0) throw_errno(draft);
    if (const int error = ::posix_fallocate(fd, 0, static_cast<off_t>(layout.data)); error != 0)
        throw Failure(ExitCode::unreachable, errno_text(draft, error));
}

}  // namespace

Image::Image(std::string path, Fd fd, const SimGeometry& geometry)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      geometry_(geometry),
      layout_(layout_of(geometry)),
      reserved_(geometry.blocks(), !fd_) {
    const int flags = fd_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const base = ::mmap(nullptr, layout_.end, PROT_READ | PROT_WRITE, flags, fd_ ? fd_.get() : -1, 0);
    if (base == MAP_FAILED) throw_errno(path_);
    base_ = static_cast<std::byte*>(base);
}

Image::Image(Image&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::move(other.fd_)),
      geometry_(other.geometry_),
      layout_(other.layout_),
      base_(std::exchange(other.base_, nullptr)),
      reserved_(std::move(other.reserved_)) {}

Image::~Image() {
    if (base_ != nullptr) ::munmap(base_, layout_.end);
}

Image Image::create(const std::string& path, const SimGeometry& geometry) {
    const std::string draft = path + ".new";
    Fd fd = open_draft(draft);
    try {
        lay_out(draft, fd.get(), geometry);
        Image image(path, std::move(fd), geometry);
        draw_blocks(geometry, image.blocks());
        const ImageHeader header = header_of(geometry);
        std::memcpy(image.base_, &header, sizeof header);
        if (std::rename(draft.c_str(), path.c_str()) != 0) throw_errno(path);
        return image;
    } catch (...) {
        ::unlink(draft.c_str());
        throw;
    }
}

Image Image::open(const std::string& path) {
    Fd fd = Fd::open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    const SimGeometry geometry = read_geometry(path, fd.get());
    lock(path, fd.get());
    return Image(path, std::move(fd), geometry);
}

Image Image::anonymous(const SimGeometry& geometry) {
    Image image("memory", Fd(), geometry);
    draw_blocks(geometry, image.blocks());
    return image;
}

std::optional<SimGeometry> Image::peek(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        throw_errno(path);
    }
    const Fd fd = Fd::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return read_geometry(path, fd.get());
}

Counters& Image::counters() noexcept {
    return *reinterpret_cast<Counters*>(base_ + counters_offset);
}

std::span<BlockRecord> Image::blocks() noexcept {
    return {reinterpret_cast<BlockRecord*>(base_ + layout_.blocks), geometry_.blocks()};
}

std::span<std::uint32_t> Image::map() noexcept {
    return {reinterpret_cast<std::uint32_t*>(base_ + layout_.map), geometry_.pages()};
}

int Image::reserve_block(std::uint32_t block) {
    if (reserved_[block]) return 0;
    const std::uint64_t offset = layout_.data + std::uint64_t{block} * geometry_.erase_block;
    const int error =
        ::posix_fallocate(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(geometry_.erase_block));
    reserved_[block] = error == 0;
    return error;
}

}  // namespace wearout::block::sim
