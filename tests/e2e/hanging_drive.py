#!/usr/bin/env python3
"""A target that hangs in the kernel when it is opened holds up only the request that opens it: other requests, other
runs and the watchdog go on, and SIGTERM ends the daemon all the same. A frozen file system is the drive that hangs."""
import contextlib
import pathlib
import signal
import subprocess
import threading
import time

from harness import Daemon, check, loop_device, scratch, started_run, wait_until

MIB = 1 << 20


@contextlib.contextmanager
def file_system(folder):
    """An ext4 file system of its own, mounted; freeze() makes every change in it hang."""
    mount = folder / "mount"
    mount.mkdir()
    with loop_device(folder, 64 * MIB, name="fs.img") as device:
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        subprocess.run(["mount", device, mount], check=True)
        try:
            yield mount
        finally:
            subprocess.run(["umount", "--lazy", mount], check=True)


@contextlib.contextmanager
def thawed_at_the_end(mount):
    """Before the daemon is waited for, which could not end."""
    try:
        yield
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", mount], capture_output=True)


def has_ended(pid):
    return "State:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text()


def main():
    with scratch() as folder, file_system(folder) as mount, Daemon(folder) as daemon, thawed_at_the_end(mount):
        daemon.start()
        other = started_run(daemon, "sim:other?size=16MiB", "--profile", "endurance", "--rate", "1MB")
        subprocess.run(["fsfreeze", "--freeze", mount], check=True)
        answers = []
        start = lambda: answers.append(daemon.ctl("start", f"file:{mount}/drive?size=8MiB", "--profile", "quick",
                                                  check_code=None))
        client = threading.Thread(target=start)
        client.start()
        time.sleep(1)
        check(not answers, f"the start did not hang: {answers}")
        began = time.monotonic()
        before = daemon.run_status(other)["written_bytes"]
        daemon.json("drives")
        took = time.monotonic() - began
        check(took < 10, f"answers took {took:.1f} s beside a drive that hangs")
        wait_until(lambda: daemon.run_status(other)["written_bytes"] > before, 20, "the other run goes on")
        refused = daemon.ctl("start", f"file:{mount}/drive?size=8MiB", "--profile", "quick", check_code=3)
        check("being started" in refused.stderr, refused.stderr)

        subprocess.run(["fsfreeze", "--unfreeze", mount], check=True)
        client.join(60)
        check(answers and answers[0].returncode == 0, f"after the thaw: {answers}")
        daemon.wait_for_end(2, 60)

        subprocess.run(["fsfreeze", "--freeze", mount], check=True)
        client = threading.Thread(target=lambda: daemon.ctl("start", f"file:{mount}/again?size=8MiB", "--profile",
                                                            "quick", check_code=None))
        client.start()
        time.sleep(1)
        began = time.monotonic()
        daemon.process.send_signal(signal.SIGTERM)
        # The kernel keeps a process one of whose threads hangs: all else of it is gone by then.
        wait_until(lambda: has_ended(daemon.process.pid), 30, "SIGTERM")
        took = time.monotonic() - began
        subprocess.run(["fsfreeze", "--unfreeze", mount], check=True)
        code = daemon.process.wait(30)
        check(code == 4, f"exit code {code}")
        client.join(60)
        daemon.start()
        check(daemon.run_status(other)["state"] in ("writing", "verifying"), "the other run goes on after a restart")
        print(f"beside a drive that hangs: answers in time, SIGTERM in {took:.1f} s")


main()
