#include "workload/sequential.h"

#include "workload/unit_set.h"

#include <algorithm>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::workload;

TEST_CASE("the walk covers every byte of its range once, the short last unit too") {
    CHECK(rc::check([] {
        const auto sectors = *rc::gen::inRange<std::uint64_t>(1, 2000);
        const std::uint64_t units = (sectors + 7) / 8;
        const auto first = *rc::gen::inRange<std::uint64_t>(0, units);
        const auto count = *rc::gen::inRange<std::uint64_t>(1, units - first + 1);
        const auto transfer = unit_bytes * *rc::gen::inRange<std::uint32_t>(1, 40);
        const Sequential walk({{first}, count}, {sectors * sector_bytes}, transfer);
        std::uint64_t offset = first * unit_bytes;
        for (std::uint64_t position = 0; position < walk.positions();) {
            const Extent extent = walk.extent_at(position, walk.positions());
            RC_ASSERT(extent.units > 0U);
            RC_ASSERT(extent.position == position);
            RC_ASSERT(walk.position_of(extent.first) == position);
            RC_ASSERT(extent.first.byte_offset() == offset);
            RC_ASSERT(walk.bytes_of(extent) <= transfer);
            RC_ASSERT(walk.bytes_of(extent) > 0U);
            offset += walk.bytes_of(extent);
            position += extent.units;
        }
        RC_ASSERT(offset == std::min((first + count) * unit_bytes, sectors * sector_bytes));
    }));
}

TEST_CASE("a walk at the end of 20 TB knows its addresses") {
    const Bytes capacity{20'000'588'955'648};  // of a real 20 TB drive
    const std::uint64_t units = capacity.value / unit_bytes;
    const Sequential walk({{units - 10}, 10}, capacity, 1U << 20U);
    const Extent extent = walk.extent_at(8, walk.positions());
    CHECK(extent.first.byte_offset() == capacity.value - 2 * unit_bytes);
    CHECK(walk.bytes_of(extent) == 2 * unit_bytes);
}

namespace {

/// What each unit may hold, kept one by one: the generations it may have, per sector; 0 stands for anything.
struct NaiveDrive {
    explicit NaiveDrive(std::size_t units) : may_hold(units, {0}) {}
    std::vector<std::set<std::uint32_t>> may_hold;
};

/// Writes, flushes, fails, is killed and goes on in a random order, as the run does, and keeps both models.
class Schedule {
  public:
    explicit Schedule(std::uint64_t units)
        : units_(units), naive_(units), walk_({{0}, units}, {units * unit_bytes}, unit_bytes) {}

    void step() {
        switch (*rc::gen::inRange(0, 6)) {
            case 0:
                allow_more();
                break;
            case 1:
            case 2:
                write();
                break;
            case 3:
                flush();
                break;
            case 4:
                kill();
                break;
            default:
                next_generation();
                break;
        }
    }

    void compare() const {
        for (std::uint64_t position = 0; position < units_;) {
            const Content content = content_at(media_, walk_, position, units_);
            RC_ASSERT(content.units > 0U);
            RC_ASSERT(position + content.units <= units_);
            for (const std::uint64_t end = position + content.units; position < end; ++position)
                compare_unit(content, position);
        }
    }

  private:
    void compare_unit(const Content& content, std::uint64_t position) const {
        const auto& naive = naive_.may_hold[position];
        const bool anything = naive.count(0) == 1;
        const std::uint32_t g = content.generation.value;
        switch (content.known) {
            case Content::Known::nothing:
                RC_ASSERT(anything);
                break;
            case Content::Known::exact:
                RC_ASSERT(naive == std::set<std::uint32_t>{g});
                break;
            case Content::Known::either:
                // It may be that nothing was issued there yet, but nothing else than these two is there.
                RC_ASSERT(!anything);
                RC_ASSERT(std::all_of(naive.begin(), naive.end(),
                                      [&](std::uint32_t held) { return held == g || held + 1 == g; }));
                break;
        }
        if (content.known != Content::Known::nothing)
            RC_ASSERT(content.below_restart_mark == (position < mark_));
    }

    void allow_more() {
        media_.issued_to = std::min(units_, media_.issued_to + *rc::gen::inRange<std::uint64_t>(1, 20));
    }
    void write() {
        if (next_ >= media_.issued_to) return;
        const bool fails = *rc::gen::inRange(0, 5) == 0;
        auto& held = naive_.may_hold[next_];
        if (fails) {
            held = {0};
            add_units(failed_, {{next_}, 1}, 1024);
            add_units(media_.unknown, {{next_}, 1}, 1024);
        } else {
            // Until it is flushed it is the old or the new, unless nothing was known before.
            held.insert(media_.generation.value);
        }
        ++next_;
    }
    void flush() {
        const std::uint64_t from = media_.flushed_to;
        for (std::uint64_t p = from; p < next_; ++p) {
            const bool failed = std::any_of(failed_.begin(), failed_.end(),
                                            [&](const UnitRange& range) { return range.contains({p}); });
            if (!failed) naive_.may_hold[p] = {media_.generation.value};
        }
        remove_units(media_.unknown, {{from}, next_ - from}, 1024);
        for (const UnitRange& range : failed_)
            add_units(media_.unknown, range, 1024);
        failed_.clear();
        media_.flushed_to = next_;
    }
    void kill() {
        next_ = media_.flushed_to;
        failed_.clear();
        mark_ = media_.restart_mark = std::max(media_.restart_mark, media_.flushed_to);
    }
    void next_generation() {
        if (next_ < units_ || media_.flushed_to < units_) return;
        media_.generation.value += 1;
        media_.flushed_to = media_.issued_to = media_.restart_mark = 0;
        next_ = mark_ = 0;
    }

    std::uint64_t units_;
    NaiveDrive naive_;
    Sequential walk_;
    MediaState media_;
    std::uint64_t next_ = 0;
    std::uint64_t mark_ = 0;
    std::vector<UnitRange> failed_;
};

}  // namespace

TEST_CASE("the checkpoint's few numbers say what a model that keeps every unit says") {
    CHECK(rc::check([] {
        Schedule schedule(*rc::gen::inRange<std::uint64_t>(1, 40));
        const int steps = *rc::gen::inRange(1, 400);
        for (int i = 0; i < steps; ++i) {
            schedule.step();
            schedule.compare();
        }
    }));
}

TEST_CASE("content has its boundaries where the checkpoint says") {
    const Sequential walk({{1000}, 100}, {1ULL << 40U}, 1U << 20U);
    MediaState media;
    media.generation = {5};
    media.restart_mark = 10;
    media.flushed_to = 40;
    media.issued_to = 60;
    media.unknown = {{{1020}, 2}};
    const auto at = [&](std::uint64_t position) { return content_at(media, walk, position, 100); };
    CHECK(at(0).known == Content::Known::exact);
    CHECK(at(0).generation.value == 5);
    CHECK(at(0).below_restart_mark);
    CHECK(at(0).units == 10);
    CHECK_FALSE(at(10).below_restart_mark);
    CHECK(at(10).units == 10);
    CHECK(at(20).known == Content::Known::nothing);
    CHECK(at(21).units == 1);
    CHECK(at(22).units == 18);
    CHECK(at(40).known == Content::Known::either);
    CHECK(at(40).units == 20);
    CHECK(at(60).known == Content::Known::exact);
    CHECK(at(60).generation.value == 4);
    CHECK(at(60).units == 40);
    CHECK(at(100).units == 0);
    media.generation = {1};
    CHECK(at(40).known == Content::Known::nothing);
    CHECK(at(40).units == 60);
}
