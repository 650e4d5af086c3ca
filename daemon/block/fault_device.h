#pragma once

#include "base/clock.h"
#include "base/enum_names.h"
#include "block/block_device.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace wearout::block {

enum class FaultKind {
    flip_on_read,       ///< Bits are wrong in this one answer; the media is right.
    flip_on_write,      ///< Bits are wrong on the media.
    lost_write,         ///< Acknowledged, and not written: what was there before stays.
    misdirected_write,  ///< Written to another place; what was there before stays.
    torn_write,    ///< Some sectors of a unit keep what they held: those of a range below a unit, else the
                   ///< seed's.
    zeroed_write,  ///< Zeroes are written.
    read_error,
    write_error,
    flush_error,
    stall,       ///< The answer is right but comes late.
    drive_gone,  ///< From now on every request, also those under way, finds no drive.
};

inline constexpr EnumNames<FaultKind, 11> fault_kind_names{
    {"flip-on-read", "flip-on-write", "lost-write", "misdirected-write", "torn-write", "zeroed-write",
     "read-error", "write-error", "flush-error", "stall", "drive-gone"}};

/// One rule: what goes wrong, where, when and how often. Only the part of a request that lies in the range is
/// hit; writes are hit in whole sectors. Example, every write to one sector lost from the third on:
/// `{.kind = FaultKind::lost_write, .offset = 4096, .length = 512, .after = 2, .times = Fault::always}`.
struct Fault {
    static constexpr std::uint64_t always = UINT64_MAX;

    FaultKind kind = FaultKind::lost_write;
    std::uint64_t offset = 0;           ///< The range, in bytes of the drive; a flush is in every range.
    std::uint64_t length = UINT64_MAX;  ///< To the end by default.
    std::uint64_t after = 0;            ///< So many matching requests pass unharmed first.
    std::uint64_t times = 1;            ///< So many are hit.
    std::uint64_t one_in = 1;           ///< Of those that match, one in so many is hit, by the seed.
    int error = EIO;                    ///< Of the three errors.
    std::uint32_t bits = 1;  ///< Flipped per hit, at places within the range that the seed decides.
    /// Where a misdirected write goes, a multiple of the logical block; by default the seed decides.
    std::optional<std::uint64_t> to = std::nullopt;
    std::chrono::nanoseconds delay{0};  ///< Of a stall.
};

/// What was done to the caller: exact, so that a test can ask for exactly this to be found. Where rules hit
/// the same bytes of one operation, the later record counts.
struct FaultRecord {
    FaultKind kind = FaultKind::lost_write;
    std::uint64_t operation = 0;  ///< The request's number, from 1, flushes counted too.
    SteadyTime when;
    std::uint64_t offset = 0;  ///< The bytes of the drive that are, or whose answer is, wrong. Flush: 0, 0.
    std::uint64_t length = 0;
    std::uint8_t mask = 0;  ///< The bit that was flipped in the byte at `offset`.
    std::uint64_t to = 0;   ///< Where the bytes went instead.
    int error = 0;
};

/// A BlockDevice that lies by rule, and writes down each lie. Has one request less than the device below it,
/// whose last buffer it needs to read what a torn or lost write has to keep.
class FaultDevice final : public BlockDevice {
  public:
    /// The inner device must allow two requests or more (std::logic_error). `clock` must outlive this.
    FaultDevice(std::unique_ptr<BlockDevice> inner, std::uint64_t seed, Clock& clock = system_clock());

    void add(const Fault& fault) { rules_.push_back({fault, 0, 0}); }
    /// No more faults, and a drive that was gone is back.
    void clear();
    [[nodiscard]] const std::vector<FaultRecord>& log() const noexcept { return log_; }

    [[nodiscard]] const Geometry& geometry() const noexcept override { return inner_->geometry(); }
    [[nodiscard]] std::uint32_t queue_depth() const noexcept override { return inner_->queue_depth() - 1; }
    [[nodiscard]] std::uint32_t buffer_bytes() const noexcept override { return inner_->buffer_bytes(); }
    [[nodiscard]] std::span<std::byte> buffer(std::uint32_t index) noexcept override {
        return inner_->buffer(index);
    }
    void submit(const IoRequest& request) override;
    std::size_t reap(std::span<IoCompletion> out, std::chrono::milliseconds timeout) override;
    [[nodiscard]] IoOutcome flush() override;

  private:
    struct Rule {
        Fault fault;
        std::uint64_t matched;
        std::uint64_t hits;
    };
    /// Bytes of the drive, [begin, end).
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    struct Flip {
        std::size_t at;
        std::byte mask;
    };
    /// Bytes of the caller's buffer that are put back when the write is over.
    struct Saved {
        std::size_t at;
        std::vector<std::byte> bytes;
    };
    /// What goes on with the request that uses a buffer.
    struct Slot {
        std::vector<Saved> saved;
        std::vector<Flip> flips_on_read;
        std::chrono::nanoseconds delay{0};
        std::optional<IoOutcome> outcome;  ///< Decided without asking the inner device.
    };
    struct Held {
        IoCompletion completion;
        SteadyTime due;
    };

    [[nodiscard]] static Range whole_blocks(Range range, std::uint64_t block);
    [[nodiscard]] bool hit(Rule& rule);
    void apply_rules(const IoRequest& request, bool corrupting);
    void apply(const Fault& fault, const IoRequest& request, Range range);
    void flip(const Fault& fault, const IoRequest& request, Range range);
    void tear(const Fault& fault, const IoRequest& request, Range range);
    void misdirect(const Fault& fault, const IoRequest& request, Range range);
    [[nodiscard]] bool keep_old(const IoRequest& request, Range range);
    void save(const IoRequest& request, Range range);
    [[nodiscard]] std::span<std::byte> part(const IoRequest& request, Range range);
    [[nodiscard]] bool scratch(IoKind kind, std::uint64_t offset, std::uint32_t length);
    void record(const Fault& fault, Range range, std::uint8_t mask = 0, std::uint64_t to = 0);
    void take_from_inner(std::chrono::milliseconds timeout);
    void arrived(const IoCompletion& completion);
    void hold(IoCompletion completion);
    [[nodiscard]] std::size_t deliver(std::span<IoCompletion> out);

    std::unique_ptr<BlockDevice> inner_;
    Clock& clock_;
    std::mt19937_64 random_;
    std::vector<Rule> rules_;
    std::vector<FaultRecord> log_;
    std::vector<Slot> slots_;
    std::vector<Held> held_;
    std::uint64_t operation_ = 0;
    std::uint32_t inner_under_way_ = 0;
    std::optional<IoOutcome> scratch_outcome_;
    bool gone_ = false;  ///< The drive, by a rule.
};

}  // namespace wearout::block
