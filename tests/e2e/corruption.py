#!/usr/bin/env python3
"""Corruptions made behind the daemon's back on a loop device are each found, named and placed exactly, and nothing
else is. corruption.py SECTOR"""
import os
import sys

from harness import Daemon, check, loop_device, scratch, seeded, started_run, wait_until

SECTOR = int(sys.argv[1])
SIZE = (96 << 20) + 5 * SECTOR
UNIT = 4096


class Media:
    """The loop device's backing file: what lies behind the daemon's back."""

    def __init__(self, path):
        self.path = path

    def read(self, offset, length):
        with open(self.path, "rb") as file:
            file.seek(offset)
            return file.read(length)

    def write(self, offset, data):
        with open(self.path, "r+b") as file:
            file.seek(offset)
            file.write(data)
            os.fsync(file.fileno())


def old_copy(daemon, media, device, offset):
    """Starts a three-pass run and takes a copy of a unit of generation 1 while generation 2 is under way."""
    run = started_run(daemon, device, "--profile", "burn-in", "--passes", 3, "--confirm", device, "--rate", "50MB")
    wait_until(lambda: daemon.run_status(run)["pass"] == 2, 60, "pass 2 begins")
    daemon.ctl("pause", run)
    paused = wait_until(lambda: (s := daemon.run_status(run))["state"] == "paused" and s, 20, "the run pauses")
    check(paused["pass"] == 2 and paused["phase"] == "writing" and paused["pass_percent"] < 80,
          f"paused too late for an old copy: {paused['phase']} {paused['pass_percent']} %")
    copy = media.read(offset, UNIT)
    daemon.ctl("resume", run)
    end = daemon.wait_for_end(run, 120)
    check(end["state"] == "finished" and end["findings_total"] == 0, f"{end}")
    return run, copy


def main():
    random = seeded()
    units = SIZE // UNIT
    # Places apart from each other; the old copy lies far behind, so that pass 2 has not got there yet.
    flip, moved, zeroed = (UNIT * u for u in random.sample(range(100, units // 2, 40), 3))
    source = UNIT * random.randrange(units // 2, units // 2 + 1000)
    stale = UNIT * random.randrange(units - 500, units - 1)
    flip += random.randrange(UNIT)
    bit = random.randrange(8)
    with scratch() as folder, loop_device(folder, SIZE, SECTOR) as device, \
            Daemon(folder, checkpoint_interval="500ms") as daemon:
        daemon.start()
        media = Media(folder / "disk.img")
        writer, copy = old_copy(daemon, media, device, stale)

        media.write(flip, bytes([media.read(flip, 1)[0] ^ (1 << bit)]))
        media.write(moved, media.read(source, UNIT))
        media.write(stale, copy)
        media.write(zeroed, bytes(64 << 10))

        scan = started_run(daemon, device, "--profile", "scan")
        end = daemon.wait_for_end(scan, 60)
        check(end["state"] == "finished", f"{end['state']}: {end['reason']}")
        found = {f["class"]: f for f in daemon.json("findings", scan, check_code=1)["findings"]}
        check(end["findings_total"] == 4 and len(found) == 4, f"not these four: {end['findings']}")

        wanted = {
            "bit-flip": {"lba": flip // 512, "sectors": 1, "flips_to_one": None, "first_wrong_byte": flip % 512,
                         "first_wrong_bits": 1 << bit},
            "misdirected": {"lba": moved // 512, "sectors": 8, "source_lba": source // 512},
            "stale": {"lba": stale // 512, "sectors": 8, "expected_generation": 3, "found_generation": 1},
            "zeroed": {"lba": zeroed // 512, "sectors": 128},
        }
        distance = abs(moved - source) // 512
        if distance & (distance - 1) == 0:
            wanted["aliased"] = wanted.pop("misdirected")
        for name, fields in wanted.items():
            check(name in found, f"{name} not found: {sorted(found)}")
            for field, value in fields.items():
                if value is not None:
                    check(found[name].get(field) == value, f"{name}: {field} is {found[name].get(field)}, not {value}")
        daemon.ctl("report", scan, check_code=1)
        print(f"one flipped bit at byte {flip} (bit {bit}), a unit from LBA {source // 512} at LBA {moved // 512}, a "
              f"unit of generation 1 at LBA {stale // 512}, 64 KiB of zeroes at LBA {zeroed // 512}: each found, named "
              "and placed; nothing else")


main()
