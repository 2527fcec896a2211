#!/usr/bin/env python3
"""A viewer whose machine fails: full disks, captures that change under it, little memory, no descriptors, clients that leave, and calls
that fail. It answers rightly, or says in a sentence what is wrong; it never crashes, lies or leaves anything behind.

Usage: test_faults.py --hsdiff FILE [--faulty FILE] [--only CASE]
"""
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

import kit
from kit import check, same, wait_for

INSIDE = "HSD_INSIDE_NAMESPACE"
LONG = bool(os.environ.get("HSD_LONG"))


def can_mount():
    """Whether small file systems can be mounted without harm to anybody: starts this script again where they can."""
    if os.environ.get(INSIDE):
        return os.environ[INSIDE] == "1"
    probe = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=16k tmpfs /mnt"], capture_output=True, check=False)
    os.environ[INSIDE] = "1" if probe.returncode == 0 else "0"
    if probe.returncode == 0:
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    return False


def until_ended(viewer):
    return wait_for("the end of its work", lambda: (state := viewer.state())["phase"] != "working" and state)


def objects_of(viewer, side="after", types=6, each=4):
    """Ids of some objects, of the types that retain most."""
    names = [row["name"] for row in viewer.ask(f"/api/types?side={side}&count={types}")["types"]]
    nodes = [viewer.ask(f"/api/objects?side={side}&type={urllib.parse.quote(name)}&count={each}")["nodes"] for name in names]
    return [node["of"] for row in nodes for node in row]


def answers_of(viewer, objects=None):
    """What is compared: target -> JSON, the report as bytes."""
    targets = ["/api/types?side=after", "/api/types?side=before&order=name", "/api/dominated?side=after&of=all"]
    for one in objects or objects_of(viewer):
        targets += [f"/api/{what}?side=after&of={one}" for what in ("object", "referents", "referrers", "dominators", "path")]
    found = {target: viewer.ask(target) for target in targets}
    report = viewer.get("/api/report")
    same("the report", report.status, 200)
    return {**found, "/api/report": report.body}


# ---- disks


class Disk:
    def __init__(self, folder, kib):
        self.folder, self.kib = folder, kib
        folder.mkdir(exist_ok=True)

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.kib}k,mode=700", "tmpfs", str(self.folder)], check=True)
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.folder)], check=True)


