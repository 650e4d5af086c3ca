#include "health/catalogue.h"

#include "base/error.h"
#include "fixtures.h"
#include "health/decode.h"

#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

std::string place_of(const Row& row) {
    if (row.attribute)
        return fmt::format("attribute {} {} {}", row.attribute->id, take_names[row.attribute->take],
                           row.attribute->bytes);
    if (row.statistic) return fmt::format("statistic {}+{}", row.statistic->page, row.statistic->offset);
    if (row.log)
        return fmt::format("log {} item {} at {}", row.log->id, row.log->item.value_or(-1),
                           fmt::join(row.log->offsets, "+"));
    return "key " + row.key->path;
}

/// A log page that holds nothing but the field, with that number in the first of its places.
std::string log_with(const LogField& field, std::int64_t raw) {
    NvmeLog log{field.id, 0, std::string(4096, '\0')};
    const auto start = field.item ? field.list.first : 0;
    if (field.item) log.bytes.at(start) = static_cast<char>(*field.item);
    auto rest = static_cast<std::uint64_t>(raw);
    for (std::size_t i = 0; i < field.size; ++i, rest >>= 8U)
        log.bytes.at(start + field.offsets.front() + i) = static_cast<char>(rest & 0xffU);
    return to_line(log);
}

/// A JSON answer that holds nothing but the row's field, with that raw number.
std::string answer_with(const Family& family, const Row& row, std::int64_t raw) {
    std::string field = "\"x\": 0";
    if (row.attribute) {
        // Each wanted byte where the order has it, most significant first.
        std::uint64_t packed = 0;
        const auto& order = row.attribute->order;
        auto rest = static_cast<std::uint64_t>(raw);
        for (auto wanted = row.attribute->bytes.rbegin(); wanted != row.attribute->bytes.rend(); ++wanted) {
            packed |= (rest & 0xffU) << (8 * (order.size() - 1 - order.find(*wanted)));
            rest >>= 8U;
        }
        const auto value = row.attribute->take == Take::raw_if_value_agrees ? 100 - raw : raw;
        field = fmt::format(R"("ata_smart_attributes": {{"table": [{{"id": {}, "name": "x", "value": {},
                                "raw": {{"value": {}, "string": "x"}}}}]}})",
                            row.attribute->id, value, packed);
    } else if (row.statistic) {
        field = fmt::format(R"("ata_device_statistics": {{"pages": [{{"number": {}, "table": [{{"offset": {},
                                "name": "x", "value": {}, "flags": {{"valid": true}}}}]}}]}})",
                            row.statistic->page, row.statistic->offset, raw);
    } else if (row.key) {
        field.clear();
        std::string close;
        std::string path = row.key->path;
        for (std::size_t dot = 0; (dot = path.find('.')) != std::string::npos; close += "}") {
            field += fmt::format("\"{}\": {{", path.substr(0, dot));
            path = path.substr(dot + 1);
        }
        field += fmt::format("\"{}\": {}{}", path, raw, close);
    }
    const auto json = fmt::format(R"({{"smartctl": {{"exit_status": 0}}, "device": {{"protocol": "{}"}},
                            "model_family": "x", "logical_block_size": 512, {}}})",
                                  protocol_names[family.protocol], field);
    return row.log ? json + "\n" + log_with(*row.log, raw) : json;
}

std::optional<std::int64_t> decoded(const Family& family, Row row, std::int64_t raw) {
    if (row.attribute) {
        row.attribute->named.reset();
        row.attribute->printed.reset();
    }
    Family tested;
    tested.name = family.name;
    tested.protocol = family.protocol;
    tested.drivedb = Pattern{"x", std::regex("x")};
    tested.rows = {row};
    const Catalogue catalogue{{tested}};
    return value_of(decode(RawAnswer{.text = answer_with(family, row, raw), .problem = {}}, catalogue),
                    *row.metric);
}

