#!/usr/bin/env python3
"""A run on a loop device whose daemon is killed (SIGKILL) again and again at random moments ends with no finding,
its bytes counted right; each time the run goes on within a second of the start. kill_campaign.py SECTOR [KILLS]"""
import sys
import time

from harness import Daemon, check, loop_device, scratch, seeded, started_run, wait_until

SECTOR = int(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
PASSES = 3
# No multiple of 1 MiB nor, with small sectors, of 4 KiB.
SIZE = (768 << 20) + 7 * SECTOR


def main():
    random = seeded()
    slowest = 0.0
    with scratch() as folder, loop_device(folder, SIZE, SECTOR) as device, \
            Daemon(folder, checkpoint_interval="100ms") as daemon:
        daemon.start()
        run = started_run(daemon, device, "--profile", "burn-in", "--passes", PASSES, "--confirm", device,
                          "--rate", "400MB")
        kills = 0
        seen = 0
        while kills < KILLS:
            time.sleep(random.uniform(0.05, 0.6))
            before = daemon.run_status(run)
            check(before["state"] in ("writing", "verifying"), f"the run is {before['state']} after {kills} kills")
            seen = max(seen, before["written_bytes"])
            daemon.kill()
            kills += 1
            began = time.monotonic()
            daemon.start()
            after = wait_until(lambda: (s := daemon.run_status(run))["state"] in ("writing", "verifying") and s, 20,
                               "the run goes on")
            slowest = max(slowest, time.monotonic() - began)
            # What was acknowledged after the last checkpoint (100 ms apart, at 400 MB/s) is done again.
            check(after["written_bytes"] >= before["written_bytes"] - 200_000_000,
                  f"written fell from {before['written_bytes']} to {after['written_bytes']}")
        end = daemon.wait_for_end(run, 120)
        check(end["state"] == "finished", f"{end['state']}: {end['reason']}")
        check(end["findings_total"] == 0, f"{end['findings']}")
        check(end["written_bytes"] >= PASSES * SIZE, f"only {end['written_bytes']} of {PASSES * SIZE} written")
        check(end["written_bytes"] <= PASSES * SIZE + KILLS * 200_000_000, "counted more than was written")
        check(end["verified_bytes"] >= PASSES * SIZE, f"only {end['verified_bytes']} verified")
        daemon.ctl("report", run, check_code=0)
        # The figure is printed below; only what can't be a busy machine fails.
        check(slowest < 10, f"going on took {slowest:.2f} s")
        print(f"{kills} kills, {end['written_bytes']} written, {end['verified_bytes']} verified of {PASSES} x {SIZE}, "
              f"0 findings; slowest start to running run {slowest:.2f} s")


main()
