#!/usr/bin/env python3
"""The package on a whole machine: Debian's kernel, systemd and udev, with NVMe, SATA and SCSI drives that answer SMART.
machine_test.py IMAGE-FOLDER PACKAGE.deb"""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time

from vm import Vm, disk

MIB = 1 << 20
NVME = 96 * MIB


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Guest:
    """wearctl in the virtual machine."""

    def __init__(self, vm):
        self.vm = vm

    def ctl(self, words, code=0):
        # What it says beside its answer is shown only when the exit code is another.
        return self.vm.sh(f"wearctl {words} 2>/tmp/said; code=$?; [ $code = {code} ] || cat /tmp/said; exit $code", code)

    def json(self, words, code=0):
        return json.loads(self.ctl(f"--json {words}", code))

    def start(self, words):
        return self.json(f"start {words}")["id"]

    def status(self, run):
        return self.json(f"status {run}")

    def wait_for(self, run, states, timeout=180):
        deadline = time.monotonic() + timeout
        while (status := self.status(run))["state"] not in states:
            check(time.monotonic() < deadline, f"run {run} is {status['state']} ({status['reason']}), not {states}")
            time.sleep(0.5)
        return status


def devices(folder):
    nvme = lambda number: ["-device", f"pcie-root-port,id=rp{number},slot={number},chassis={number}"]
    return [
        *disk(folder, "nvme", NVME), *nvme(1), *nvme(2), *nvme(3),
        "-device", "nvme,id=nv0,serial=NVME0001,drive=nvme,bus=rp1,mdts=7",
        *disk(folder, "big", 64 * MIB), "-device", "nvme,id=nv1,serial=NVME0002,bus=rp2,use-intel-id=on",
        "-device", "nvme-ns,drive=big,bus=nv1,nsid=1,logical_block_size=4096,physical_block_size=4096",
        *disk(folder, "stranger", NVME),
        *disk(folder, "sata", 40 * MIB + 3 * 512),
        "-device", "ide-hd,drive=sata,bus=ide.0,serial=SATA0001,model=QSATA,wwn=0x5000c50000000001,rotation_rate=1",
        *disk(folder, "scsi", 40 * MIB), "-device", "virtio-scsi-pci,id=vs0",
        "-device", "scsi-hd,drive=scsi,bus=vs0.0,serial=SCSI0001,wwn=0x5000c50000000002",
    ]


def the_service(guest):
    vm = guest.vm
    vm.sh("dpkg -i /host/wearout.deb")
    vm.sh("systemctl start wearoutd && systemctl is-active wearoutd")
    check("wearout" in vm.sh("getent group wearout"), "no group")
    check("660" in vm.sh("stat -c '%a %G' /run/wearout/control.sock"), "the socket's mode")
    # The watchdog ends a daemon that hangs, and systemd starts it again.
    vm.sh("mkdir -p /run/systemd/system/wearoutd.service.d && "
          "printf '[Service]\\nWatchdogSec=3\\n' >/run/systemd/system/wearoutd.service.d/w.conf && "
          "systemctl daemon-reload && systemctl restart wearoutd")
    vm.sh("kill -STOP $(systemctl show -P MainPID wearoutd)")
    vm.sh("for i in $(seq 60); do [ $(systemctl show -P NRestarts wearoutd) -ge 1 ] && "
          "systemctl is-active -q wearoutd && exit 0; sleep 0.5; done; systemctl status wearoutd; exit 1")
    vm.sh("rm /run/systemd/system/wearoutd.service.d/w.conf; systemctl daemon-reload; systemctl restart wearoutd")


def the_journal(guest):
    """A drive that retires blocks is an entry of its own in the journal, which the catalogue explains."""
    guest.ctl("start 'sim:vm?size=16MiB&endurance=10' --profile endurance --wait")
    header = pathlib.Path(__file__).resolve().parents[2] / "daemon/service/log.h"
    number = re.search(r'message_id_retired_blocks = "([0-9a-f]{32})"', header.read_text())[1]
    entry = json.loads(guest.vm.sh(f"journalctl MESSAGE_ID={number} -o json -n 1 --no-pager"))
    check(entry["WEAROUT_DRIVE"] == "sim:vm" and int(entry["WEAROUT_VALUE"]) > int(entry["WEAROUT_BASELINE"]), f"{entry}")
    check(entry["PRIORITY"] == "4", "not a warning")
    explained = guest.vm.sh(f"journalctl MESSAGE_ID={number} -x -n 1 --no-pager")
    check("Retired blocks grow on a drive under test" in explained, f"no catalogue entry:\n{explained}")
    alerts = guest.json("alerts")["alerts"]
    check(len(alerts) == 1 and alerts[0]["rule"] == "retired-block-growth", f"{alerts}")


