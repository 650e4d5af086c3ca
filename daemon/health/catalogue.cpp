#include "health/catalogue.h"

#include "base/error.h"
#include "embedded/catalogue.h"
#include "health/json.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace wearout::health {
namespace {

/// One object of the file, and how to name it in a complaint.
class Entry {
  public:
    Entry(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is(Json::Kind::object)) fail("is no object");
    }

    [[noreturn]] void fail(std::string_view what) const {
        throw usage_error(fmt::format("attribute catalogue, {}: {}", where_, what));
    }
    [[nodiscard]] bool has(std::string_view key) const {
        return std::find(json_.keys.begin(), json_.keys.end(), key) != json_.keys.end();
    }
    void allow_only(std::initializer_list<std::string_view> names) const {
        for (const auto& key : json_.keys)
            if (std::find(names.begin(), names.end(), key) == names.end()) fail(key + " is no member of it");
        if (std::set<std::string>(json_.keys.begin(), json_.keys.end()).size() != json_.keys.size())
            fail("a member is given twice");
    }
    [[nodiscard]] std::string text(std::string_view key) const {
        const auto value = json_[key].string();
        if (value.empty()) fail(fmt::format("{} must be a text", key));
        return std::string(value);
    }
    [[nodiscard]] std::int64_t number(std::string_view key) const {
        const auto value = json_[key].integer();
        if (!value) fail(fmt::format("{} must be a whole number", key));
        return *value;
    }
    [[nodiscard]] std::optional<std::int64_t> optional_number(std::string_view key) const {
        return has(key) ? std::optional(number(key)) : std::nullopt;
    }
    [[nodiscard]] const std::vector<Json>& list(std::string_view key) const {
        if (!json_[key].is(Json::Kind::array)) fail(fmt::format("{} must be a list", key));
        return json_[key].items;
    }
    /// Of a list, or a single one.
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view key) const {
        std::vector<std::int64_t> result;
        if (!has(key)) return result;
        if (json_[key].integer()) return {*json_[key].integer()};
        for (const auto& item : list(key)) {
            if (!item.integer()) fail(fmt::format("{} must hold whole numbers", key));
            result.push_back(*item.integer());
        }
        return result;
    }
    [[nodiscard]] std::optional<Pattern> pattern(std::string_view key) const {
        if (!has(key)) return std::nullopt;
        const auto expression = text(key);
        try {
            return Pattern{expression, std::regex(expression, std::regex::ECMAScript | std::regex::optimize)};
        } catch (const std::regex_error& error) {
            fail(fmt::format("{} is no regular expression: {}", key, error.what()));
        }
    }
    template <typename Names>
    [[nodiscard]] auto one_of(std::string_view key, const Names& names) const {
        const auto value = names.find(text(key));
        if (!value) fail(fmt::format("{} can't be '{}'", key, text(key)));
        return *value;
    }
    [[nodiscard]] Entry child(std::string_view key) const {
        return {json_[key], fmt::format("{}, {}", where_, key)};
    }
    [[nodiscard]] bool flag(std::string_view key) const {
        if (has(key) && !json_[key].is(Json::Kind::boolean))
            fail(fmt::format("{} must be true or false", key));
        return json_[key].truth;
    }
    [[nodiscard]] std::size_t size(std::string_view key, std::size_t most) const {
        const auto value = number(key);
        if (value < 0 || value > static_cast<std::int64_t>(most)) fail(fmt::format("no such {}", key));
        return static_cast<std::size_t>(value);
    }
    /// "0xC0"
    [[nodiscard]] int log_id(std::string_view key) const {
        const auto name = text(key);
        const auto id = name.starts_with("0x") ? parse_unsigned(name.substr(2), 16, 0xff) : std::nullopt;
        if (!id) fail(fmt::format("{} must be as \"0xC0\"", key));
        return *id;
    }
    [[nodiscard]] std::string hex(std::string_view key) const {
        const auto bytes = bytes_from_hex(text(key));
        if (!bytes) fail(fmt::format("{} must be pairs of hexadecimal digits", key));
        return *bytes;
    }
    /// The objects of a list that may be left out.
    [[nodiscard]] std::vector<Entry> children(std::string_view key) const {
        std::vector<Entry> result;
        if (!has(key)) return result;
        for (const auto& item : list(key))
            result.emplace_back(item, fmt::format("{}, {} {}", where_, key, result.size() + 1));
        return result;
    }
    [[nodiscard]] const Json& json() const { return json_; }

  private:
    const Json& json_;
    std::string where_;
};

