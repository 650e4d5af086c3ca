#!/usr/bin/env python3
"""The daemon as systemd sees it: READY, STATUS, WATCHDOG and STOPPING on the notify socket, a run that SIGTERM brings
to rest within seconds and that goes on from there, curl on the control socket."""
import json
import os
import socket
import subprocess
import time

from harness import Daemon, check, scratch, started_run, wait_until


class NotifySocket:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(0.05)
        self.lines = []

    def poll(self, wanted):
        try:
            while True:
                self.lines += self.socket.recv(65536).decode().split("\n")
        except (TimeoutError, BlockingIOError):
            pass
        return any(line.startswith(wanted) for line in self.lines)


def main():
    with scratch() as folder, Daemon(folder) as daemon:
        notify = NotifySocket(folder / "notify")
        daemon.environment |= {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "600000"}
        daemon.start()
        daemon.environment.pop("WATCHDOG_USEC")
        wait_until(lambda: notify.poll("READY=1"), 20, "READY=1")
        wait_until(lambda: notify.poll("WATCHDOG=1"), 20, "WATCHDOG=1")
        wait_until(lambda: notify.poll("STATUS=idle"), 20, "STATUS=idle")

        answer = subprocess.run(["curl", "-sS", "--unix-socket", daemon.socket, "http://localhost/v1/status"],
                                capture_output=True, text=True, check=True).stdout
        check(json.loads(answer)["runs"] == [], answer)
        check(oct(os.stat(daemon.socket).st_mode & 0o777) == "0o660", "the socket's mode")

        run = started_run(daemon, f"file:{folder}/target.img?size=512MiB", "--profile", "burn-in", "--rate", "100MB")
        wait_until(lambda: notify.poll("STATUS=1 run"), 20, "STATUS with a run")
        wait_until(lambda: daemon.run_status(run)["written_bytes"] > 50_000_000, 20, "50 MB written")
        before = daemon.run_status(run)
        began = time.monotonic()
        check(daemon.stop() == 0, "SIGTERM did not end it well")
        took = time.monotonic() - began
        check(took < 20, f"SIGTERM took {took:.1f} s")
        check(notify.poll("STOPPING=1"), "no STOPPING=1")
        daemon.start()
        after = daemon.run_status(run)
        check(after["written_bytes"] >= before["written_bytes"], "bytes were forgotten over an orderly stop")
        check(after["state"] == "writing", after["state"])
        daemon.ctl("pause", run)
        wait_until(lambda: daemon.run_status(run)["state"] == "paused", 20, "paused")
        daemon.ctl("pause", run, check_code=2)
        daemon.stop()
        daemon.start()
        check(daemon.run_status(run)["state"] == "paused", "a paused run went on by itself")
        daemon.ctl("stop", run)
        check(daemon.wait_for_end(run, 20)["state"] == "stopped", "stop")
        print(f"SIGTERM came to rest in {took:.2f} s, and the run went on from where it was")


main()
