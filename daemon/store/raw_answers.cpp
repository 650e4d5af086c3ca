#include "base/error.h"
#include "store/impl.h"
#include "store/samples.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace wearout::store {

namespace {

/// A keyframe serves for so long: what a damaged one takes with it is bounded.
constexpr auto keyframe_age = std::chrono::hours(24);
/// A delta above this share of its keyframe's frame has drifted too far: it is cheaper to begin anew.
constexpr std::size_t keyframe_share = 4;

bool is_fresh(const RawKeyframe& keyframe, WallTime time) {
    return time >= keyframe.time && time - keyframe.time < keyframe_age;
}

RawKeyframe store_keyframe(Database& database, std::int64_t drive, const std::string& text, WallTime time) {
    const auto frame = compress(text, {});
    database.query("INSERT INTO raw_keyframe (drive, time, size, frame) VALUES (?, ?, ?, ?)")
        .bind(drive, time, text.size(), frame)
        .run();
    return {database.last_insert_id(), time, frame.size(), text};
}

RawKeyframe load_keyframe(Database& database, std::int64_t id) {
    auto row = database.query("SELECT time, size, frame FROM raw_keyframe WHERE id = ?");
    if (!row.bind(id).next()) throw_unreadable("the keyframe of a raw answer is missing");
    RawKeyframe keyframe;
    keyframe.id = id;
    std::uint64_t size = 0;
    std::vector<std::byte> frame;
    row >> keyframe.time >> size >> frame;
    keyframe.frame_bytes = frame.size();
    keyframe.text = decompress(frame, {}, size);
    return keyframe;
}

/// An answer before its keyframe is known.
struct PackedAnswer {
    std::int64_t keyframe = 0;
    std::uint64_t size = 0;
    std::vector<std::byte> frame;
};

PackedAnswer read_answer(Database& database, std::int64_t answer) {
    auto row = database.query("SELECT keyframe, size, frame FROM raw_answer WHERE id = ?");
    if (!row.bind(answer).next()) throw_unreadable("a raw answer is missing");
    PackedAnswer stored;
    row >> stored.keyframe >> stored.size >> stored.frame;
    return stored;
}

/// Reads answers one after the other: neighbours share their keyframe, which is loaded once.
class AnswerReader {
  public:
    explicit AnswerReader(Database& database) : database_(database) {}
    [[nodiscard]] std::string read(std::int64_t answer) {
        const auto packed = read_answer(database_, answer);
        if (packed.keyframe != keyframe_.id) keyframe_ = load_keyframe(database_, packed.keyframe);
        return decompress(packed.frame, keyframe_.text, packed.size);
    }

  private:
    Database& database_;
    RawKeyframe keyframe_;
};

}  // namespace

std::int64_t store_answer(Database& database, std::int64_t drive, const std::string& text, WallTime time,
                          SampleMemory& memory) {
    if (memory.answer_id && memory.answer == text) return *memory.answer_id;
    if (text.size() > max_raw_bytes)
        throw usage_error(fmt::format("a raw answer of {} bytes is too long to be kept", text.size()));
    std::vector<std::byte> frame;
    if (memory.keyframe && is_fresh(*memory.keyframe, time)) frame = compress(text, memory.keyframe->text);
    if (frame.empty() || frame.size() > memory.keyframe->frame_bytes / keyframe_share) {
        memory.keyframe = store_keyframe(database, drive, text, time);
        frame = compress(text, memory.keyframe->text);
    }
    database.query("INSERT INTO raw_answer (keyframe, size, frame) VALUES (?, ?, ?)")
        .bind(memory.keyframe->id, text.size(), frame)
        .run();
    memory.answer_id = database.last_insert_id();
    memory.answer = text;
    return *memory.answer_id;
}

std::string load_answer(Database& database, std::int64_t answer) {
    return AnswerReader(database).read(answer);
}

void load_answer_memory(Database& database, std::int64_t drive, SampleMemory& memory) {
    std::optional<std::int64_t> newest;
    {
        auto row = database.query(
            "SELECT raw FROM sample WHERE drive = ? AND raw IS NOT NULL ORDER BY id DESC LIMIT 1");
        if (row.bind(drive).next()) row >> newest;
    }
    if (!newest) return;
    const auto stored = read_answer(database, *newest);
    memory.keyframe = load_keyframe(database, stored.keyframe);
    memory.answer_id = newest;
    memory.answer = decompress(stored.frame, memory.keyframe->text, stored.size);
}

void Store::raw_answers(std::string_view drive_key,
                        const std::function<void(WallTime, const std::string&)>& visit) const {
    impl_->read([&](Database& database) {
        const auto drive = find_drive(database, drive_key);
        if (!drive) return;
        auto row =
            database.query("SELECT time, raw FROM sample WHERE drive = ? AND raw IS NOT NULL ORDER BY id");
        row.bind(*drive);
        AnswerReader reader(database);
        while (row.next()) {
            WallTime time;
            std::int64_t answer = 0;
            row >> time >> answer;
            visit(time, reader.read(answer));
        }
    });
}

std::vector<StoredAnswer> Store::answers_of_run(RunId run, std::size_t most) const {
    return impl_->read([&](Database& database) {
        std::vector<std::pair<StoredAnswer, std::int64_t>> all;
        auto row = database.query(
            "SELECT time, drive_written, raw FROM sample WHERE run = ? AND raw IS NOT NULL ORDER BY id");
        row.bind(run);
        while (row.next()) {
            auto& [answer, id] = all.emplace_back();
            row >> answer.time >> answer.written >> id;
        }
        std::vector<StoredAnswer> chosen;
        const auto count = std::min(all.size(), most);
        AnswerReader reader(database);
        for (std::size_t i = 0; i < count; ++i) {
            auto& [answer, id] = all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)];
            answer.text = reader.read(id);
            chosen.push_back(std::move(answer));
        }
        return chosen;
    });
}

}  // namespace wearout::store
