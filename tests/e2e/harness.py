"""What the end-to-end tests share: a daemon of their own in a temporary folder, loop devices that are detached
whatever happens, and plain checks. Standard library only; python3 of Debian 12."""
import atexit
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("WEAROUT_BIN", ROOT / "build/dev/bin")).resolve()
SKIP = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def need_root():
    if os.geteuid() != 0:
        skip("needs root")


def seeded():
    """A random generator whose seed is printed, and taken from $WEAROUT_SEED to play a failure again."""
    seed = int(os.environ.get("WEAROUT_SEED", random.SystemRandom().randrange(2**32)))
    print(f"seed {seed} (again with WEAROUT_SEED={seed})", flush=True)
    return random.Random(seed)


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait_until(condition, timeout, what):
    """Polls until condition() is true; its value."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < deadline, f"{what}: not within {timeout} s")
        time.sleep(0.02)


@contextlib.contextmanager
def scratch():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wearout-test-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def loop_device(folder, size, sector=512, name="disk.img"):
    """A loop device over a new sparse file of so many bytes; skips where there are none."""
    need_root()
    image = folder / name
    with open(image, "wb") as file:
        file.truncate(size)
    made = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", "--sector-size", str(sector), str(image)],
        capture_output=True, text=True)
    if made.returncode != 0:
        skip(f"no loop device here: {made.stderr.strip()}")
    device = made.stdout.strip()
    detach = lambda: subprocess.run(["losetup", "--detach", device], capture_output=True)
    atexit.register(detach)
    try:
        yield device
    finally:
        detach()
        atexit.unregister(detach)


class Daemon:
    """wearoutd in a folder of its own."""

    def __init__(self, folder, **settings):
        self.folder = pathlib.Path(folder)
        self.state = self.folder / "state"
        self.socket = self.folder / "run" / "control.sock"
        self.database = self.state / "wearout.db"
        self.log = self.folder / "wearoutd.log"
        self.config = self.folder / "wearoutd.conf"
        values = {"state-dir": self.state, "socket": self.socket, "smartctl": "/bin/false"}
        values |= {key.replace("_", "-"): value for key, value in settings.items()}
        self.config.write_text("".join(f"{key} = {value}\n" for key, value in values.items()))
        self.process = None
        self.environment = dict(os.environ)

    def start(self, wait=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([BIN / "wearoutd", "--config", self.config], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.environment)
        if wait:
            wait_until(self.answers, 20, f"the daemon answers (see {self.log}):\n{self.tail()}")
        return self

    def answers(self):
        check(self.process.poll() is None, f"the daemon ended with {self.process.returncode}:\n{self.tail()}")
        return self.ctl("status", check_code=None).returncode == 0

    def tail(self):
        return self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, timeout=30):
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def ctl(self, *words, check_code=0, stdin=subprocess.DEVNULL, timeout=120):
        done = subprocess.run([BIN / "wearctl", "--socket", self.socket, "--db", self.database, *map(str, words)],
                              capture_output=True, text=True, stdin=stdin, timeout=timeout)
        if check_code is not None:
            check(done.returncode == check_code,
                  f"wearctl {' '.join(map(str, words))}: exit {done.returncode}, not {check_code}\n"
                  f"{done.stdout}{done.stderr}\n{self.tail()}")
        return done

    def json(self, *words, check_code=0):
        return json.loads(self.ctl("--json", *words, check_code=check_code).stdout)

    def run_status(self, run):
        return self.json("status", run)

    def wait_for_end(self, run, timeout):
        over = ("finished", "stopped", "failed")
        return wait_until(lambda: (s := self.run_status(run))["state"] in over and s, timeout, f"run {run} ends")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.tail())
        if self.process is not None and self.process.poll() is None:
            self.kill()


def started_run(daemon, *words):
    """Starts a run; its id."""
    return daemon.json("start", *words)["id"]
