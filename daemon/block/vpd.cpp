#include "block/vpd.h"

#include "block/text.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace wearout::block {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t offset) {
    return static_cast<unsigned char>(bytes[offset]);
}

/// The page's content without its header of four bytes, or nothing if it is another page or cut short.
std::optional<std::string_view> page_content(std::string_view page, unsigned code) {
    if (page.size() < 4 || byte_at(page, 1) != code) return std::nullopt;
    const std::size_t length = byte_at(page, 2) << 8U | byte_at(page, 3);
    return page.substr(4, length);
}

std::string hex(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        out += fmt::format("{:02x}", byte_at(bytes, i));
    return out;
}

/// ATA strings have the bytes of each 16-bit word exchanged (ACS-4, 3.4.9).
std::string ata_string(std::string_view identify, std::size_t first_word, std::size_t words) {
    std::string text(identify.substr(first_word * 2, words * 2));
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        std::swap(text[i], text[i + 1]);
    return clean_text(text);
}

}  // namespace

std::string vpd_serial(std::string_view page80) {
    return clean_text(page_content(page80, 0x80).value_or(""));
}

std::string vpd_wwn(std::string_view page83) {
    constexpr unsigned type_eui64 = 2;
    constexpr unsigned type_naa = 3;
    std::string_view rest = page_content(page83, 0x83).value_or("");
    std::string eui;
    while (rest.size() >= 4) {
        const unsigned flags = byte_at(rest, 1);
        const std::size_t length = byte_at(rest, 3);
        if (length == 0 || rest.size() < 4 + length) break;
        const std::string_view designator = rest.substr(4, length);
        const bool of_logical_unit = (flags >> 4U & 3U) == 0;
        if (of_logical_unit && (flags & 15U) == type_naa && (length == 8 || length == 16))
            return "naa." + hex(designator);
        if (of_logical_unit && (flags & 15U) == type_eui64 && eui.empty() &&
            (length == 8 || length == 12 || length == 16))
            eui = "eui." + hex(designator);
        rest.remove_prefix(4 + length);
    }
    return eui;
}

std::optional<AtaIdentity> vpd_ata(std::string_view page89) {
    constexpr std::size_t identify_offset = 60;
    constexpr std::size_t identify_bytes = 512;
    if (!page_content(page89, 0x89) || page89.size() < identify_offset + identify_bytes) return std::nullopt;
    const std::string_view identify = page89.substr(identify_offset, identify_bytes);
    return AtaIdentity{.model = ata_string(identify, 27, 20),
                       .serial = ata_string(identify, 10, 10),
                       .firmware = ata_string(identify, 23, 4)};
}

}  // namespace wearout::block
