#pragma once

#include "store/store.h"
#include "support/scratch_dir.h"

#include <chrono>
#include <cmath>
#include <string>

namespace wearout::test {

inline WallTime at(std::chrono::milliseconds since_start) {
    return WallTime(std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}) + std::chrono::hours(14) +
           since_start;
}

inline Drive life_drive() {
    Drive drive;
    drive.key = "sim:demo";
    drive.model = "WEAROUT SIMULATED SSD";
    drive.serial = "SIM-1234";
    drive.firmware = "1.0";
    drive.transport = "simulated";
    drive.capacity = {256ULL << 20U};
    drive.simulated = true;
    return drive;
}

/// A database with the whole life of one drive: fifty passes of 1 TB each, wear that follows from a simple
/// rule, and then no more writes.
class StoredLife {
  public:
    static constexpr int passes = 50;
    static constexpr std::uint64_t pass_bytes = 1'000'000'000'000;

    StoredLife() : store(path, store::OpenMode::read_write) {
        store.remember_drive(life_drive(), true);
        RunSpec spec;
        spec.profile = "endurance";
        spec.target = "sim:demo?size=256MiB";
        spec.pattern.seed = 42;
        spec.rating = Bytes{40 * pass_bytes};
        spec.rating_source = "given with --rating";
        run = store.add_run("sim:demo", spec, {}, at({}));
        for (int pass = 0; pass <= passes; ++pass) {
            if (pass > 0) add_pass(pass);
            add_sample(pass);
        }
    }

    /// The drive's own counters were held against what was written: one is right, one is wrong, one is dead.
    void check_counters(std::string nand_field = "attribute 249 NAND_Writes_1GiB") {
        CounterUnit right;
        right.field = "attribute 241 Lifetime_Writes_GiB";
        right.verdict = CounterVerdict::agrees;
        right.catalogue_step = right.step = 1 << 30;
        right.bytes_per_step = 1.0737e9;
        right.low = 1.06e9;
        right.high = 1.08e9;
        right.grown = 46'000;
        right.written = {50 * pass_bytes};
        CounterUnit wrong = right;
        wrong.field = "attribute 246 Total_LBAs_Written";
        wrong.verdict = CounterVerdict::contradicts;
        wrong.catalogue_step = 512;
        wrong.step = 1 << 25;
        CounterUnit dead;
        dead.field = std::move(nand_field);
        dead.metric = Metric::nand_bytes_written;
        dead.verdict = CounterVerdict::still;
        dead.written = {50 * pass_bytes};
        store.save_counter_units("sim:demo", run, {right, wrong, dead});
    }
    /// The run ends in this state.
    void end(RunState state, const std::string& reason) {
        checkpoint.state = state;
        checkpoint.reason = reason;
        store.commit(run, {checkpoint, {}, {}}, at(std::chrono::hours(60)));
    }
    void find(const Finding& finding) {
        Finding numbered = finding;
        numbered.sequence = ++checkpoint.counters.last_finding_sequence;
        const auto cls = static_cast<std::size_t>(finding.cls);
        ++checkpoint.counters.findings.ranges.at(cls);
        checkpoint.counters.findings.sectors.at(cls) += finding.sectors;
        store.commit(run, {checkpoint, {numbered}, {}}, at(std::chrono::hours(51)));
    }

    ScratchDir dir;
    std::string path = dir.file("wearout.db");
    store::Store store;
    RunId run;
    Checkpoint checkpoint;

  private:
    void add_pass(int pass) {
        const auto begin = at(std::chrono::hours(pass - 1));
        const auto half = std::chrono::minutes(30);
        checkpoint.state = checkpoint.phase = RunState::writing;
        checkpoint.counters.written += Bytes{pass_bytes};
        checkpoint.counters.verified += Bytes{pass_bytes};
        checkpoint.counters.active += 2 * half;
        checkpoint.counters.write_passes = checkpoint.counters.verify_passes =
            static_cast<std::uint32_t>(pass);
        const Generation generation{static_cast<std::uint32_t>(pass)};
        const PassRecord write{RunState::writing, generation, begin, begin + half, half, {pass_bytes}, 0};
        const PassRecord verify{RunState::verifying, generation, begin + half, begin + 2 * half, half,
                                {pass_bytes},        0};
        store.commit(run, {checkpoint, {}, {write, verify}}, begin + 2 * half);
    }
    void add_sample(int pass) {
        const auto confidence = Confidence::vendor;
        Sample sample;
        sample.time = at(std::chrono::hours(pass));
        sample.reason = pass == 0 ? SampleReason::start : SampleReason::pass;
        sample.run_written = checkpoint.counters.written;
        sample.decoder = "kingston";
        const std::int64_t n = pass;
        const std::string name = "attribute ";
        sample.readings = {
            {Metric::erase_count_avg, n * 60, name + "173 MaxAvgErase_Ct, average", confidence},
            {Metric::erase_count_max, n * 66 + 5, name + "173 MaxAvgErase_Ct, maximum", confidence},
            {Metric::life_left_percent, 100 - n * 2, name + "231 SSD_Life_Left", confidence},
            {Metric::retired_blocks, n < 30 ? 0 : (n - 30) * 4, name + "170 Bad_Blk_Ct_Lat", confidence},
            {Metric::factory_bad_blocks, 12, name + "170 Bad_Blk_Ct_Erl", confidence},
            {Metric::host_bytes_written, n * static_cast<std::int64_t>(pass_bytes), name + "241 Host_Writes",
             confidence},
            {Metric::nand_bytes_written, n * 1'250'000'000'000, name + "233 Flash_Writes", confidence},
            {Metric::temperature_c, 40 + n % 3, name + "194 Temperature", confidence},
        };
        store.add_sample("sim:demo", run, sample);
    }
};

inline Finding example_finding() {
    Finding finding;
    finding.cls = FindingClass::bit_flip;
    finding.lba = {123'456};
    finding.sectors = 1;
    finding.pass = 4;
    finding.time = at(std::chrono::hours(3));
    finding.expected = {4};
    finding.found = Generation{4};
    finding.flips_to_one = 1;
    finding.first_wrong_byte = 17;
    finding.first_wrong_bits = 0x08;
    finding.reread = Reread::same;
    finding.expected_bytes.assign(512, std::byte{0x11});
    finding.actual_bytes = finding.expected_bytes;
    finding.actual_bytes[17] = std::byte{0x19};
    return finding;
}

}  // namespace wearout::test
