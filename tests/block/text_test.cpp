#include "block/text.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout::block;

TEST_CASE("what a drive says is made fit to print") {
    CHECK(clean_text("  WDC  WD40EFRX-68N32N0 \n") == "WDC WD40EFRX-68N32N0");
    CHECK(clean_text(std::string("\0\0ABC\0\0 ", 8)) == "ABC");
    CHECK(clean_text("A\x01\xff\x7f"
                     "B") == "A???B");
    CHECK(clean_text("caf\xc3\xa9") == "caf??");
    CHECK(clean_text(std::string(1000, 'x')) == std::string(128, 'x'));
    CHECK(clean_text("abc def", 4) == "abc");
    CHECK(clean_text("").empty());
}

TEST_CASE("paths lose nothing") {
    CHECK(printable_path("/mnt/caf\xc3\xa9") == "/mnt/caf\xc3\xa9");
    CHECK(printable_path("/a\nb\x1b[31m") == "/a\\x0ab\\x1b[31m");
    CHECK(printable_path("\xc3") == "\\xc3");
    CHECK(printable_path("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // A surrogate.
    CHECK(printable_path("\xc0\xaf") == "\\xc0\\xaf");           // Overlong.
    CHECK(printable_path("\xc2\x9b") == "\\xc2\\x9b");           // A control character of 8 bits.
    CHECK(printable_path("a\\x0a") == "a\\x5cx0a");
}

TEST_CASE("different paths stay different, and udev's decoder undoes them") {
    CHECK(rc::check("printable_path is reversible",
                    [](const std::string& path) { RC_ASSERT(decode_udev(printable_path(path)) == path); }));
}

TEST_CASE("devices are in the order that people expect") {
    std::vector<std::string> names{"sdaa",    "sdb",   "sda",     "sda10",   "sda2",  "nvme10n1",
                                   "nvme2n1", "sdz",   "nvme2n2", "loop10",  "loop9", "vda",
                                   "sdab",    "md127", "sd",      "mmcblk0", "dm-2",  "mmcblk0p1"};
    std::sort(names.begin(), names.end(), natural_less);
    CHECK(names == std::vector<std::string>{"dm-2", "loop9", "loop10", "md127", "mmcblk0", "mmcblk0p1",
                                            "nvme2n1", "nvme2n2", "nvme10n1", "sd", "sda", "sda2", "sda10",
                                            "sdb", "sdz", "sdaa", "sdab", "vda"});
}

TEST_CASE("the order of names is an order") {
    const auto name = rc::gen::container<std::string>(rc::gen::elementOf(std::string("sdvx019ab/")));
    CHECK(rc::check("strict weak ordering", [&] {
        const auto a = *name;
        const auto b = *name;
        const auto c = *name;
        RC_ASSERT(!natural_less(a, a));
        RC_ASSERT(!(natural_less(a, b) && natural_less(b, a)));
        RC_ASSERT(a == b || natural_less(a, b) || natural_less(b, a));
        if (natural_less(a, b) && natural_less(b, c)) RC_ASSERT(natural_less(a, c));
    }));
}
