#include "block/sim/sim_options.h"

#include "base/error.h"

#include <string>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block::sim;

namespace {

std::string refusal(const Options& options, const std::string& name = "a") {
    try {
        static_cast<void>(plan_geometry(name, options));
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "none";
}

bool names(const std::string& message, const std::string& option) {
    return message.find(option) != std::string::npos && message.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("a drive without options is a sensible one") {
    const SimGeometry geometry = plan_geometry("a", {});
    CHECK(geometry.capacity == Bytes{256U << 20U});
    CHECK(geometry.logical_block == 512);
    CHECK(geometry.erase_block == (256U << 10U));
    CHECK(geometry.user_blocks() == 1024);
    CHECK(geometry.extra_blocks() == 72);
    CHECK(geometry.factory_bad == 10);
    CHECK(geometry.blocks() == 1024 + 72 + 10);
    CHECK(geometry.seed != plan_geometry("b", {}).seed);
}

TEST_CASE("options say what the drive is") {
    const SimGeometry geometry = plan_geometry("a", {{"size", "64MiB"},
                                                     {"block", "4096"},
                                                     {"erase-block", "64KiB"},
                                                     {"op", "25"},
                                                     {"endurance", "1000"},
                                                     {"factory-bad", "0"},
                                                     {"seed", "5"}});
    CHECK(geometry == SimGeometry{.capacity = {64U << 20U},
                                  .logical_block = 4096,
                                  .erase_block = 64U << 10U,
                                  .over_provisioning = 25,
                                  .endurance = 1000,
                                  .factory_bad = 0,
                                  .seed = 5});
}

TEST_CASE("a size that is no multiple of the page is a drive with a short last page") {
    const SimGeometry geometry = plan_geometry("a", {{"size", "1049088"}});
    CHECK(geometry.pages() == 257);
    CHECK(names(refusal({{"size", "1049088"}, {"block", "4096"}}), "size"));
}

TEST_CASE("a bad value is refused by the name of its option") {
    CHECK(names(refusal({{"size", "0"}}), "size"));
    CHECK(names(refusal({{"size", "big"}}), "size"));
    CHECK(names(refusal({{"size", "-1"}}), "size"));
    CHECK(names(refusal({{"size", "1048577"}}), "size"));
    CHECK(names(refusal({{"size", "2TiB"}}), "size"));
    CHECK(names(refusal({{"size", "16EB"}}), "size"));
    CHECK(names(refusal({{"block", "520"}}), "block"));
    CHECK(names(refusal({{"block", "0"}}), "block"));
    CHECK(names(refusal({{"op", "101"}}), "op"));
    CHECK(names(refusal({{"op", "7%"}}), "op"));
    CHECK(names(refusal({{"endurance", "0"}}), "endurance"));
    CHECK(names(refusal({{"endurance", "1000000"}}), "endurance"));
    CHECK(names(refusal({{"erase-block", "0"}}), "erase-block"));
    CHECK(names(refusal({{"erase-block", "5000"}}), "erase-block"));
    CHECK(names(refusal({{"erase-block", "64MiB"}}), "erase-block"));
    CHECK(names(refusal({{"erase-block", "18446744073709551615"}}), "erase-block"));
    CHECK(names(refusal({{"factory-bad", "4000000000"}}), "factory-bad"));
    CHECK(names(refusal({{"seed", "x"}}), "seed"));
    CHECK(names(refusal({{"sise", "1GiB"}}), "sise"));
    CHECK(names(refusal({{"seed", "1"}, {"seed", "1"}}), "seed"));
}

TEST_CASE("a name that could be a path, or is none, is refused") {
    for (const std::string name :
         {"", ".", "..", "a/b", "../a", ".hidden", "a b", "a\n", "ä", "a%", std::string(65, 'a').c_str()})
        CHECK(names(refusal({}, name), "sim"));
    CHECK(refusal({}, std::string(64, 'a')) == "none");
    CHECK(refusal({}, "Drive_1.b-2") == "none");
}

TEST_CASE("the largest drive is still counted right") {
    const SimGeometry geometry = plan_geometry("a", {{"size", "1TiB"}, {"op", "100"}, {"block", "4096"}});
    CHECK(geometry.pages() == (1U << 28U));
    CHECK(std::uint64_t{geometry.blocks()} * geometry.pages_per_block() < UINT32_MAX);
}
