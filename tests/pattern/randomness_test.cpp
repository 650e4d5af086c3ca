#include "pattern/pattern.h"
#include "pattern/reference.h"
#include "pattern/support.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>
#include <zstd.h>

using namespace wearout;
using namespace wearout::test;

// All on fixed seeds: these cannot fail by chance, only by a change.

namespace {

constexpr std::size_t sample_sectors = 16384;

/// Half of one generation and half of the next, at the same addresses: what a drive is given over time.
const std::vector<std::byte>& sample() {
    static const std::vector<std::byte> bytes = [] {
        auto first = made(some_id, {1'000'000}, {1}, sample_sectors / 2);
        const auto second = made(some_id, {1'000'000}, {2}, sample_sectors / 2);
        first.insert(first.end(), second.begin(), second.end());
        return first;
    }();
    return bytes;
}

template <typename Word>
std::uint64_t repeated_words(std::size_t step) {
    std::vector<Word> words;
    for (std::size_t at = 0; at + sizeof(Word) <= sample().size(); at += step) {
        Word word;
        std::memcpy(&word, sample().data() + at, sizeof word);
        words.push_back(word);
    }
    std::ranges::sort(words);
    std::uint64_t repeated = 0;
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i] == words[i - 1]) ++repeated;
    return repeated;
}

/// Sectors that differ in what `change` changes differ in half their bits, each single pair of them.
template <typename Change>
void check_avalanche(Change change) {
    constexpr std::uint64_t pairs = 2000;
    constexpr double bits = sector_bytes * 8.0;
    const double sigma = std::sqrt(bits) / 2;
    double sum = 0;
    double worst = 0;
    for (std::uint64_t i = 0; i < pairs; ++i) {
        PatternId id = some_id;
        Lba lba{i * 8};
        Generation generation{static_cast<std::uint32_t>(i % 100)};
        const auto before = made(id, lba, generation, 1);
        change(i, id, lba, generation);
        const auto distance = static_cast<double>(hamming(before, made(id, lba, generation, 1)));
        sum += distance;
        worst = std::max(worst, std::abs(distance - bits / 2));
    }
    CHECK(worst < 5.5 * sigma);
    CHECK(std::abs(sum / pairs - bits / 2) < 5 * sigma / std::sqrt(pairs));
}

}  // namespace

TEST_CASE("what is written does not compress") {
    for (const int level : {1, 3, 12, 19}) {
        std::vector<std::byte> packed(ZSTD_compressBound(sample().size()));
        const auto size =
            ZSTD_compress(packed.data(), packed.size(), sample().data(), sample().size(), level);
        REQUIRE_FALSE(ZSTD_isError(size));
        MESSAGE("zstd -", level, ": ",
                100.0 * static_cast<double>(size) / static_cast<double>(sample().size()), " %");
        CHECK(size >= sample().size());
    }
}

TEST_CASE("nothing in it repeats beyond chance") {
    // 2^21 words of 64 bits at a step of 4 bytes: a pair in 2^23 such samples.
    CHECK(repeated_words<std::uint64_t>(4) == 0);
    // 2^21 words of 32 bits: n^2 / 2^33 = 512 pairs are chance, with a deviation of 23.
    const auto repeated = repeated_words<std::uint32_t>(4);
    CHECK(repeated > 512 - 6 * 23);
    CHECK(repeated < 512 + 6 * 23);
}

TEST_CASE("bytes are equally frequent, and no bit of a sector prefers a value") {
    std::array<double, 256> counts{};
    for (const std::byte byte : sample())
        ++counts[std::to_integer<std::size_t>(byte)];
    const double expected = static_cast<double>(sample().size()) / 256;
    double chi = 0;
    for (const double count : counts)
        chi += (count - expected) * (count - expected) / expected;
    MESSAGE("chi square of the bytes, 255 degrees of freedom: ", chi);
    CHECK(chi > 150);
    CHECK(chi < 380);

    std::vector<double> ones(std::size_t{sector_bytes} * 8);
    for (std::size_t bit = 0; bit < sample().size() * 8; ++bit)
        ones[bit % ones.size()] += std::to_integer<int>(sample()[bit / 8] >> (bit % 8)) & 1;
    const double sigma = std::sqrt(sample_sectors) / 2;
    for (const double count : ones)
        CHECK(std::abs(count - sample_sectors / 2.0) < 5.5 * sigma);
}

TEST_CASE("neighbouring sectors, generations, runs, drives and seeds differ in half their bits") {
    check_avalanche([](auto, auto&, Lba& lba, auto&) { ++lba.value; });
    check_avalanche([](auto, auto&, auto&, Generation& generation) { ++generation.value; });
    check_avalanche([](auto i, auto&, Lba& lba, auto&) { lba.value ^= 1ULL << (i % 64); });
    check_avalanche([](auto i, auto&, auto&, Generation& g) { g.value ^= 1U << (i % 32); });
    check_avalanche([](auto i, PatternId& id, auto&, auto&) { id.run ^= 1ULL << (i % 64); });
    check_avalanche([](auto i, PatternId& id, auto&, auto&) { id.drive ^= 1ULL << (i % 64); });
    check_avalanche([](auto i, PatternId& id, auto&, auto&) { id.seed ^= 1ULL << (i % 64); });
}

TEST_CASE("words of a sector differ from those near them in half their bits") {
    const auto words = sample().size() / 4;
    std::vector<std::uint32_t> values(words);
    std::memcpy(values.data(), sample().data(), sample().size());
    for (std::size_t lag = 1; lag <= 32; ++lag) {
        double bits = 0;
        for (std::size_t i = 0; i + lag < words; ++i)
            bits += std::popcount(values[i] ^ values[i + lag]);
        const double mean = bits / static_cast<double>(words - lag);
        CHECK(std::abs(mean - 16) < 6 * std::sqrt(8.0 / static_cast<double>(words)));
    }
}