/// A byte order as in smartctl's -v option: raw bytes 0 to 5, and r, v, w, z.
void check_order(const Entry& entry, std::string_view order, std::string_view allowed) {
    std::set<char> seen;
    for (const char c : order) {
        if (allowed.find(c) == std::string_view::npos) entry.fail("no such byte in a byte order");
        if (c != 'z' && !seen.insert(c).second) entry.fail("a byte order names a byte twice");
    }
    if (order.size() > 8) entry.fail("a byte order has more than 8 bytes");
}

int parse_attribute_id(const Entry& entry) {
    const auto id = entry.number("attribute");
    if (id < 1 || id > 254) entry.fail("attribute ids are 1 to 254");
    return static_cast<int>(id);
}

AttributeField parse_attribute(const Entry& entry) {
    AttributeField field;
    field.id = parse_attribute_id(entry);
    field.named = entry.pattern("named");
    field.printed = entry.pattern("printed");
    if (entry.has("take")) field.take = entry.one_of("take", take_names);
    if (entry.has("bytes")) field.bytes = entry.text("bytes");
    if (entry.has("order")) field.order = entry.text("order");
    check_order(entry, field.bytes, "012345");
    check_order(entry, field.order, "012345rvwz");
    for (const char c : field.bytes)
        if (field.order.find(c) == std::string::npos) entry.fail("bytes that order leaves out");
    if (field.take == Take::value && (entry.has("bytes") || entry.has("order") || field.printed))
        entry.fail("bytes, order and printed are for raw numbers");
    for (const auto& addend : entry.children("plus")) {
        addend.allow_only({"attribute", "named"});
        field.plus.push_back({parse_attribute_id(addend), addend.pattern("named")});
    }
    if (!field.plus.empty() && field.take != Take::raw) entry.fail("plus is for raw numbers");
    return field;
}

LogField parse_log_field(const Entry& entry, const std::map<int, ItemList>& items) {
    LogField field;
    field.id = entry.log_id("log");
    field.called = entry.text("called");
    field.size = entry.size("size", 16);
    field.undecoded = entry.flag("undecoded");
    const auto list = items.find(field.id);
    if (entry.has("item") != (list != items.end())) entry.fail("item is for logs that items names");
    if (entry.has("item")) {
        field.item = static_cast<int>(entry.size("item", 255));
        field.list = list->second;
    }
    auto offsets = entry.numbers("offset");
    const auto end = field.item ? field.list.size : longest_nvme_log;
    for (const auto offset : offsets)
        if (offset < 0 || field.size == 0 || static_cast<std::size_t>(offset) + field.size > end)
            entry.fail("offset and size lie outside");
    if (offsets.empty()) entry.fail("offset must be given");
    field.offsets.assign(offsets.begin(), offsets.end());
    return field;
}

StatisticField parse_statistic(const Entry& entry, std::string_view name, const Json& place) {
    if (place.items.size() == 2) {
        const auto page = place.items[0].integer();
        const auto offset = place.items[1].integer();
        if (page && offset && *page >= 0 && *page <= 255 && *offset >= 8 && *offset <= 504)
            return {*page, *offset};
    }
    entry.fail(fmt::format("{} is [page, offset]", name));
}

void parse_place(const Entry& entry, const std::map<int, ItemList>& items, Row& row) {
    if (static_cast<int>(entry.has("attribute")) + static_cast<int>(entry.has("statistic")) +
            static_cast<int>(entry.has("key")) + static_cast<int>(entry.has("log")) !=
        1)
        entry.fail("one of attribute, statistic, key and log must be given");
    for (const auto* member : {"offset", "size", "item", "undecoded"})
        if (entry.has(member) && !entry.has("log")) entry.fail("that member is for logs");
    if (entry.has("log")) row.log = parse_log_field(entry, items);
    if (row.log && row.log->undecoded && row.metric) entry.fail("a metric is decoded");
    for (const auto* member : {"named", "take", "bytes", "order", "printed", "plus"})
        if (entry.has(member) && !entry.has("attribute")) entry.fail("that member is for attributes");
    if (entry.has("called") != (entry.has("key") || entry.has("log")))
        entry.fail("called is for a key or a log");
    if (entry.has("attribute")) row.attribute = parse_attribute(entry);
    if (entry.has("statistic"))
        row.statistic = parse_statistic(entry, "statistic", entry.json()["statistic"]);
    if (entry.has("key")) row.key = KeyField{entry.text("key"), entry.text("called")};
}

