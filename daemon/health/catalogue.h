#pragma once

#include "facts/metric.h"
#include "facts/sample.h"
#include "health/nvme_log.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

/// Where each wear metric lives, as data: `schema/attributes/*.json`, built into the program. Code knows
/// places and ways to decode; which drive keeps what where is known by the catalogue alone.
///
/// The files are read in the order in which `schema/CMakeLists.txt` names them. A file is an object:
///   version       whole number, raised whenever a change in it alters what a number means; part of
///                 Sample::decoder
///   families      in the order of preference: for each metric the first row that gives a value wins
/// A family is an object:
///   family        its name
///   protocol      "ATA", "NVMe" or "SCSI": `device.protocol` of smartctl
///   drivedb       regex for `model_family`, for drives that smartctl's database lists; with `unlisted`
///   unlisted      regex for `model_name`, for drives that it does not list. Neither given: every drive
///   model         regex for `model_name`, beside the above
///   firmware      regex for `firmware_version`, beside the above
///   dead          values by JSON path which, all together, are the signature of a dead controller whose
///                 counters read zero
///   false_alarms  ids of attributes whose thresholds mean nothing
///   lies          list of what is wrong in these drives, and read from elsewhere or not at all: an entry
///                 of the device statistics log as [page, offset], or a path into smartctl's JSON
///   pci           NVMe: list of PCI vendors and devices, "1344:51c0", or vendors, "1344"
///   logs          NVMe: the log pages to ask these drives for, beside what smartctl asks:
///                   log        its identifier, "0xC0"
///                   bytes      how many of it, 512 unless given
///                   if_listed  true: only a drive that lists it in its Supported Log Pages log (00h)
///                   per_group  true: of each endurance group
///                   uuid       32 hexadecimal digits: who defines the page, for drives that keep several of
///                              that identifier
///   when          NVMe: what must be in the logs for this family's rows to hold:
///                   log, offset, and hex (bytes as the drive sends them), or size, min and max (a number)
///   items         NVMe: logs that are lists of items, which begin with a byte that is their id; 0 is none:
///                   log, first (where the first item begins), size (of an item)
///   rows          see below
/// Every regex is ECMAScript and must match the whole text.
///
/// A row is an object:
///   metric        name of the metric; absent: the field's meaning is known, and no metric of ours
///   attribute     ATA attribute id, with
///     named         regex for the name that smartctl gives it in drives that its database lists; elsewhere
///                   the name is a guess of smartctl and is not looked at
///     take          "raw" (default), "value" (the normalised value), "value=raw" (the normalised value
///                   where the raw one is the same, since either alone lies on some firmware), or
///                   "raw=100-value" (the raw number where the normalised one counts down from 100 with it;
///                   past 0 that one stays there, or at 1, or wraps within its byte)
///     bytes         which raw bytes make the number, most significant first, numbered as the drive stores
///                   them: "543210" (default), "32"
///     order         how smartctl puts raw bytes into `raw.value` for a listed drive, as in the -v option of
///                   smartctl(8); default "543210", which is also what holds for unlisted drives
///     printed       regex for `raw.string` of a listed drive; its first group must print the same number
///                   (no group matched: 0). Guards against another format in the drive database
///     plus          list of {attribute, named}: their raw numbers are added, of those that the drive has;
///                   the row gives nothing where one of them is called otherwise
///   statistic     [page, offset] of the ATA device statistics log (ACS-4, log address 04h), or
///   key           path into smartctl's JSON, with `called`, its name for the user, or
///   log           NVMe log page, as "0xC0", with `called`, and
///     offset      of its first byte in the log, or in the item; a list: the sum of several fields
///     size        in bytes, 1 to 16: a little-endian number. Of several bytes, all FFh means "not reported"
///     item        id of the item, for a log that `items` names
///     undecoded   true, without a metric: what it counts, or in which unit, is not settled. The number is
///                 shown among the unknown fields
///   scale         unit of the metric per step, a whole number, or "logical_block_size"; default 1
///   steps         steps per unit of the metric, which is rounded down; default 1, else with a scale of 1
///   add           added after scaling: 100 with scale -1 makes "used" of "left"
///   not           raw numbers that mean "not reported"
///   min, max      raw numbers outside are not decoded; min is 0 unless given
///   per_hour_max  more of the metric per power-on hour is impossible, so that the unit must be another
///   doubt         list of {below, margin, like}: a raw number smaller than `below` is passed over when
///                 another row for the metric says at least `margin` (in raw steps) more: a counter that
///                 wraps, or sticks. With `like`, the name of a metric, also when that one's statistic is
///                 passed over
///   unworn        {below, cycles}: a raw number smaller than `below` is not decoded in a drive whose average
///                 erase count is smaller than `cycles`: its life left would count the other way round
///   confidence    "standard", "verified" or "vendor"
///   source        where this is known from
namespace wearout::health {

enum class Protocol { ata, nvme, scsi };
inline constexpr EnumNames<Protocol, 3> protocol_names{{"ATA", "NVMe", "SCSI"}};

enum class Take { raw, value, value_if_raw_agrees, raw_if_value_agrees };
inline constexpr EnumNames<Take, 4> take_names{{"raw", "value", "value=raw", "raw=100-value"}};

/// A regular expression that knows its text.
struct Pattern {
    std::string text;
    std::regex regex;
    /// Of the whole text. False for a text longer than any true name, since std::regex recurses.
    [[nodiscard]] bool matches(std::string_view whole) const;
};

/// A further attribute whose raw number is added.
struct Addend {
    int id = 0;
    std::optional<Pattern> named;
};

struct AttributeField {
    int id = 0;
    std::optional<Pattern> named;
    Take take = Take::raw;
    std::string bytes = "543210";
    std::string order = "543210";
    std::optional<Pattern> printed;
    std::vector<Addend> plus;
};

struct StatisticField {
    std::int64_t page = 0;
    std::int64_t offset = 0;
};

struct KeyField {
    std::string path;
    std::string called;
};

/// A log that is a list: where the first item begins, and how many bytes each has.
struct ItemList {
    std::size_t first = 0;
    std::size_t size = 0;
};

struct LogField {
    int id = 0;
    std::vector<std::size_t> offsets;  ///< At least one.
    std::size_t size = 0;
    std::optional<int> item;
    ItemList list;  ///< The item's.
    std::string called;
    bool undecoded = false;
};

struct Doubt {
    std::int64_t below = 0;
    std::int64_t margin = 0;
    std::optional<Metric> like;
};

/// A number below `below` needs an average erase count of at least `cycles`.
struct Unworn {
    std::int64_t below = 0;
    std::int64_t cycles = 0;
};

/// One field of a drive's answer. Exactly one of the four places is given.
struct Row {
    std::optional<Metric> metric;
    std::optional<AttributeField> attribute;
    std::optional<StatisticField> statistic;
    std::optional<KeyField> key;
    std::optional<LogField> log;
    std::int64_t scale = 1;
    bool scale_is_logical_block = false;
    std::int64_t steps = 1;
    std::int64_t add = 0;
    std::vector<std::int64_t> not_reported;
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    std::optional<std::int64_t> per_hour_max;
    std::vector<Doubt> doubts;
    std::optional<Unworn> unworn;
    Confidence confidence = Confidence::vendor;
    std::string source;
};

struct DeadSign {
    std::string path;
    std::int64_t value = 0;
};

/// A log page to ask for.
struct LogPage {
    int id = 0;
    std::size_t bytes = 512;
    bool if_listed = false;
    bool per_group = false;
    std::string uuid;  ///< 16 bytes, or none.
};

/// `size` bytes at `offset` are `bytes`, or where there are none, a number from `min` to `max`.
struct LogCondition {
    int id = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
    std::string bytes;
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

struct Family {
    std::string name;
    std::int64_t version = 0;  ///< Its file's.
    Protocol protocol = Protocol::ata;
    std::optional<Pattern> drivedb;
    std::optional<Pattern> unlisted;
    std::optional<Pattern> model;
    std::optional<Pattern> firmware;
    std::vector<DeadSign> dead;
    std::vector<int> false_alarms;
    std::vector<StatisticField> lying_statistics;
    std::vector<std::string> lying_keys;
    std::vector<PciId> pci;  ///< Device 0: all of the vendor's.
    std::vector<LogPage> logs;
    std::vector<LogCondition> when;
    std::map<int, ItemList> items;  ///< By log.
    std::vector<Row> rows;
};

struct Catalogue {
    std::vector<Family> families;
};

/// Reads the text of one file. Throws a Failure (usage) that names the family and the row of the first
/// mistake: an unknown or a missing member counts as one.
[[nodiscard]] Catalogue parse_catalogue(std::string_view text);

/// The one that is built in, parsed at the first call. Thread-safe.
[[nodiscard]] const Catalogue& builtin_catalogue();

}  // namespace wearout::health
