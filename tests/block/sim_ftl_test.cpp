#include "block/sim/ftl.h"
#include "tests/block/sim_support.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace wearout;
using namespace wearout::block::sim;

namespace {

enum class Action { write, read, reopen };

struct Step {
    Action action;
    std::uint64_t offset;
    std::uint32_t length;
};

/// A drive and the array that it must equal.
class Pair {
  public:
    explicit Pair(const SimGeometry& geometry)
        : image_(Image::anonymous(geometry)), naive_(geometry.capacity), ftl_(std::in_place, image_) {}

    void perform(const Step& step) {
        std::vector<std::byte> bytes(step.length);
        switch (step.action) {
            case Action::write:
                write(step.offset, bytes);
                break;
            case Action::read:
                ftl_->read(step.offset, bytes);
                if (!std::ranges::equal(bytes, naive_.part(step.offset, step.length)))
                    throw std::runtime_error("read something else than was written");
                break;
            case Action::reopen:
                ftl_.emplace(image_);
                break;
        }
    }
    void check_all() {
        check_conservation(image_, *ftl_);
        if (naive_.first_difference(*ftl_) != image_.geometry().capacity.value)
            throw std::runtime_error("the drive does not hold what was written");
    }
    Ftl& ftl() { return *ftl_; }
    Image& image() { return image_; }

  private:
    void write(std::uint64_t offset, std::span<std::byte> bytes) {
        fill(bytes, ++writes_);
        const std::uint64_t before = image_.counters().host_bytes_written;
        const auto result = ftl_->write(offset, bytes);
        const std::uint64_t taken = image_.counters().host_bytes_written - before;
        if ((result == Ftl::Written::done) != (taken == bytes.size()))
            throw std::runtime_error("what is counted as written is not what was taken");
        naive_.write(offset, bytes.first(taken));
    }

    Image image_;
    ByteArray naive_;
    std::optional<Ftl> ftl_;
    std::uint64_t writes_ = 0;
};

Step random_step(std::mt19937_64& random, const SimGeometry& geometry, std::uint32_t max_blocks) {
    const std::uint64_t blocks = geometry.capacity.value / geometry.logical_block;
    const std::uint64_t first = random() % blocks;
    const std::uint64_t count = 1 + random() % std::min<std::uint64_t>(max_blocks, blocks - first);
    const std::uint64_t kind = random() % 200;
    const Action action = kind == 0 ? Action::reopen : kind < 30 ? Action::read : Action::write;
    return {action, first * geometry.logical_block,
            static_cast<std::uint32_t>(count * geometry.logical_block)};
}

/// Writes all of the drive once, in order.
void write_pass(Ftl& ftl, Bytes capacity, std::uint64_t seed) {
    std::vector<std::byte> bytes(128U << 10U);
    for (std::uint64_t offset = 0; offset < capacity.value; offset += bytes.size()) {
        fill(bytes, seed + offset);
        REQUIRE(ftl.write(offset, bytes) == Ftl::Written::done);
    }
}

double amplification(const Counters& counters) {
    return static_cast<double>(counters.flash_pages * page_bytes) /
           static_cast<double>(counters.host_bytes_written);
}

std::vector<std::uint32_t> erase_counts(Image& image) {
    std::vector<std::uint32_t> counts;
    for (const BlockRecord& block : image.blocks())
        if (block.state != BlockState::factory_bad) counts.push_back(block.erase_count);
    return counts;
}

}  // namespace

TEST_CASE("the drive is an array of bytes, whatever is done to it") {
    const SimGeometry geometry = small_drive({{"size", "1049088"}, {"erase-block", "16KiB"}});
    CHECK(rc::check("reads give what was last written, after reopening too", [&] {
        const auto seeds =
            *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>());
        Pair pair(geometry);
        for (const std::uint64_t seed : seeds) {
            std::mt19937_64 random(seed);
            pair.perform(random_step(random, geometry, 64));
        }
        pair.check_all();
    }));
}

TEST_CASE("the drive is an array of bytes through all of its life") {
    for (const char* block : {"512", "4096"}) {
        const std::uint64_t seed = std::random_device()();
        CAPTURE(block);
        CAPTURE(seed);
        const SimGeometry geometry = small_drive(
            {{"size", "2MiB"}, {"endurance", "30"}, {"block", block}, {"seed", std::to_string(seed)}});
        Pair pair(geometry);
        std::mt19937_64 random(seed);
        int after_death = 0;
        for (int i = 0; i < 200'000 && after_death < 200; ++i) {
            pair.perform(random_step(random, geometry, 48));
            if (i % 500 == 0) pair.check_all();
            if (pair.ftl().read_only()) ++after_death;
        }
        CHECK(after_death == 200);
        pair.check_all();
    }
}