Doubt parse_doubt(const Entry& entry, const Row& row) {
    entry.allow_only({"below", "margin", "like"});
    Doubt doubt{entry.number("below"), entry.number("margin"), {}};
    if (entry.has("like")) doubt.like = entry.one_of("like", metric_names);
    if (row.metric && doubt.like == row.metric) entry.fail("like must be another metric");
    if (row.scale < 1 || row.steps > 1 || doubt.margin < 1) entry.fail("needs a positive scale and margin");
    return doubt;
}

Row parse_row(const Entry& entry, const std::map<int, ItemList>& items) {
    entry.allow_only({"metric",    "attribute",    "named", "take",   "bytes",      "order", "printed",
                      "plus",      "statistic",    "key",   "log",    "offset",     "size",  "item",
                      "undecoded", "called",       "scale", "steps",  "add",        "not",   "min",
                      "max",       "per_hour_max", "doubt", "unworn", "confidence", "source"});
    Row row;
    if (entry.has("metric")) row.metric = entry.one_of("metric", metric_names);
    parse_place(entry, items, row);
    if (entry.has("scale")) {
        row.scale_is_logical_block = entry.json()["scale"].string() == "logical_block_size";
        if (!row.scale_is_logical_block) row.scale = entry.number("scale");
        if (row.scale == 0) entry.fail("a scale of 0");
    }
    row.steps = entry.optional_number("steps").value_or(1);
    if (row.steps < 1 || (row.steps > 1 && entry.has("scale")))
        entry.fail("steps is at least 1, without a scale");
    row.add = entry.optional_number("add").value_or(0);
    row.not_reported = entry.numbers("not");
    row.min = entry.optional_number("min");
    row.max = entry.optional_number("max");
    if (row.min && row.max && *row.min > *row.max) entry.fail("min is above max");
    row.per_hour_max = entry.optional_number("per_hour_max");
    if (row.per_hour_max && *row.per_hour_max < 1) entry.fail("per_hour_max must be positive");
    for (const auto& doubt : entry.children("doubt"))
        row.doubts.push_back(parse_doubt(doubt, row));
    if (entry.has("unworn")) {
        const auto unworn = entry.child("unworn");
        unworn.allow_only({"below", "cycles"});
        row.unworn = Unworn{unworn.number("below"), unworn.number("cycles")};
    }
    row.confidence = entry.one_of("confidence", confidence_names);
    if (row.confidence == Confidence::learnt) entry.fail("nothing learnt is in a catalogue");
    row.source = entry.text("source");
    return row;
}

LogPage parse_log_page(const Entry& entry) {
    entry.allow_only({"log", "bytes", "if_listed", "per_group", "uuid"});
    LogPage page;
    page.id = entry.log_id("log");
    if (entry.has("bytes")) page.bytes = entry.size("bytes", longest_nvme_log);
    if (page.bytes == 0 || page.bytes % 4 != 0) entry.fail("a log is read in units of 4 bytes");
    page.if_listed = entry.flag("if_listed");
    page.per_group = entry.flag("per_group");
    if (entry.has("uuid")) page.uuid = entry.hex("uuid");
    if (!page.uuid.empty() && page.uuid.size() != 16) entry.fail("a uuid has 16 bytes");
    return page;
}

LogCondition parse_condition(const Entry& entry) {
    entry.allow_only({"log", "offset", "hex", "size", "min", "max"});
    LogCondition condition;
    condition.id = entry.log_id("log");
    condition.offset = entry.size("offset", longest_nvme_log);
    if (entry.has("hex") == entry.has("size")) entry.fail("one of hex and size must be given");
    if (entry.has("hex")) condition.bytes = entry.hex("hex");
    condition.size = entry.has("hex") ? condition.bytes.size() : entry.size("size", 8);
    if (condition.size == 0) entry.fail("a condition on no bytes");
    if (entry.has("hex") && (entry.has("min") || entry.has("max"))) entry.fail("min and max are for numbers");
    condition.min = entry.optional_number("min").value_or(condition.min);
    condition.max = entry.optional_number("max").value_or(condition.max);
    return condition;
}