def tells_of_a_full_disk(world):
    """While the heaps are walked, and while the index is built: then the report is there."""
    if not can_mount():
        return "cannot mount a small file system here"
    with world.view() as viewer:
        viewer.until_ready()
        good = answers_of(viewer)
    seen, kib = {}, 16
    while "ready" not in seen:
        with Disk(world.folder / "disk", kib) as folder:
            with world.view(world.before, world.after, "--temp-dir", folder) as viewer:
                state = until_ended(viewer)
                same(f"{kib} KiB: names of temporary data", os.listdir(folder), [])
                if state["phase"] == "ready":
                    same(f"{kib} KiB: answers", answers_of(viewer), good)
                    same("exit status", viewer.end(), 0)
                    seen["ready"] = kib
                else:
                    check("No space left" in state["error"]["error"], f"{kib} KiB: {state}")
                    viewer.ask("/api/types?side=after", expect=409)
                    seen["failed" if state["report"] is None else "report alone"] = kib
                    if state["report"]:
                        same(f"{kib} KiB: the report", viewer.get("/api/report").body, good["/api/report"])
                    same(f"{kib} KiB: exit status", viewer.end(), 4)
                    check("No space left" in viewer.stderr(), viewer.stderr())
            same(f"{kib} KiB: what is left", (os.listdir(folder), os.statvfs(folder).f_bfree), ([], os.statvfs(folder).f_blocks))
        kib += max(16, kib // 8)
    same("what was met", sorted(seen), ["failed", "ready", "report alone"])
    with Disk(world.folder / "disk", seen["failed"]) as folder:
        done = world.run("view", world.before, world.after, "--temp-dir", folder, expect=4)  # nobody has seen it: it ends at once
        check("No space left" in done.stderr, done.stderr)
    with Disk(world.folder / "disk", seen["report alone"]) as folder:
        with world.view(world.before, world.after, "--temp-dir", folder) as viewer:
            wait_for("the error", lambda: "No space left" in viewer.stderr())
            time.sleep(0.5)
            same("with something to show it stays", viewer.state()["report"], "diff")
            same("exit status", viewer.end(), 4)
    return ", ".join(f"{what} at {kib} KiB" for what, kib in seen.items())


# ---- captures that change


def survives_captures_that_change(world):
    """Objects are read from the capture as they are asked for."""
    capture = world.folder / "changing.hs"
    shutil.copy(world.after, capture)
    whole, other = capture.read_bytes(), world.before.read_bytes()
    middle = len(whole) // 2
    changes = {"emptied": b"", "shortened": whole[:middle], "overwritten": whole[:64] + bytes(len(whole) - 64),
               "another": other[:len(whole)] + bytes(max(0, len(whole) - len(other))),
               "flipped": bytes(byte ^ 1 for byte in whole)}

    def write(data):
        with open(capture, "r+b") as file:
            file.write(data)
            file.truncate()

    with world.view(world.before, capture) as viewer:
        viewer.until_ready()
        targets = [f"/api/object?side=after&of={one}" for one in objects_of(viewer)]
        good = {target: viewer.ask(target) for target in targets}
        for name, data in changes.items():
            write(data)
            failed = 0
            for target in targets:
                answer = viewer.get(target)
                check(answer.status in (200, 500), f"{name}: {target}: {answer.raw[:300]!r}")
                failed += answer.status == 500
                if answer.status == 500:
                    check("changing.hs: " in answer.json()["error"], f"{name}: {answer.body!r}")
                else:
                    same(f"{name}: {target}", answer.json(), good[target])
            check(failed > 0, f"{name}: no answer needed the capture")
            same(f"{name}: what needs the index alone", len(viewer.ask("/api/types?side=after&count=5")["types"]), 5)
            write(whole)
            same(f"{name}: as it was", {target: viewer.ask(target) for target in targets}, good)
        capture.unlink()
        same("removed", {target: viewer.ask(target) for target in targets}, good)
        same("exit status", viewer.end(), 0)
    return f"{len(changes)} changes, {len(targets)} objects"


# ---- memory, descriptors


def netlink_sockets():
    """The inodes of netlink sockets, by one of which the viewer is told whose a connection is; without one it reads a table."""
    with open("/proc/net/netlink", encoding="ascii") as table:
        return {f"socket:[{line.split()[9]}]" for line in list(table)[1:]}


def until_alone(viewer):
    """Its descriptors, when no client is connected any more."""
    def left():
        names = kit.descriptors(viewer.process.pid)
        netlink = netlink_sockets()
        return names if len([name for name in names if name.startswith("socket:") and name not in netlink]) == 1 else None
    return wait_for("the socket that listens alone", left)


def answers_the_same_with_little_memory(world):
    with world.view() as viewer:
        viewer.until_ready()
        objects = objects_of(viewer)
        good = answers_of(viewer, objects)
    with world.view(world.before, world.after, "--memory", "16M") as viewer:
        viewer.until_ready()
        same("answers", answers_of(viewer, objects), good)
        same("exit status", viewer.end(), 0)


def limit_descriptors(viewer, free):
    """Leaves so many numbers for new descriptors; the old limits."""
    until_alone(viewer)
    used = {int(name) for name in os.listdir(f"/proc/{viewer.process.pid}/fd")}
    limit = 0
    while free >= 0:
        free -= limit not in used
        limit += 1
    old = resource.prlimit(viewer.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(viewer.process.pid, resource.RLIMIT_NOFILE, (limit - 1, old[1]))
    return old


def survives_without_descriptors(world):
    with world.view() as viewer:
        viewer.until_ready()
        request = f"GET /api/state HTTP/1.1\r\nHost: {viewer.host}\r\nX-Hsdiff-Token: {viewer.token}\r\nConnection: close\r\n\r\n".encode()

        # One is left: the connection takes it. The kernel tells whose it is; it cannot be looked up in the table, and then gets nothing.
        is_told = bool(netlink_sockets() & set(until_alone(viewer)))
        old = limit_descriptors(viewer, 1)
        answer = kit.Answer(viewer.send(request))
        if is_told:
            same("one whom the kernel knows", (answer.status, b"phase" in answer.raw), (200, True))
        else:
            same("one of whom nothing is known", (answer.status, b"phase" in answer.raw), (503, False))
            check("descriptor" in answer.json()["error"], answer.raw)

        # None is left: connections wait, and are answered when there is one again.
        resource.prlimit(viewer.process.pid, resource.RLIMIT_NOFILE, old)
        limit_descriptors(viewer, 0)
        wires = [viewer.connect() for _ in range(20)]
        for wire in wires:
            wire.sendall(request)
        time.sleep(0.5)
        same("it lives", viewer.process.poll(), None)
        resource.prlimit(viewer.process.pid, resource.RLIMIT_NOFILE, old)
        for wire in wires:
            with wire, wire.makefile("rb") as file:
                same("behind the famine", kit.Answer(file.read()).status, 200)
        same("phase", viewer.state()["phase"], "ready")
        same("exit status", viewer.end(), 0)


# ---- clients


def slow_wire(viewer, target):
    """A connection that has asked, with a small window and small segments: neither end's buffers hold the page."""
    wire = socket.socket(socket.AF_INET)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    wire.settimeout(kit.PATIENCE)
    wire.connect(viewer.where)
    wire.sendall(f"GET {target} HTTP/1.1\r\nHost: {viewer.host}\r\nX-Hsdiff-Token: {viewer.token}\r\nConnection: close\r\n\r\n".encode())
    return wire


def survives_clients_that_leave(world):
    """In the middle of an answer, and of a request: nothing is kept of them."""
    with world.view() as viewer:
        viewer.until_ready()
        report, page = viewer.get("/api/report").raw, viewer.get("/").raw
        before = len(until_alone(viewer))
        for i in range(100):
            target = ["/api/report", "/"][i % 2]
            wire = slow_wire(viewer, target)
            if i % 3:
                check(wire.recv(200).startswith(b"HTTP/1.1 200"), "the beginning of an answer")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed with a reset
            wire.close()
        for _ in range(20):
            with viewer.connect() as wire:
                wire.sendall(b"GET /api/state HTTP/1.1\r\nHost: ")
        same("the report", viewer.get("/api/report").body, report.partition(b"\r\n\r\n")[2])
        same("the page", viewer.get("/").body, page.partition(b"\r\n\r\n")[2])
        same("its descriptors", len(until_alone(viewer)), before)
        same("exit status", viewer.end(), 0)


def waits_for_slow_readers(world):
    """Ten seconds are for a request. An answer takes as long as its reader."""
    with world.view() as viewer:
        viewer.until_ready()
        whole = viewer.get("/").body
        with slow_wire(viewer, "/") as wire:
            got, began = b"", time.monotonic()
            while time.monotonic() - began < 13 and len(got) < len(whole) // 2:
                got += wire.recv(len(whole) // 300)
                time.sleep(0.1)
            check(time.monotonic() - began >= 13, "it was not slow")
            while part := wire.recv(65536):
                got += part
        same("bytes", len(kit.Answer(got).body), len(whole))
        return f"{len(whole)} bytes"


# ---- calls that fail


class Sweep:
    """`hsdiff view` with one call that fails, and what may come of that."""

    def __init__(self, world):
        self.world = world
        self.temp = world.folder / "sweep"
        self.temp.mkdir()
        self.targets, self.good, self.struck = ["/api/types?side=after", "/api/dominated?side=after&of=all"], {}, 0

    def environment(self, faults):
        return {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":exitcode=99:allocator_may_return_null=1", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
                "TMPDIR": str(self.temp), **faults}

    def ask(self, viewer, target):
        """An answer, or status 0 where the connection failed."""
        try:
            return viewer.get(target)
        except OSError:
            return kit.Answer(b"")

    def until_told(self, viewer, what):
        """The phase at the end of the work; "gone" when it ended by itself, "unknown" when it has nothing left to tell it with."""
        until, unanswered = time.monotonic() + kit.PATIENCE, 0
        while time.monotonic() < until:
            if viewer.process.poll() is not None:
                return "gone"
            answer = self.ask(viewer, "/api/state")
            check(answer.status in (0, 200, 400, 500, 503), f"{what}: state: {answer.raw[:300]!r}")
            if answer.status == 200 and answer.json()["phase"] != "working":
                return answer.json()["phase"]
            unanswered = 0 if answer.status == 200 else unanswered + 1
            if unanswered == 50:
                return "unknown"
            time.sleep(0.02)
        raise kit.Failed(f"{what}: its work does not end")

    def check_answers(self, viewer):
        for target in self.targets:
            answer = self.ask(viewer, target)
            check(answer.status in (0, 200, 400, 500, 503), f"{target}: {answer.raw[:300]!r}")
            if answer.status == 200:
                same(target, answer.json(), self.good[target])

    def run(self, what, faults):
        viewer = kit.Viewer(self.world, self.world.before, self.world.after, environment=self.environment(faults), hsdiff=self.world.faulty)
        with viewer:
            phase = self.until_told(viewer, what) if viewer.address else "gone"
            if phase == "ready":
                self.check_answers(viewer)
            status = viewer.process.wait(kit.PATIENCE) if phase == "gone" else viewer.end()
            allowed = {"ready": (0,), "unknown": (0, 3, 4, -signal.SIGINT)}.get(phase, (3, 4))
            check(status in allowed, f"{what}: {phase}, exit status {status}: {viewer.stderr()[-2000:]}")
            check(status <= 0 or viewer.stderr(), f"{what}: exit status {status} without a word")
            same(f"{what}: what is left", os.listdir(self.temp), [])
            self.struck += phase != "ready"

    def prepare(self):
        """The right answers, and how often each kind of call comes."""
        counts = self.temp / "counts"
        with self.world.view(environment=self.environment({"HSD_FAULT_COUNT_FILE": str(counts)}), hsdiff=self.world.faulty) as viewer:
            viewer.until_ready()
            self.targets += [f"/api/object?side=after&of={one}" for one in objects_of(viewer, types=2, each=1)]
            self.good = {target: viewer.ask(target) for target in self.targets}
            same("exit status", viewer.end(), 0)
        found = {name: int(number) for name, number in map(str.split, counts.read_text().splitlines())}
        counts.unlink()
        return found


def points(count, sample):
    if LONG or count <= sample:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (sample - 1)) for i in range(sample)})


