#include "block/signatures.h"

#include "base/endian.h"
#include "base/error.h"
#include "scratch_disk.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;
using namespace wearout::test;

/// Files serve here as devices: libblkid reads both alike. The marks of volume managers are written by hand,
/// from their formats.
namespace {

constexpr std::uint64_t mib = 1U << 20U;

struct Image {
    explicit Image(std::uint64_t bytes = 64 * mib) { make_image(path, bytes); }
    ScratchFolder folder;
    std::string path = folder.path() + "/image";
};

bool has(const std::vector<Signature>& signatures, const std::string& type, const std::string& usage) {
    return std::any_of(signatures.begin(), signatures.end(),
                       [&](const auto& s) { return s.type == type && s.usage == usage; });
}

template <typename T>
void put(std::string& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// LVM2's checksum: CRC-32 that begins with its own value and is not inverted (lib/misc/crc.c).
std::uint32_t lvm_crc(const std::string& bytes) {
    std::uint32_t crc = 0xf597a6cf;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return crc;
}

/// The label of a physical volume, which lies in the second sector (lib/label/label.h).
std::string lvm_label() {
    std::string sector(512, '\0');
    std::memcpy(sector.data(), "LABELONE", 8);
    put<std::uint64_t>(sector, 8, 1);
    put<std::uint32_t>(sector, 20, 32);
    std::memcpy(sector.data() + 24, "LVM2 001", 8);
    std::memcpy(sector.data() + 32, "abcdefghijklmnopqrstuvwxyz012345", 32);
    put<std::uint32_t>(sector, 16, lvm_crc(sector.substr(20)));
    return sector;
}

/// A version 1.2 superblock of Linux md (include/uapi/linux/raid/md_p.h), which lies 4 KiB from the start.
std::string md_superblock() {
    std::string block(256, '\0');
    put<std::uint32_t>(block, 0, 0xa92b4efc);
    put<std::uint32_t>(block, 4, 1);
    std::memcpy(block.data() + 16, "0123456789abcdef", 16);
    std::memcpy(block.data() + 32, "host:0", 6);
    put<std::uint32_t>(block, 72, 1);
    put<std::uint64_t>(block, 144, 8);
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < block.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, block.data() + at, 4);
        sum += word;
    }
    put(block, 216, static_cast<std::uint32_t>((sum & 0xffffffff) + (sum >> 32U)));
    return block;
}

}  // namespace

TEST_CASE("nothing on an empty image, and an error for what is not there") {
    const Image image;
    CHECK(read_signatures(image.path).empty());
    CHECK_THROWS_AS((void)read_signatures(image.folder.path() + "/none"), Failure);
}

TEST_CASE("file systems and swap, as their own tools make them") {
    for (const std::string type : {"ext4", "xfs", "btrfs", "vfat"}) {
        const Image image(320 * mib);
        if (!has_command("mkfs." + type)) {
            MESSAGE("no mkfs." << type << " here: left out");
            continue;
        }
        REQUIRE(shell("mkfs." + type + " " + (type == "vfat" ? "" : "-q ") + image.path));
        CHECK_MESSAGE(has(read_signatures(image.path), type, "filesystem"), type);
    }
    const Image image;
    REQUIRE(shell("mkswap " + image.path));
    CHECK(has(read_signatures(image.path), "swap", "other"));
}

TEST_CASE("members of LVM, md and LUKS") {
    const Image image;
    SUBCASE("LVM") {
        put_bytes(image.path, 512, lvm_label());
        CHECK(has(read_signatures(image.path), "LVM2_member", "raid"));
    }
    SUBCASE("md") {
        put_bytes(image.path, 4096, md_superblock());
        CHECK(has(read_signatures(image.path), "linux_raid_member", "raid"));
    }
    SUBCASE("LUKS") {
        put_bytes(image.path, 0, std::string("LUKS\xba\xbe\x00\x01", 8));
        CHECK(has(read_signatures(image.path), "crypto_LUKS", "crypto"));
    }
}

TEST_CASE("two signatures that contradict each other are both told") {
    const Image image;
    REQUIRE(shell("mkfs.ext4 -q -L 'old one' " + image.path));
    put_bytes(image.path, 512, lvm_label());
    const auto found = read_signatures(image.path);
    CHECK(has(found, "LVM2_member", "raid"));
    CHECK(has(found, "ext4", "filesystem"));
    const auto ext4 =
        std::find_if(found.begin(), found.end(), [](const auto& s) { return s.type == "ext4"; });
    REQUIRE(ext4 != found.end());
    CHECK(describe(*ext4) == "a file system (ext4) labelled \"old one\"");
}