/// What is for NVMe drives only.
void parse_nvme(const Entry& entry, Family& family) {
    for (const auto* member : {"pci", "logs", "when", "items"})
        if (entry.has(member) && family.protocol != Protocol::nvme) entry.fail("that member is for NVMe");
    if (entry.has("pci"))
        for (const auto& item : entry.list("pci")) {
            const std::string text(item.string());
            const auto id = parse_pci_id(text.size() == 4 ? text + ":0000" : text);
            if (!id) entry.fail("pci must hold texts as \"1344\" or \"1344:51c0\"");
            family.pci.push_back(*id);
        }
    for (const auto& child : entry.children("logs"))
        family.logs.push_back(parse_log_page(child));
    for (const auto& child : entry.children("when"))
        family.when.push_back(parse_condition(child));
    for (const auto& child : entry.children("items")) {
        child.allow_only({"log", "first", "size"});
        const ItemList list{child.size("first", longest_nvme_log), child.size("size", 64)};
        if (list.size < 2 || !family.items.insert({child.log_id("log"), list}).second)
            child.fail("that is no list of items, or a second one");
    }
}

void parse_lies(const Entry& entry, Family& family) {
    for (const auto& place : entry.list("lies")) {
        if (const auto key = place.string(); !key.empty())
            family.lying_keys.emplace_back(key);
        else
            family.lying_statistics.push_back(parse_statistic(entry, "lies", place));
    }
}

Family parse_family(const Entry& entry) {
    entry.allow_only({"family", "protocol", "drivedb", "unlisted", "model", "firmware", "dead",
                      "false_alarms", "lies", "pci", "logs", "when", "items", "rows"});
    Family family;
    family.name = entry.text("family");
    family.protocol = entry.one_of("protocol", protocol_names);
    family.drivedb = entry.pattern("drivedb");
    family.unlisted = entry.pattern("unlisted");
    family.model = entry.pattern("model");
    family.firmware = entry.pattern("firmware");
    parse_nvme(entry, family);
    if (entry.has("dead")) {
        const auto dead = entry.child("dead");
        for (const auto& path : dead.json().keys)
            family.dead.push_back({path, dead.number(path)});
    }
    for (const auto id : entry.numbers("false_alarms"))
        family.false_alarms.push_back(static_cast<int>(id));
    if (entry.has("lies")) parse_lies(entry, family);
    const auto& rows = entry.list("rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Entry row_entry(rows[i], fmt::format("{}, row {}", family.name, i + 1));
        const auto& row = family.rows.emplace_back(parse_row(row_entry, family.items));
        if (row.attribute && !row.attribute->named && family.drivedb)
            row_entry.fail("a listed drive's attribute needs a name");
        if (row.attribute && !family.drivedb && !family.unlisted)
            row_entry.fail("no attribute means the same in every drive");
    }
    return family;
}

}  // namespace

bool Pattern::matches(std::string_view whole) const {
    constexpr std::size_t longest_name = 256;
    return whole.size() <= longest_name && std::regex_match(whole.begin(), whole.end(), regex);
}

Catalogue parse_catalogue(std::string_view text) {
    const auto parsed = parse_json(text);
    if (!parsed.value) throw usage_error("attribute catalogue: " + parsed.error);
    const Entry entry(*parsed.value, "top");
    entry.allow_only({"version", "families"});
    Catalogue catalogue;
    const auto version = entry.number("version");
    const auto& families = entry.list("families");
    for (std::size_t i = 0; i < families.size(); ++i) {
        auto& family = catalogue.families.emplace_back(
            parse_family(Entry(families[i], fmt::format("family {}", i + 1))));
        family.version = version;
    }
    return catalogue;
}

const Catalogue& builtin_catalogue() {
    static const Catalogue catalogue = [] {
        Catalogue whole;
        for (const auto& file : embedded::catalogue) {
            auto part = parse_catalogue(file.text);
            std::move(part.families.begin(), part.families.end(), std::back_inserter(whole.families));
        }
        return whole;
    }();
    return catalogue;
}

}  // namespace wearout::health
