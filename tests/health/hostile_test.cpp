#include "fixtures.h"

#include <regex>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace wearout::health {
namespace {

const std::vector<std::string> names{"ata-statistics",
                                     "hyperx-savage-new",
                                     "hyperx-savage-worn",
                                     "kingston-unlisted",
                                     "phison-wrapped-statistics",
                                     "nvme-worn",
                                     "nvme-dead",
                                     "sas-ssd",
                                     "simulated"};

/// Each reading is the original's, or comes from elsewhere.
bool tells_nothing_new(const Sample& sample, const Sample& original) {
    return std::all_of(sample.readings.begin(), sample.readings.end(), [&](const Reading& reading) {
        return value_of(original, reading.metric) == reading.value ||
               source_of(original, reading.metric) != reading.source;
    });
}

TEST_CASE("an answer cut off at any length gives a problem and no reading") {
    for (const auto& name : names) {
        const auto text = fixture(name);
        const std::size_t step = text.size() < 1000 ? 1 : 13;
        for (std::size_t length = 0; length < text.size() - 2; length += step) {
            const auto sample = decode_text(text.substr(0, length));
            if (!sample.readings.empty() || sample.problem.empty() || sample.raw != text.substr(0, length))
                FAIL(name, " at ", length, ": ", sample.problem);
        }
    }
}

TEST_CASE("a number of another type, or written otherwise, is no number") {
    for (const std::string name : {"ata-statistics", "hyperx-savage-worn", "nvme-worn", "sas-ssd"}) {
        const auto text = fixture(name);
        const auto original = decode_text(text);
        const std::regex number(R"(: -?\d+)");
        for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
            for (const auto* bad : {": null", ": true", ": \"x\"", ": []", ": {}", ": 1e2", ": 7.5",
                                    ": 1.0e400", ": 99999999999999999999999999999999999999999"}) {
                auto changed = text;
                changed.replace(static_cast<std::size_t>(at->position()),
                                static_cast<std::size_t>(at->length()), bad);
                if (!tells_nothing_new(decode_text(changed), original))
                    FAIL(name, ": ", changed.substr(static_cast<std::size_t>(at->position()), 60));
            }
    }
}

TEST_CASE("counters at the ends of their range overflow into nothing") {
    for (const auto* value :
         {"9223372036854775807", "-9223372036854775808", "18446744073709551615", "281474976710656"}) {
        for (const auto& name : names) {
            const auto text = fixture(name);
            const std::regex number(R"(("value"|_written"|_read"|"hours"|_defect_list"|_indicator"): \d+)");
            const auto changed = std::regex_replace(text, number, std::string("$1: ") + value);
            for (const auto& reading : decode_text(changed).readings)
                if (unit_of(reading.metric) == "bytes" || unit_of(reading.metric) == "%")
                    CHECK_MESSAGE(reading.value >= 0, name, " ", reading.source);
        }
    }
}

TEST_CASE("a doubled member is not read") {
    const auto text = fixture("nvme-worn");
    for (const auto* member : {"\"percentage_used\": 117", "\"data_units_written\": 65602088"}) {
        const auto sample = decode_text(replaced(text, member, std::string(member) + ", " + member));
        CHECK(sample.readings.size() == decode_text(text).readings.size() - 1);
    }
}

TEST_CASE("answers with bytes changed at random never throw") {
    const auto held = rc::check("mutated answers", [] {
        auto text = fixture(*rc::gen::elementOf(names));
        const auto changes = *rc::gen::inRange(1, 8);
        for (int i = 0; i < changes; ++i) {
            const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
            const auto length = *rc::gen::inRange<std::size_t>(0, 6);
            text.replace(position, length, *rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
        }
        const auto sample = decode_text(text);
        RC_ASSERT(sample.raw == text);
        RC_ASSERT(!sample.readings.empty() || !sample.problem.empty());
        for (const auto& field : sample.unknown)
            for (const char c : field.name + field.value)
                RC_ASSERT(c >= ' ' && c <= '~');
    });
    CHECK(held);
}

TEST_CASE("an answer with very many attributes or members is bounded") {
    std::string rows;
    for (int i = 0; i < 20000; ++i)
        rows += R"({"id": 77, "name": "x", "raw": {"value": 1, "string": "1"}},)";
    rows.pop_back();
    const auto sample = decode_text(R"({"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"},
        "ata_smart_attributes": {"table": [)" +
                                    rows + "]}}");
    CHECK(sample.unknown.size() == 256);
    CHECK(decode_text(std::string(9U << 20U, ' ')).problem ==
          "smartctl's answer can't be read: it is too long");
}

}  // namespace
}  // namespace wearout::health
