#!/usr/bin/env python3
"""Bad input gets one clear line, the documented exit code, and harms nothing."""
import os
import pathlib
import socket
import subprocess

from harness import BIN, Daemon, check, loop_device, scratch, started_run

USAGE, REFUSED, UNREACHABLE, INSUFFICIENT = 2, 3, 4, 5


def one_line(done, code, *words):
    text = done.stderr.strip()
    check(done.returncode == code, f"{done.args}: exit {done.returncode}, not {code}: {done.stdout}{text}")
    # Each reason to refuse a drive has a line of its own.
    lines = [line for line in text.split("\n") if not line.startswith("wearctl: refused: ")]
    check(text and len(lines) <= 1, f"{done.args}: not one line:\n{text}")
    for word in words:
        check(str(word) in text, f"{done.args}: does not say '{word}':\n{text}")


def targets(daemon, folder):
    """Targets that can't be, each with what the line must say."""
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "odd.img").write_bytes(bytes((1 << 20) + 100))
    (folder / "empty.img").touch()
    ctl = lambda *words: daemon.ctl("start", *words, check_code=None)
    one_line(ctl("/dev/does-not-exist"), UNREACHABLE, "/dev/does-not-exist")
    one_line(ctl(f"file:{folder}/missing.img"), UNREACHABLE, "size")
    one_line(ctl(f"file:{folder}/folder"), USAGE, "folder")
    one_line(ctl(f"file:{folder}/pipe"), USAGE, "pipe")
    one_line(ctl(f"file:{folder}/odd.img", "--confirm", f"{folder}/odd.img"), USAGE, "512")
    one_line(ctl(f"file:{folder}/empty.img", "--confirm", f"{folder}/empty.img"), USAGE, "empty.img")
    one_line(ctl(f"file:{folder}/new.img?size=0"), USAGE, "size")
    one_line(ctl(f"file:{folder}/new.img?size=1000"), USAGE, "512")
    one_line(ctl(f"file:{folder}/new.img?sise=1GiB"), USAGE, "sise")
    one_line(ctl("/dev/null"), USAGE, "/dev/null")
    one_line(ctl("sim:../x?size=64MiB"), USAGE)
    one_line(ctl("sim:x?size=64MiB&endurance=minus"), USAGE, "endurance")
    one_line(ctl("nonsense"), UNREACHABLE, "nonsense")
    one_line(ctl("sum:x"), UNREACHABLE, "sum:x")
    check(not (folder / "new.img").exists(), "a refused target was made all the same")


def options(daemon):
    sim = "sim:options?size=64MiB"
    for words, said in (
            (["--passes", "0"], "--passes"), (["--passes", "-3"], "--passes"), (["--passes", "many"], "many"),
            (["--for", "10"], "10"), (["--for", "soon"], "soon"), (["--tbw", "5XB"], "5XB"),
            (["--until", "doomsday"], "doomsday"), (["--rate", "1"], "--rate"), (["--range", "5..1"], "5..1"),
            (["--range", "0..1PiB"], "--range"), (["--profile", "brun-in"], "brun-in"), (["--seed", "x"], "--seed"),
            (["--on-finding", "cry"], "cry"), (["--until", "rating"], "rating")):
        one_line(daemon.ctl("start", sim, *words, check_code=None), USAGE, said)
    one_line(daemon.ctl("frobnicate", check_code=None), USAGE, "frobnicate")
    one_line(daemon.ctl("status", "77", check_code=None), USAGE, "77")
    one_line(daemon.ctl("start", sim, "--profile", "scan", check_code=None), INSUFFICIENT, "no run has written")
    check(not (daemon.state / "sim").exists() or not list((daemon.state / "sim").iterdir()),
          "a refused start left a simulated drive behind")


def files_of_others(daemon, folder):
    """A file that was there before is overwritten only when its path is typed."""
    path = folder / "precious.img"
    content = os.urandom(1 << 20)
    path.write_bytes(content)
    one_line(daemon.ctl("start", f"file:{path}", "--profile", "quick", check_code=None), REFUSED, path)
    one_line(daemon.ctl("start", f"file:{path}", "--confirm", "yes", check_code=None), REFUSED)
    check(path.read_bytes() == content, "a file was written to without consent")
    run = started_run(daemon, f"file:{path}", "--profile", "quick", "--confirm", path)
    check(daemon.wait_for_end(run, 30)["state"] == "finished", "the confirmed run did not finish")
    read_only = folder / "read-only.img"
    read_only.write_bytes(content)
    subprocess.run(["chattr", "+i", read_only], capture_output=True)
    try:
        done = daemon.ctl("start", f"file:{read_only}", "--confirm", read_only, check_code=None)
        if done.returncode != 0:
            one_line(done, REFUSED, read_only)
    finally:
        subprocess.run(["chattr", "-i", read_only], capture_output=True)


