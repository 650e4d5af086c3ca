#!/usr/bin/env python3
"""The unit is what systemd takes without a word, exposes little, and every message id is explained in the catalogue.
systemd_unit.py UNIT-FILE (whose ExecStart is there)"""
import pathlib
import re
import shutil
import subprocess
import sys

# systemd-analyze security: 0 is safe, 10 is not. A raw-disk tester keeps CAP_SYS_ADMIN and CAP_SYS_RAWIO.
THRESHOLD = 45
ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    unit = sys.argv[1]
    if not shutil.which("systemd-analyze"):
        print("skipped: no systemd-analyze")
        sys.exit(77)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    said = done.stdout + done.stderr
    # verify exits with 0 for unknown keys: nothing may be said at all.
    assert done.returncode == 0 and said.strip() == "", f"verify exits with {done.returncode} and says:\n{said}"
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={THRESHOLD}", unit],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"more exposed than {THRESHOLD / 10}:\n{done.stdout[-1500:]}{done.stderr}"
    print(done.stdout.strip().splitlines()[-1])

    ids = dict(re.findall(r'message_id_(\w+) = "([0-9a-f]{32})"', (ROOT / "daemon/service/log.h").read_text()))
    catalogue = (ROOT / "systemd/wearout.catalog").read_text()
    assert ids, "no message ids found"
    for name, number in ids.items():
        assert f"-- {number}\n" in catalogue, f"{name} is not in the catalogue"
    assert len(re.findall(r"^-- [0-9a-f]{32}$", catalogue, re.M)) == len(ids), "the catalogue has ids of nobody"
    print(f"{len(ids)} message ids are explained")


main()