TEST_CASE("sectors that were never written read as zeroes, also beside written ones") {
    Image image = Image::anonymous(small_drive());
    Ftl ftl(image);
    std::vector<std::byte> sector(512);
    fill(sector, 1);
    REQUIRE(ftl.write(4096 + 512, sector) == Ftl::Written::done);
    std::vector<std::byte> read(3 * 4096, std::byte{1});
    ftl.read(0, read);
    std::vector<std::byte> expected(read.size());
    std::ranges::copy(sector, expected.begin() + 4096 + 512);
    CHECK(read == expected);
    CHECK(image.counters().flash_pages == 1);
    CHECK(image.counters().host_bytes_written == 512);
    CHECK(image.counters().host_bytes_read == read.size());
}

TEST_CASE("overwriting in order costs no amplification") {
    const SimGeometry geometry = small_drive({{"size", "8MiB"}, {"endurance", "1000"}});
    Image image = Image::anonymous(geometry);
    Ftl ftl(image);
    for (std::uint64_t pass = 0; pass < 30; ++pass)
        write_pass(ftl, geometry.capacity, pass);
    CHECK(amplification(image.counters()) >= 1.0);
    CHECK(amplification(image.counters()) < 1.05);
    check_conservation(image, ftl);
}

TEST_CASE("random overwriting is amplified less, the more over-provisioning there is") {
    double last = 1e9;
    for (const char* op : {"7", "28", "100"}) {
        const SimGeometry geometry = small_drive({{"size", "8MiB"}, {"endurance", "10000"}, {"op", op}});
        Image image = Image::anonymous(geometry);
        Ftl ftl(image);
        write_pass(ftl, geometry.capacity, 0);
        std::mt19937_64 random(3);
        std::vector<std::byte> page(page_bytes);
        for (std::uint32_t i = 0; i < 10 * geometry.pages(); ++i)
            REQUIRE(ftl.write(random() % geometry.pages() * page_bytes, page) == Ftl::Written::done);
        const double now = amplification(image.counters());
        CAPTURE(op);
        CHECK(now >= 1.0);
        CHECK(now < last);
        last = now;
        check_conservation(image, ftl);
    }
    CHECK(last < 2.0);
}

TEST_CASE("a skewed write wears all blocks alike") {
    const SimGeometry geometry = small_drive({{"size", "8MiB"}, {"endurance", "400"}});
    Image image = Image::anonymous(geometry);
    Ftl ftl(image);
    write_pass(ftl, geometry.capacity, 0);
    std::mt19937_64 random(4);
    std::vector<std::byte> page(page_bytes);
    // Nine tenths of the drive are never touched again.
    const std::uint64_t hot = geometry.pages() / 10;
    while (ftl.flash().total_erases() < 100ULL * geometry.blocks())
        REQUIRE(ftl.write(random() % hot * page_bytes, page) == Ftl::Written::done);
    const std::vector<std::uint32_t> counts = erase_counts(image);
    const auto [least, most] = std::ranges::minmax(counts);
    CAPTURE(least);
    CAPTURE(most);
    CHECK(most - least <= 2 * ftl.levelling_gap());
    CHECK(least > 0);
    CHECK(amplification(image.counters()) < 2);
    check_conservation(image, ftl);
}

TEST_CASE("the same writes live the same life, opened and closed or not") {
    const std::uint64_t seed = std::random_device()();
    CAPTURE(seed);
    const SimGeometry geometry = small_drive({{"size", "2MiB"}, {"endurance", "40"}});
    Pair whole(geometry);
    Pair pieces(geometry);
    std::mt19937_64 random(seed);
    while (!whole.ftl().read_only()) {
        Step step = random_step(random, geometry, 64);
        if (step.action == Action::reopen) {
            pieces.perform(step);
            continue;
        }
        whole.perform(step);
        pieces.perform(step);
    }
    CHECK(pieces.ftl().read_only());
    CHECK(std::memcmp(&whole.image().counters(), &pieces.image().counters(), sizeof(Counters)) == 0);
    CHECK(std::memcmp(whole.image().blocks().data(), pieces.image().blocks().data(),
                      whole.image().blocks().size_bytes()) == 0);
    CHECK(std::ranges::equal(whole.image().map(), pieces.image().map()));
}