def survives_calls_that_fail(world):
    if not world.faulty:
        return "not with this build: it takes the command with the fault injector"
    sweep = Sweep(world)
    counts = sweep.prepare()
    tried = 0
    for family, error, sample in [("malloc", "", 16), ("pwrite", "ENOSPC", 8), ("pwrite", "SHORT", 3), ("pread", "EIO", 8), ("open", "EMFILE", 8),
                                  ("size", "ENOSPC", 4), ("stat", "EIO", 4), ("thread", "EAGAIN", 8), ("read", "EIO", 4), ("write", "EIO", 4)]:
        for at in points(counts[family], sample):
            for forever in (False, True):
                plan = {"HSD_FAULT_MALLOC_AT": str(at), **({"HSD_FAULT_MALLOC_FOREVER": "1"} if forever else {})} if family == "malloc" else \
                    {"HSD_FAULT_IO_CALL": family, "HSD_FAULT_IO_AT": str(at), "HSD_FAULT_ERRNO": error, **({"HSD_FAULT_IO_FOREVER": "1"} if forever else {})}
                sweep.run(f"{family} {error} at {at} of {counts[family]}{' and after' if forever else ''}", plan)
                tried += 1
    check(sweep.struck > 10, f"{sweep.struck} of {tried} faults were noticed: they do not reach it")
    return f"{tried} faults, {sweep.struck} of them ended the work"


if __name__ == "__main__":
    can_mount()
    kit.main({case.__name__: case for case in [
        tells_of_a_full_disk, survives_captures_that_change, answers_the_same_with_little_memory, survives_without_descriptors,
        survives_clients_that_leave, waits_for_slow_readers, survives_calls_that_fail]})