TEST_CASE("every row of the built-in catalogue reads its field, scaled to the metric's unit") {
    std::size_t rows = 0;
    for (const auto& family : builtin_catalogue().families)
        for (const auto& row : family.rows) {
            if (!row.metric) continue;
            CAPTURE(family.name);
            CAPTURE(place_of(row));
            const auto scale = row.scale_is_logical_block ? 512 : row.scale;
            // Two numbers that no row excepts.
            const auto low = row.min.value_or(0) + 7;
            for (const auto raw : {low, low + 34})
                CHECK(decoded(family, row, raw) == raw / row.steps * scale + row.add);
            for (const auto none : row.not_reported)
                CHECK_FALSE(decoded(family, row, none));
            if (row.max) CHECK_FALSE(decoded(family, row, *row.max + 1));
            if (row.key || row.statistic) CHECK_FALSE(decoded(family, row, row.min.value_or(0) - 1));
            ++rows;
        }
    CHECK(rows > 50);
}

TEST_CASE("every row says where it is known from, and no family says a thing twice") {
    for (const auto& family : builtin_catalogue().families) {
        std::set<std::string> said;
        CHECK((!family.rows.empty() || !family.logs.empty() || !family.lying_keys.empty()));
        for (const auto& row : family.rows) {
            CAPTURE(family.name);
            const auto metric = row.metric ? std::string(metric_names[*row.metric]) : std::string("none");
            CHECK_MESSAGE(said.insert(metric + " " + place_of(row)).second, metric, " ", place_of(row));
            CHECK(row.source.size() > 5);
            if (row.log) CHECK(row.log->called.starts_with(log_name(row.log->id)));
            // A standard fixes no attribute's meaning, and its logs need no vendor's word.
            if (row.attribute) CHECK(row.confidence != Confidence::standard);
            if (row.statistic) CHECK(row.confidence == Confidence::standard);
            if (row.metric && unit_of(*row.metric) == "%") CHECK(row.max.value_or(0) > 0);
            if (row.metric && unit_of(*row.metric) == "bytes")
                CHECK((row.scale > 1 || row.scale_is_logical_block || row.log));
        }
    }
}

TEST_CASE("the simulated drive keeps each metric where Phison has it") {
    const auto& families = builtin_catalogue().families;
    const auto named = [&](std::string_view name) {
        return std::find_if(families.begin(), families.end(),
                            [&](const Family& family) { return family.name == name; });
    };
    const auto phison = named("Phison, by Kingston and others");
    const auto simulated = named("Wearout's simulated drive");
    REQUIRE(phison != families.end());
    REQUIRE(simulated != families.end());
    for (const auto& row : simulated->rows) {
        if (!row.metric || row.attribute->take != Take::raw) continue;
        CHECK_MESSAGE(std::any_of(phison->rows.begin(), phison->rows.end(),
                                  [&](const Row& other) {
                                      return other.metric == row.metric && place_of(other) == place_of(row) &&
                                             other.scale == row.scale;
                                  }),
                      place_of(row));
    }
}

std::string complaint(const std::string& text) {
    try {
        (void)parse_catalogue(text);
    } catch (const Failure& failure) {
        CHECK(failure.code() == ExitCode::usage);
        return failure.what();
    }
    return "none";
}

std::string row_complaint(const std::string& members) {
    return complaint(
        R"({"version": 1, "families": [{"family": "F", "protocol": "ATA", "drivedb": "X", "rows": [{)" +
        members + "}]}]}");
}

