#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wearout::block {

/// What a drive says of itself (model, serial, firmware), made fit to print, store and compare: at most
/// `longest` printable ASCII characters, padding (blanks and NULs) cut from both ends, runs of blanks made
/// one, any other byte made '?'.
[[nodiscard]] std::string clean_text(std::string_view raw, std::size_t longest = 128);

/// A path for a message or a key, with nothing lost: valid UTF-8 stays, control characters, stray bytes and
/// the backslash become \xHH. Different paths stay different.
[[nodiscard]] std::string printable_path(std::string_view path);

/// Undoes udev's \xHH (ID_MODEL_ENC and its like).
[[nodiscard]] std::string decode_udev(std::string_view text);

/// Before in the order that people expect of device names: sda < sdz < sdaa, nvme2n1 < nvme10n1.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace wearout::block
