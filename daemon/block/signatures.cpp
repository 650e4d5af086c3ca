#include "block/signatures.h"

#include "base/error.h"
#include "base/fd.h"
#include "block/text.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <memory>

#include <blkid/blkid.h>
#include <fmt/format.h>

namespace wearout::block {
namespace {

struct ProbeDeleter {
    void operator()(blkid_probe probe) const noexcept { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, ProbeDeleter>;

/// Far more than any device can carry by honest means; a bound for one that is made to mislead.
constexpr std::size_t most_signatures = 64;

std::string value_of(blkid_probe probe, const char* name) {
    const char* data = nullptr;
    std::size_t size = 0;
    if (blkid_probe_lookup_value(probe, name, &data, &size) != 0 || data == nullptr) return {};
    return clean_text({data, size}, 64);
}

}  // namespace

std::vector<Signature> read_signatures(const std::string& path) {
    const Fd fd = Fd::open(path, O_RDONLY | O_NONBLOCK);
    const Probe probe(blkid_new_probe());
    if (!probe || blkid_probe_set_device(probe.get(), fd.get(), 0, 0) != 0)
        throw_errno("cannot look for signatures on " + printable_path(path));
    blkid_probe_enable_superblocks(probe.get(), 1);
    blkid_probe_set_superblocks_flags(probe.get(),
                                      BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL);
    blkid_probe_enable_partitions(probe.get(), 1);

    std::vector<Signature> found;
    // Step by step, not blkid_do_safeprobe: that one gives up when two signatures contradict each other.
    for (errno = 0; found.size() < most_signatures; errno = 0) {
        const int rc = blkid_do_probe(probe.get());
        if (rc == 1) break;
        if (rc < 0)
            throw Failure(ExitCode::unreachable,
                          errno_text("cannot read " + printable_path(path), errno != 0 ? errno : EIO));
        Signature signature{value_of(probe.get(), "TYPE"), value_of(probe.get(), "USAGE"),
                            value_of(probe.get(), "LABEL")};
        if (signature.type.empty()) signature = {value_of(probe.get(), "PTTYPE"), "partition-table", {}};
        if (!signature.type.empty()) found.push_back(std::move(signature));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::string describe(const Signature& signature) {
    std::string text;
    if (signature.usage == "partition-table")
        text = fmt::format("a partition table ({})", signature.type);
    else if (signature.usage == "filesystem")
        text = fmt::format("a file system ({})", signature.type);
    else if (signature.usage == "raid")
        text = fmt::format("the mark of a volume member ({})", signature.type);
    else if (signature.usage == "crypto")
        text = fmt::format("an encrypted volume ({})", signature.type);
    else
        text = fmt::format("a signature ({})", signature.type);
    if (!signature.label.empty()) text += fmt::format(" labelled \"{}\"", signature.label);
    return text;
}

}  // namespace wearout::block