TEST_CASE("a catalogue with a mistake is refused, and the row is named") {
    const std::string end = R"(, "confidence": "vendor", "source": "test")";
    const std::string attribute = R"("metric": "power_cycles", "attribute": 12, "named": "x")";
    CHECK(row_complaint(attribute + end) == "none");
    CHECK(row_complaint(attribute) == "attribute catalogue, F, row 1: confidence must be a text");
    const std::map<std::string, std::string> mistakes{
        {attribute + R"(, "scal": 1)" + end, "scal is no member of it"},
        {attribute + R"(, "scale": 1, "scale": 2)" + end, "a member is given twice"},
        {attribute + R"(, "scale": 0)" + end, "a scale of 0"},
        {attribute + R"(, "scale": 1.5)" + end, "scale must be a whole number"},
        {attribute + R"(, "bytes": "36")" + end, "no such byte in a byte order"},
        {attribute + R"(, "bytes": "33")" + end, "a byte order names a byte twice"},
        {attribute + R"(, "bytes": "5", "order": "z10")" + end, "bytes that order leaves out"},
        {attribute + R"(, "take": "worst")" + end, "take can't be 'worst'"},
        {attribute + R"(, "plus": [{"attribute": 255}])" + end, "attribute ids are 1 to 254"},
        {attribute + R"(, "plus": [{"attribute": 9, "bytes": "0"}])" + end, "bytes is no member of it"},
        {attribute + R"(, "plus": {"attribute": 9})" + end, "plus must be a list"},
        {attribute + R"(, "take": "value=raw", "plus": [{"attribute": 9}])" + end, "plus is for raw numbers"},
        {attribute + R"(, "unworn": {"below": 50})" + end, "cycles must be a whole number"},
        {attribute + R"(, "steps": 0)" + end, "steps is at least 1, without a scale"},
        {attribute + R"(, "steps": 100, "scale": 2)" + end, "steps is at least 1, without a scale"},
        {attribute + R"(, "doubt": {"below": 1, "margin": 1})" + end, "doubt must be a list"},
        {attribute + R"(, "take": "value", "bytes": "0")" + end,
         "bytes, order and printed are for raw numbers"},
        {attribute + R"(, "statistic": [1, 8])" + end,
         "one of attribute, statistic, key and log must be given"},
        {attribute + R"(, "min": 2, "max": 1)" + end, "min is above max"},
        {attribute + R"(, "not": [null])" + end, "not must hold whole numbers"},
        {attribute + R"(, "per_hour_max": 0)" + end, "per_hour_max must be positive"},
        {attribute + R"(, "doubt": [{"below": 1}])" + end, "margin must be a whole number"},
        {attribute + R"(, "doubt": [{"below": 1, "margin": 1, "like": "power_cycles"}])" + end,
         "like must be another metric"},
        {attribute + R"(, "doubt": [{"below": 1, "margin": 0}])" + end, "needs a positive scale and margin"},
        {R"("metric": "power_cycles", "attribute": 12, "named": "(")" + end,
         "named is no regular expression"},
        {R"("metric": "power_cycles", "attribute": 12)" + end, "a listed drive's attribute needs a name"},
        {R"("metric": "power_cycles", "attribute": 0, "named": "x")" + end, "attribute ids are 1 to 254"},
        {R"("metric": "wear", "attribute": 12, "named": "x")" + end, "metric can't be 'wear'"},
        {R"("metric": "power_cycles", "statistic": [1])" + end, "statistic is [page, offset]"},
        {R"("metric": "power_cycles", "key": "a")" + end, "called is for a key or a log"},
        {R"("metric": "power_cycles", "statistic": [1, 8], "named": "x")" + end,
         "that member is for attributes"},
        {attribute + R"(, "confidence": "learnt", "source": "x")", "nothing learnt is in a catalogue"}};
    for (const auto& mistake : mistakes) {
        const auto& members = mistake.first;
        const auto& message = mistake.second;
        CAPTURE(members);
        CHECK(row_complaint(members).find("F, row 1") != std::string::npos);
        CHECK_MESSAGE(row_complaint(members).find(message) != std::string::npos, row_complaint(members));
    }
    const std::string family = R"({"version": 1, "families": [{"family": "F", "protocol": "ATA", "rows": [])";
    CHECK(complaint(family + "}]}") == "none");
    CHECK(complaint(family + R"(, "lies": [[7, 8], "a.b"]}]})") == "none");
    CHECK(complaint(family + R"(, "lies": [[7]]}]})").ends_with("lies is [page, offset]"));
    CHECK(complaint(family + R"(, "model": "("}]})").find("model is no regular expression") !=
          std::string::npos);
    CHECK(complaint("{").starts_with("attribute catalogue: not valid JSON"));
    CHECK(complaint(R"({"version": 1})") == "attribute catalogue, top: families must be a list");
    CHECK(complaint(R"({"version": 1, "families": [{"family": "F", "protocol": "IDE", "rows": []}]})") ==
          "attribute catalogue, family 1: protocol can't be 'IDE'");
    CHECK(
        complaint(R"({"version": 1, "families": [{"family": "F", "protocol": "ATA", "rows": [{"attribute": 9,
                        "named": "x", "confidence": "vendor", "source": "x"}]}]})")
            .find("no attribute means the same in every drive") != std::string::npos);
}

}  // namespace
}  // namespace wearout::health
