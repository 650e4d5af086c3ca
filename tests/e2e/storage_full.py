#!/usr/bin/env python3
"""A state disk that is full makes the run wait, with a clear state, and it goes on by itself when there is room."""
import subprocess
import time

from harness import Daemon, check, need_root, scratch, started_run, wait_until


def fill(path):
    with open(path, "wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass


def main():
    need_root()
    with scratch() as folder:
        small = folder / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
        try:
            with Daemon(folder, checkpoint_interval="100ms", state_dir=small / "state") as daemon:
                daemon.database = small / "state" / "wearout.db"
                daemon.start()
                run = started_run(daemon, f"file:{folder}/target.img?size=256MiB", "--profile", "endurance",
                                  "--rate", "40MB")
                wait_until(lambda: daemon.run_status(run)["written_bytes"] > 10_000_000, 20, "10 MB written")
                fill(small / "filler")
                waiting = wait_until(lambda: (s := daemon.run_status(run))["state"] == "waiting-storage" and s, 30,
                                     "the run waits for the state disk")
                check(waiting["reason"], "no reason given")
                time.sleep(1)
                still = daemon.run_status(run)
                check(still["written_bytes"] == waiting["written_bytes"], "it went on writing with no checkpoint")
                (small / "filler").unlink()
                wait_until(lambda: daemon.run_status(run)["written_bytes"] > still["written_bytes"], 20, "it goes on")
                daemon.ctl("stop", run)
                end = daemon.wait_for_end(run, 20)
                check(end["state"] == "stopped" and end["findings_total"] == 0, f"{end}")
                print(f"waited for: {waiting['reason']}")
        finally:
            subprocess.run(["umount", "-l", small], check=True)


main()
