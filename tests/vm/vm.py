"""A virtual machine with real block devices for the tests: boots what build_image made, runs commands in it, and
plugs, unplugs and breaks its drives through QMP. QEMU in software emulation, since KVM is not everywhere."""
import base64
import json
import os
import pathlib
import socket
import subprocess
import time


class Qmp:
    """QEMU's monitor."""

    def __init__(self, connection):
        connection.settimeout(60)
        self.lines = connection.makefile("rw")
        self.events = []
        self.lines.readline()
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        names = {key.rstrip("_").replace("_", "-"): value for key, value in arguments.items()}
        self.lines.write(json.dumps({"execute": command, "arguments": names}) + "\n")
        self.lines.flush()
        while True:
            answer = json.loads(self.lines.readline())
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def wait_for(self, event, device):
        """Until the event came for the device."""
        def matches(one):
            return one.get("event") == event and one.get("data", {}).get("device") == device
        while not any(map(matches, self.events)):
            self.events.append(json.loads(self.lines.readline()))
        self.events = [one for one in self.events if not matches(one)]


class Vm:
    def __init__(self, image, folder, share, devices=()):
        """image: folder that build_image filled; folder: scratch; share: what the guest sees as /host."""
        self.folder = pathlib.Path(folder)
        image = pathlib.Path(image)
        self.counter = 0
        self.rules = {}
        arguments = [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
            "-kernel", image / "vmlinux", "-initrd", image / "initrd",
            "-append", "console=ttyS0 panic=-1 mitigations=off apparmor=0 selinux=0 audit=0 nowatchdog "
                       "rcupdate.rcu_expedited=1 systemd.show_status=no",
            "-serial", f"file:{self.folder}/console.log", "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-drive", f"file={image}/root.img,if=none,id=root,format=raw,snapshot=on",
            "-device", "virtio-blk-pci,drive=root",
            "-fsdev", f"local,id=host,path={share},security_model=none,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={self.folder}/agent,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent", *devices]
        self.process = subprocess.Popen(list(map(str, arguments)), stderr=open(self.folder / "qemu.err", "w"))
        try:
            self.connect()
        except BaseException:
            self.kill()
            for log in sorted(self.folder.glob("*.err")) + sorted(self.folder.glob("*.log")):
                print(log.read_text(errors="replace")[-2000:])
            raise

    def connect(self):
        self.qmp = Qmp(self.connected("qmp"))
        self.socket = self.connected("agent")
        self.socket.settimeout(240)
        self.answers = self.socket.makefile("r", errors="replace")
        while self.answers.readline().strip() != "READY":
            if self.process.poll() is not None:
                raise RuntimeError("the guest ended while it booted")

    def connected(self, name):
        """A connection to one of QEMU's sockets, as soon as it listens."""
        deadline = time.monotonic() + 20
        while True:
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(self.folder / name))
                return connection
            except OSError as error:
                connection.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("QEMU does not start") from error
                time.sleep(0.05)

    def run(self, command, timeout=120):
        """Runs a shell command in the guest: (exit code, output)."""
        self.counter += 1
        mark = f"@@{self.counter}"
        self.socket.settimeout(timeout)
        self.socket.sendall(f"{mark} {base64.b64encode(command.encode()).decode()}\n".encode())
        output = []
        while True:
            line = self.answers.readline()
            if not line:
                raise EOFError(f"the guest is gone during: {command}")
            if line.startswith(f"{mark} rc="):
                return int(line.split("=")[1]), "".join(output)
            output.append(line)

    def sh(self, command, code=0, timeout=120):
        """The same, and the exit code must be this one; the output."""
        got, output = self.run(command, timeout)
        if got != code:
            raise AssertionError(f"in the guest: {command}: exit {got}, not {code}\n{output}")
        return output

    def inject(self, node, errors):
        """Makes a drive's block node fail as blkdebug's inject-error rules say; none: heals it. The node must be the
        raw node over a file node "f-NODE"."""
        file = f"f-{node}"
        below = file
        if errors:
            self.counter += 1
            below = f"debug{self.counter}"
            self.qmp("blockdev-add", driver="blkdebug", node_name=below, image=file, inject_error=errors)
        self.qmp("blockdev-reopen", options=[{"driver": "raw", "node-name": node, "file": below}])
        previous = self.rules.pop(node, None)
        if previous:
            self.qmp("blockdev-del", node_name=previous)
        if errors:
            self.rules[node] = below

    def unplug(self, device):
        self.qmp("device_del", id=device)
        self.qmp.wait_for("DEVICE_DELETED", device)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def disk(folder, name, size):
    """A disk image and QEMU's block nodes over it: raw node NAME over file node f-NAME."""
    path = pathlib.Path(folder) / f"{name}.img"
    with open(path, "wb") as file:
        file.truncate(size)
    return ["-blockdev", f"driver=file,node-name=f-{name},filename={path},discard=unmap",
            "-blockdev", f"driver=raw,node-name={name},file=f-{name}"]
