#include "health/saved_answers.h"

#include "fixtures.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

std::vector<std::string> strings(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
}

std::string in_one_line(std::string json) {
    std::replace(json.begin(), json.end(), '\n', ' ');
    return json;
}

TEST_CASE("text outputs one after the other") {
    const auto ata = text_fixture("ata-old-format");
    const auto nvme = text_fixture("nvme");
    const auto sas = text_fixture("sas");
    CHECK(strings(split_answers(ata + nvme + "\n\n" + sas)) ==
          std::vector<std::string>{ata, nvme + "\n\n", sas});
    CHECK(strings(split_answers(ata)) == std::vector<std::string>{ata});
    CHECK(strings(split_answers("Mon log entry\n# smartctl -a /dev/sda\n" + ata)).size() == 1);

    // With smartctl's first lines cut off, their information sections tell them apart.
    const auto bare = nvme.substr(nvme.find("=== START"));
    CHECK(strings(split_answers(bare + bare)) == std::vector<std::string>{bare, bare});
    CHECK(split_answers("smartctl 7.4 is what I use, see below\n" + ata).size() == 1);
}

TEST_CASE("JSON documents one after the other, a line each, or in an array") {
    const auto one = fixture("nvme-worn");
    const auto two = fixture("sas-ssd");
    const auto compact = in_one_line(one);
    const std::map<std::string, std::string> files{
        {"documents", one + two},
        {"lines", compact + "\n" + in_one_line(two) + "\n"},
        {"array", "[" + one + ", " + two + "]\n"},
        {"an array of lines", "[\n" + compact + ",\n" + in_one_line(two) + "\n]"}};
    for (const auto& [name, file] : files) {
        CAPTURE(name);
        const auto answers = split_answers(file);
        REQUIRE(answers.size() == 2);
        CHECK(values(decode_text(std::string(answers[0]))) == values(decode_text(one)));
        CHECK(values(decode_text(std::string(answers[1]))) == values(decode_text(two)));
    }
    CHECK(strings(split_answers(one)) == std::vector<std::string>{one});
    CHECK(split_answers("[" + one + "]").size() == 1);
    CHECK(decode_text(std::string(split_answers("[" + one + "]")[0])).problem == decode_text(one).problem);
}

TEST_CASE("what lies behind a document belongs to it") {
    const auto one = in_one_line(fixture("nvme-worn"));
    const auto file = one + "\nnvme-log 0xc0 00ff\n" + one + "\nnvme-log 0xc0 01ff\n";
    const auto answers = split_answers(file);
    REQUIRE(answers.size() == 2);
    CHECK(answers[0] == one + "\nnvme-log 0xc0 00ff\n");
    CHECK(answers[1] == one + "\nnvme-log 0xc0 01ff\n");
}

TEST_CASE("a document that was cut off does not swallow the next") {
    const auto whole = in_one_line(fixture("nvme-worn")) + "\n";
    const auto file = whole.substr(0, 300) + "\n" + whole;
    const auto answers = split_answers(file);
    REQUIRE(answers.size() == 2);
    CHECK(decode_text(std::string(answers[0])).readings.empty());
    CHECK(values(decode_text(std::string(answers[1]))) == values(decode_text(whole)));
}

TEST_CASE("a file of something else is one answer, that can't be read") {
    for (const std::string file :
         {"", "\n", "hello\n{\n}\n{\n}\n", "[]", "{{{{", "#!/bin/sh\nsmartctl -a /dev/sda\n"}) {
        REQUIRE(split_answers(file).size() == 1);
        CHECK(split_answers(file)[0] == file);
        CHECK(decode_text(file).readings.empty());
    }
    CHECK(decode_text("hello").problem ==
          "smartctl's answer can't be read: it is neither JSON nor text output of smartctl");
}

TEST_CASE("the pieces of any file lie in it one after the other") {
    const std::vector<std::string> parts{fixture("nvme-worn"),
                                         in_one_line(fixture("sas-ssd")) + "\n",
                                         text_fixture("nvme"),
                                         text_fixture("sas"),
                                         "=== START OF INFORMATION SECTION ===\n",
                                         "{\"smartctl\"",
                                         "]\n",
                                         "[",
                                         "\n",
                                         "}",
                                         "{\n",
                                         "\""};
    const auto held = rc::check("pieces", [&] {
        std::string file;
        for (const auto& part : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(parts)))
            file += part;
        const char* end = file.data();
        for (const auto answer : split_answers(file)) {
            RC_ASSERT(answer.data() >= end);
            end = answer.data() + answer.size();
        }
        RC_ASSERT(end <= file.data() + file.size());
    });
    CHECK(held);
}

}  // namespace
}  // namespace wearout::health
