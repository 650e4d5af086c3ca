#include "health/nvme_log.h"

#include "nvme_layouts.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

TEST_CASE("an answer without log lines is smartctl's alone") {
    for (const std::string text :
         {"", "{}", "{\"a\": \"nvme-log 0xc0 0 00\"}\n", "{}\n nvme-log 0xc0 0 00\n"}) {
        const auto parts = split_answer(text);
        CHECK(parts.json == text);
        CHECK(parts.nvme.logs.empty());
        CHECK(parts.nvme.bad_lines == 0);
    }
    const auto text = nvme_json(0x144d);
    CHECK(values(decode_text(text)) == values(decode_text(text + pci_line(0x144d, 0xa80a))));
}

TEST_CASE("log lines are read, and what is none is counted") {
    const auto parts = split_answer("{}\nnvme-pci 144d:a80a\nnvme-log 0xc0 0 00ff\nnvme-log 0x09 2 AB\n");
    CHECK(parts.json == "{}\n");
    CHECK(parts.nvme.pci == PciId{0x144d, 0xa80a});
    REQUIRE(parts.nvme.logs.size() == 2);
    CHECK(parts.nvme.logs[0] == NvmeLog{0xc0, 0, std::string("\0\xff", 2)});
    CHECK(parts.nvme.logs[1] == NvmeLog{9, 2, "\xab"});
    CHECK(parts.nvme.bad_lines == 0);
    for (const std::string bad : {"nvme-",
                                  "nvme-log",
                                  "nvme-log 0xc0",
                                  "nvme-log 0xc0 0",
                                  "nvme-log 0xc0 0 ",
                                  "nvme-log 0xc0 0 0",
                                  "nvme-log 0xc0 0 0g",
                                  "nvme-log 0xc0 0 -0",
                                  "nvme-log 0xc0 -0 00",
                                  "nvme-log 0xc0 65536 00",
                                  "nvme-log 0x1c0 0 00",
                                  "nvme-log 0xc 0 00",
                                  "nvme-log c0 0 00",
                                  "nvme-log 0xc0 0 00 ",
                                  "nvme-log 0xc0 0 00\r",
                                  "nvme-pci 144d:a80",
                                  "nvme-pci 144da80a",
                                  "nvme-pci 144d:a80g",
                                  "nvme-pci 144d:a80a0",
                                  "{}",
                                  ""}) {
        CAPTURE(bad);
        const auto read = split_answer("nvme-log 0xc1 0 00\n" + bad + "\n").nvme;
        CHECK(read.bad_lines == 1);
        CHECK(read.logs.size() == 1);
        CHECK_FALSE(read.pci);
    }
}

TEST_CASE("logs are bounded in number and length") {
    std::string many;
    for (std::size_t i = 0; i < most_nvme_logs + 10; ++i)
        many += fmt::format("nvme-log 0xc0 {} 00\n", i);
    CHECK(split_answer(many).nvme.logs.size() == most_nvme_logs);
    CHECK(split_answer(many).nvme.bad_lines == 10);
    const auto longest = "nvme-log 0xc0 0 " + std::string(2 * longest_nvme_log, 'f');
    CHECK(split_answer(longest).nvme.logs.at(0).bytes.size() == longest_nvme_log);
    CHECK(split_answer(longest + "ff").nvme.logs.empty());
    const auto sample = decode_text(nvme_json(0x144d) + longest + "ff\n");
    CHECK(sample.problem == "1 line(s) of NVMe logs can't be read");
    CHECK(value_of(sample, Metric::percentage_used) == 3);
}

TEST_CASE("one of several logs of an id is nobody's") {
    const auto logs = split_answer("nvme-log 0x09 1 01\nnvme-log 0x09 2 02\nnvme-log 0xc0 0 03\n").nvme;
    CHECK(logs.only(9) == nullptr);
    CHECK(logs.only(0xca) == nullptr);
    REQUIRE(logs.only(0xc0) != nullptr);
    CHECK(logs.only(0xc0)->bytes == "\x03");
}

TEST_CASE("any bytes survive as text") {
    CHECK(rc::check("lines", [] {
        const auto bytes = *rc::gen::resize(600, rc::gen::nonEmpty<std::string>());
        const NvmeLog log{*rc::gen::inRange(0, 256), *rc::gen::inRange(0, 65536), bytes};
        const auto parts = split_answer("{}\n" + to_line(log));
        RC_ASSERT(parts.nvme.logs == std::vector<NvmeLog>{log});
        RC_ASSERT(parts.nvme.bad_lines == 0U);
    }));
    CHECK(rc::check("any text", [](const std::string& text) {
        const auto parts = split_answer("nvme-" + text);
        RC_ASSERT(parts.json.empty());
    }));
}

}  // namespace
}  // namespace wearout::health