def the_drives(guest):
    drives = {drive["serial"]: drive for drive in guest.json("drives")["drives"]}
    for serial in ("NVME0001", "NVME0002", "SATA0001", "SCSI0001"):
        check(serial in drives, f"{serial} is not among {sorted(drives)}")
        check(drives[serial]["reasons"] == [], f"{serial} is refused: {drives[serial]['reasons']}")
        check(drives[serial]["by_id"], f"{serial} has no by-id name")
    check(drives["NVME0002"]["logical_block_bytes"] == 4096, "4096-byte blocks")
    root = next(drive for drive in guest.json("drives")["drives"] if drive["path"] == "/dev/vda")
    check(any("/" in reason for reason in root["reasons"]), f"the root drive is free: {root}")
    guest.ctl("start /dev/vda --confirm /dev/vda", code=3)
    guest.ctl("start /dev/nvme0n1 --confirm WRONG0001", code=3)
    return drives


def every_kind(guest, drives):
    """A quick run on each kind of drive passes, and what the NVMe drive counts is what was written."""
    # A data unit counter at 0 means "not reported" (NVMe base specification, SMART / Health Information log).
    guest.vm.sh(f"dd if=/dev/urandom of=/dev/disk/by-id/{drives['NVME0002']['by_id']} bs=1M count=2 oflag=direct && "
                "udevadm settle")
    for serial in ("SATA0001", "SCSI0001", "NVME0002"):
        run = guest.start(f"/dev/disk/by-id/{drives[serial]['by_id']} --profile quick --confirm {serial}")
        status = guest.wait_for(run, ("finished", "failed"))
        check(status["state"] == "finished" and status["findings_total"] == 0, f"{serial}: {status}")
        check(status["verified_bytes"] == drives[serial]["capacity_bytes"], f"{serial}: not every byte verified")
    report = guest.json(f"report {run}")
    wear = report["wear"]["host_bytes_written"]
    counted = wear["last"] - wear["first"]
    written = report["tbw"]["written_bytes"]
    # A data unit is 512,000 bytes, rounded up.
    check(abs(counted - written) <= 2 * 512_000, f"the drive counts {counted}, we wrote {written}")
    check("temperature_c" in report["wear"], "no temperature")


def nvme_logs(guest, drives):
    """A drive that keeps none of the logs that the catalogue names for its maker is asked for them once."""
    vm, program = guest.vm, "/usr/libexec/wearout/wearout-nvme-logs"
    plain, maker = (f"/dev/disk/by-id/{drives[serial]['by_id']}" for serial in ("NVME0001", "NVME0002"))
    plans = [vm.sh(f"{program} plan {drive}").splitlines() for drive in (plain, maker)]
    check(plans == [["nvme-pci 1b36:0010"], ["nvme-pci 8086:5845", "request ca:0:0:512"]], f"planned: {plans}")
    logs = vm.sh(f"{program} read {plain} ca:0:0:512 02:0:0:512")
    check(re.fullmatch("refused ca:0:0:512\nnvme-log 0x02 0 [0-9a-f]{1024}", logs.strip()), f"read: {logs}")
    vm.sh(f"mv {program} {program}.real && printf '#!/bin/sh\necho \"$1 $3\" >>/run/wearout/calls; "
          f"exec {program}.real \"$@\"\n' >{program} && chmod +x {program}")
    run = guest.start(f"{maker} --profile quick --confirm NVME0002")
    check(guest.wait_for(run, ("finished", "failed"))["findings_total"] == 0, "findings")
    calls = vm.sh("cat /run/wearout/calls").splitlines()
    check(calls == ["plan ", "read ca:0:0:512"], f"asked: {calls}")
    check("NVMe log" not in vm.sh("journalctl -u wearoutd --no-pager"), "the logs are a problem")
    vm.sh(f"mv {program}.real {program}")