def two_on_one(daemon):
    run = started_run(daemon, "sim:one?size=64MiB", "--profile", "endurance", "--rate", "1MB")
    one_line(daemon.ctl("start", "sim:one?size=64MiB", check_code=None), REFUSED, f"run {run}")
    daemon.ctl("stop", run)
    daemon.wait_for_end(run, 20)
    one_line(daemon.ctl("pause", run, check_code=None), USAGE, "over")


def mounted(daemon, folder):
    """A loop device that is mounted is refused, and its file system is as it was."""
    with loop_device(folder, 64 << 20, name="mounted.img") as device:
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        place = folder / "mnt"
        place.mkdir()
        subprocess.run(["mount", device, place], check=True)
        try:
            (place / "file").write_text("precious")
            one_line(daemon.ctl("start", device, "--confirm", device, check_code=None), REFUSED, "mounted")
        finally:
            subprocess.run(["umount", place], check=True)
        one_line(daemon.ctl("start", device, "--confirm", device, check_code=None), REFUSED, "ext4", "--overwrite-signature")
        subprocess.run(["fsck.ext4", "-fn", device], check=True, capture_output=True)
        run = started_run(daemon, device, "--confirm", device, "--overwrite-signature", "--profile", "quick")
        check(daemon.wait_for_end(run, 30)["findings_total"] == 0, "findings on a good device")


def daemons(folder):
    """No daemon, a stale socket, a second daemon, a database that is none, a newer one, bad configuration."""
    place = folder / "other"
    place.mkdir()
    daemon = Daemon(place)
    one_line(daemon.ctl("status", check_code=None), UNREACHABLE, daemon.socket)
    daemon.socket.parent.mkdir()
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(daemon.socket))
    stale.close()
    one_line(daemon.ctl("status", check_code=None), UNREACHABLE, daemon.socket)
    with daemon:
        daemon.start()
        second = subprocess.run([BIN / "wearoutd", "--config", daemon.config], capture_output=True, text=True)
        check(second.returncode in (REFUSED, UNREACHABLE) and second.stderr.count("\n") == 1, second.stderr)
        check(daemon.answers(), "the first daemon is gone")
        check(daemon.stop() == 0, "SIGTERM did not end it well")
        check(not daemon.socket.exists(), "the socket is left behind")

    for content, said in ((b"this is no database" * 1000, "wearout.db"), (b"SQLite format 3\0" + bytes(5000), "wearout.db")):
        daemon.database.write_bytes(content)
        done = subprocess.run([BIN / "wearoutd", "--config", daemon.config], capture_output=True, text=True, timeout=20)
        one_line(done, UNREACHABLE, said)
        one_line(daemon.ctl("report", check_code=None), UNREACHABLE, said)
        check(daemon.database.read_bytes() == content, "a database that is none was written to")

    for text, said in (("colour = red\n", ":1: unknown key 'colour'"), ("\n# x\nsample-interval = often\n", ":3:"),
                       ("socket\n", ":1:"), ("smartctl = ../x\n", ":1:")):
        (place / "bad.conf").write_text(text)
        done = subprocess.run([BIN / "wearoutd", "--config", place / "bad.conf", "--check-config"],
                              capture_output=True, text=True)
        one_line(done, USAGE, f"{place / 'bad.conf'}{said}")
    one_line(subprocess.run([BIN / "wearoutd", "--config", place / "none.conf"], capture_output=True, text=True), USAGE,
             place / "none.conf")
    one_line(subprocess.run([BIN / "wearoutd", "--frobnicate"], capture_output=True, text=True), USAGE, "frobnicate")


def main():
    with scratch() as folder, Daemon(folder) as daemon:
        daemon.start()
        targets(daemon, folder)
        options(daemon)
        files_of_others(daemon, folder)
        two_on_one(daemon)
        daemons(folder)
        if os.geteuid() == 0 and pathlib.Path("/dev/loop-control").exists():
            mounted(daemon, folder)
        check(daemon.process.poll() is None, "the daemon did not outlive all that")
        print("every bad input got its line and its code, and harmed nothing")


main()