def killed(guest, path):
    run = guest.start(f"{path} --profile burn-in --passes 2 --rate 30MB --confirm NVME0001")
    for _ in range(3):
        time.sleep(1)
        guest.vm.sh("systemctl kill -s KILL wearoutd; sleep 1; for i in $(seq 40); do "
                    "systemctl is-active -q wearoutd && wearctl status >/dev/null 2>&1 && exit 0; sleep 0.2; done; exit 1")
        check(guest.status(run)["state"] in ("writing", "verifying"), "the run did not go on")
    return run


def unplugged(guest, run):
    """The drive is pulled out under load: no finding. A stranger in its slot is left alone. Back, the run goes on."""
    vm = guest.vm
    vm.unplug("nv0")
    waiting = guest.wait_for(run, ("waiting-drive",), 60)
    check(waiting["findings_total"] == 0, f"a drive that is gone became a finding: {waiting['findings']}")
    vm.qmp("device_add", driver="nvme", id="nv9", serial="STRANGER1", drive="stranger", bus="rp1")
    vm.sh("for i in $(seq 50); do grep -q STRANGER1 /sys/block/nvme*/device/serial && exit 0; sleep 0.2; done; exit 1")
    time.sleep(5)
    check(guest.status(run)["state"] == "waiting-drive", "the run went on on a stranger")
    device = vm.sh("grep -l STRANGER1 /sys/block/nvme*/device/serial | cut -d/ -f4").strip()
    vm.sh(f"cmp -n {NVME} /dev/{device} /dev/zero")
    # The run's own drive comes back in another slot, and so under another name.
    vm.qmp("device_add", driver="nvme", id="nv0", serial="NVME0001", drive="nvme", bus="rp3")
    end = guest.wait_for(run, ("finished", "failed"))
    check(end["state"] == "finished" and end["findings_total"] == 0, f"{end['state']}: {end['findings']}")
    vm.sh(f"cmp -n {NVME} /dev/{device} /dev/zero")
    vm.unplug("nv9")


def broken(guest, path):
    """A latent sector error: a finding at its place, and the run goes on."""
    sector = 77 * 2048 + 8
    guest.vm.inject("nvme", [{"event": "none", "iotype": "read", "sector": sector, "errno": 5}])
    run = guest.start(f"{path} --profile scan")
    end = guest.wait_for(run, ("finished", "failed"))
    guest.vm.inject("nvme", [])
    findings = guest.json(f"findings {run}", code=1)["findings"]
    check(end["state"] == "finished", f"{end['state']}: {end['reason']}")
    check([(f["class"], f["lba"], f["sectors"]) for f in findings] == [("read-error", sector, 1)],
          f"not one unreadable sector at LBA {sector}: {findings}")
    guest.ctl(f"report {run}", code=1)


def main():
    image, package = sys.argv[1:]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wearout-vm-"))
    try:
        share = folder / "share"
        share.mkdir()
        shutil.copy(package, share / "wearout.deb")
        began = time.monotonic()
        with Vm(image, folder, share, devices(folder)) as vm:
            print(f"booted in {time.monotonic() - began:.1f} s", flush=True)
            guest = Guest(vm)
            the_service(guest)
            print("the package installs, systemd sees it ready, and its watchdog works", flush=True)
            the_journal(guest)
            print("retired blocks are told in the journal and by wearctl alerts", flush=True)
            drives = the_drives(guest)
            every_kind(guest, drives)
            print("NVMe, SATA and SCSI drives pass; the NVMe drive counts what was written", flush=True)
            nvme_logs(guest, drives)
            print("NVMe logs are asked for in the service's sandbox, and once where the drive refuses", flush=True)
            path = f"/dev/disk/by-id/{drives['NVME0001']['by_id']}"
            run = killed(guest, path)
            unplugged(guest, run)
            print("killed, pulled out, a stranger in the slot, back under another name: no finding", flush=True)
            broken(guest, path)
            print("an unreadable sector is found in its place", flush=True)
            print(vm.sh("systemctl stop wearoutd; journalctl -u wearoutd --no-pager | tail -n 40"))
        print(f"all in {time.monotonic() - began:.0f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
