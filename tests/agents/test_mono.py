#!/usr/bin/env python3
"""The Mono agent in real programs under load. Each case below says what it holds against what; HSD_LONG=1 adds the large heaps and
more aborted captures."""
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import kit
from kit import check, row, say, wait_until

LONG = bool(os.environ.get("HSD_LONG"))
MIB = 1 << 20
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-mono-")


def program_file():
    path = pathlib.Path(BUILT.name) / "mono_leak.exe"
    if not path.exists():
        kit.need("mono", "mcs")
        subprocess.run(["mcs", "-optimize+", f"-out:{path}", str(kit.HERE / "programs" / "mono_leak.cs")], check=True, capture_output=True)
    return path


def start(tool, profile=True, wrap=(), environment=None):
    """The program with the agent, as `hsdiff capture -- mono …` would start it."""
    if not (pathlib.Path(tool.agents) / "libmono-profiler-hsdiff.so").exists():
        kit.skip("the agent for Mono was not built")
    more = {"LD_LIBRARY_PATH": tool.agents, **(environment or {})}
    if profile:
        more["MONO_ENV_OPTIONS"] = "--profile=hsdiff"
    return kit.Program([*wrap, "mono", str(program_file())], more)


def number(tool, capture, name):
    """The value of a metric."""
    found = re.search(rf'^metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout, re.M)
    check(found, f"no metric {name}")
    return int(found[1])


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


# ---- what a capture says

def leak(tool, folder):
    """Types, roots, holders and counts of what was planted between two captures."""
    with start(tool) as program:
        program.leak(2000)
        tool.capture(program.pid, folder / "a.hs")
        program.leak(500)
        program.tell("large 7")
        same("large", program.expect("leaked"), "7")
        tool.capture(program.pid, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    session = row(diff["types"], "type", "Shop.Session")
    same("sessions before", session["before"]["objects"], 2000)
    same("sessions after", session["after"]["objects"], 2500)
    same("sessions new", session["new"]["objects"], 500)
    same("sessions freed", session["freed"]["objects"], 0)
    same("bytes of a session", session["growth"]["bytes"], 500 * 56)
    root = row(diff["roots"], "root", "static Shop.Cache.sessions")
    # session, name, data, note, tag
    same("objects under the list", root["growth"]["objects"], 500 * 5)
    blobs = row(diff["roots"], "root", "static Shop.Cache.blobs")
    check(blobs["growth"]["bytes"] >= 7 * 100000, f"blobs grew by {blobs['growth']}")
    holder = [h for h in diff["holders"] if h["root"] == "static Shop.Cache.sessions"]
    check(holder and holder[0]["type"] == "System.Collections.Generic.List<Shop.Session>", f"holder {holder}")
    listing = tool.run("dump", folder / "b.hs").stdout
    for label in ('"data"', '"name"', '"Note"', '"slot.tag"', '"_items"', '"static Shop.Cache.slot.tag"', '"load 1"', '"thread \\"load 1\\""',
                  '"thread statics of thread \\"load 1\\""'):
        check(label in listing, f"{label} is no name of the capture")
    for name in ("Shop.Pair<Shop.Tag, Shop.Session[]>", "Shop.Cache.Nested", "Shop.Tag[,]", "System.Byte[]"):
        check(f'"{name}"' in listing or f'"{name.replace(", ", ",")}"' in listing or f'"{name.replace("Cache.", "Cache/")}"' in listing,
              f"{name} is no type of the capture")
    same("losses", tool.info(folder / "b.hs")["losses"], [])
    check(number(tool, folder / "b.hs", "heap.large") >= 7 * 100000, "heap.large")
    for metric in ("heap.used", "heap.committed", "heap.young", "gc.count", "capture.pause", "process.rss", "threads"):
        number(tool, folder / "b.hs", metric)


def paths(tool, folder):
    """The way to a planted object, with the names of fields."""
    with start(tool) as program:
        program.leak(3)
        tool.capture(program.pid, folder / "a.hs")
        program.quit()
    text = tool.run("paths", folder / "a.hs", "Shop.Session").stdout
    check("static Shop.Cache.sessions" in text and "_items" in text, text)
    text = tool.run("paths", folder / "a.hs", "Shop.Badge").stdout  # attached by a ConditionalWeakTable: the key holds it
    check("static Shop.Cache.wearer" in text and "<attached>" in text, text)


# ---- objects that move

def identity(tool, folder):
    """Full collections that move objects between two captures, and the nursery: no object of ours is new or gone. The collector takes any
    word of a stack for a reference, so one of those that died may seem to live for a while; an id that is lost makes one new and one gone."""
    with start(tool) as program:
        program.leak(1000)
        program.tell("large 5")
        program.expect("leaked")
        program.tell("shuffle")
        program.expect("shuffled")
        tool.capture(program.pid, folder / "0.hs")
        for i in range(1, 6):
            program.tell("still")
            program.expect("shuffled")
            tool.capture(program.pid, folder / f"{i}.hs")
        program.quit()
    for before, after in ((0, 1), (1, 2), (0, 5), (2, 5)):
        diff = tool.diff(folder / f"{before}.hs", folder / f"{after}.hs")
        for name in ("Shop.Session", "Shop.Tag", "Shop.Local", "Shop.Tag[,]", "Shop.Session[]", "System.Int32[]"):
            kind = row(diff["types"], "type", name)
            check(kind, f"no {name}")
            new, freed = kind["new"]["objects"], kind["freed"]["objects"]
            check(min(new, freed) == 0 and max(new, freed) <= 2, f"{name} {before}-{after}: {new} new, {freed} freed")
        for name in ("static Shop.Cache.sessions", "static Shop.Cache.blobs"):
            root = row(diff["roots"], "root", name)
            same(f"{name} new", (root or {"new": {"objects": 0}})["new"]["objects"], 0)


def ask(pid, request):
    """A connection to the agent that has asked, past its answer line."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(60)
    connection.connect(f"\0hsdiff/1/mono/{pid}")
    connection.sendall(f"hsdiff 1 {request}\n".encode())
    answer = b""
    while not answer.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            break
        answer += byte
    return connection, answer.decode()


def read_all(connection):
    parts = []
    while part := connection.recv(1 << 20):
        parts.append(part)
    connection.close()
    return b"".join(parts)


def save(pid, path, request):
    connection, answer = ask(pid, request)
    same("answer", answer, "ok\n")
    path.write_bytes(read_all(connection))


def options(tool, folder):
    """ids=address keeps nothing and says so; what was forgotten is not compared with what came later."""
    with start(tool) as program:
        program.leak(100)
        save(program.pid, folder / "a.hs", "capture ids=address")
        save(program.pid, folder / "b.hs", "capture compression=0")
        connection, answer = ask(program.pid, "forget")
        same("forget", answer, "ok\n")
        connection.close()
        save(program.pid, folder / "c.hs", "capture")
        program.quit()
    same("identity", tool.info(folder / "a.hs")["identity"], "address")
    same("identity", tool.info(folder / "b.hs")["identity"], "exact")
    domains = set()
    for name in "abc":
        tool.run("verify", folder / f"{name}.hs")
        domains.add(tool.info(folder / f"{name}.hs")["domain"])
    check(len(domains) >= 2, "the domain outlived what it stands for")


# ---- what goes wrong

def state(pid):
    """What may not pile up in the target: descriptors, threads, address space in MiB."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")), int(file.read().split()[0]) * 4096 // MIB


def abort_once(pid, rng):
    connection, answer = ask(pid, "capture compression=0")
    check(answer == "ok\n", f"answer {answer!r}")
    left = rng.choice((0, 1, 100, 10_000, 300_000))
    while left > 0:
        part = connection.recv(min(left, 1 << 16))
        if not part:
            break
        left -= len(part)
    connection.close()


def aborted(tool, folder):
    """Captures whose reader goes away, or is killed: the program works on, and nothing piles up in it."""
    rng = random.Random(5)
    with start(tool) as program:
        program.leak(20_000)
        tool.capture(program.pid, folder / "a.hs")
        abort_once(program.pid, rng)
        time.sleep(0.5)
        before = state(program.pid)
        for i in range(kit.ABORTS):
            if i % 4 != 0:
                abort_once(program.pid, rng)
                continue
            client = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "cut.hs")], env=tool.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * 0.2)
            client.kill()
            client.wait()
            (folder / "cut.hs").unlink(missing_ok=True)  # it was quicker than its killer
        same("still leaks", program.leak(10), 20_010)
        same("left behind", sorted(p.name for p in folder.iterdir()), ["a.hs"])
        tool.capture(program.pid, folder / "b.hs")
        allowed = before[0], before[1] + 2, before[2] + 48
        # its end of the last connection goes a moment after ours
        wait_until(f"more than {allowed} are left", lambda: all(now <= most for now, most in zip(state(program.pid), allowed)))
        program.quit()
    kind = row(tool.diff(folder / "a.hs", folder / "b.hs")["types"], "type", "Shop.Session")
    same("new over aborted captures", kind["new"]["objects"], 10)
    same("freed over aborted captures", kind["freed"]["objects"], 0)


def killed(tool, folder):
    """The target is killed in the middle: the capture is refused as cut off, and no file is there."""
    rng = random.Random(6)
    cut = 0
    for _ in range(100 if LONG else 8):
        with start(tool) as program:
            program.leak(30_000)
            client = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "x.hs")], env=tool.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(rng.random() * 0.15)
            program.process.send_signal(signal.SIGKILL)
            _, notes = client.communicate(timeout=60)
            if client.returncode == 0:
                tool.run("verify", folder / "x.hs")
                (folder / "x.hs").unlink()
            else:
                cut += 1
                check(notes.strip(), "no word about why")
            same("left behind", list(folder.iterdir()), [])
    check(cut > 0, "no capture was cut")


def stuck(tool, folder):
    """A reader that does not read holds up the program no longer than the agent says, and other requests wait in line."""
    with start(tool) as program:
        program.leak(50_000)
        connection, answer = ask(program.pid, "capture compression=0")
        same("answer", answer, "ok\n")
        time.sleep(1)
        connection.close()
        tool.capture(program.pid, folder / "a.hs")
        same("still leaks", program.leak(1), 50_001)
        program.quit()


def late(tool, folder):
    """Loaded by the program itself: a complete heap, and the capture says which roots have no names."""
    with start(tool, profile=False) as program:
        refused = tool.run("capture", program.pid, "-o", folder / "x.hs", "--way", "mono", expect=None)
        check(refused.returncode != 0 and "capture --" in refused.stderr, refused.stderr)
        program.leak(700)
        program.tell("late")
        program.expect("loaded")
        tool.capture(program.pid, folder / "a.hs")
        program.quit()
    losses = str(tool.info(folder / "a.hs")["losses"])
    check("names of roots registered before the agent was loaded" in losses, f"no word about what is not known: {losses}")
    total = [line for line in tool.run("top", folder / "a.hs", "--top", "all").stdout.splitlines() if line.startswith("Shop.Session ")]
    check(total and " 700 " in total[0] + " ", f"{total}")


def started(tool, folder):
    """hsdiff capture -- mono … brings the agent in by itself."""
    command = [tool.path, "capture", "--after", "1s", "--count", "1", "-o", str(folder / "a.hs"), "--", "mono", str(program_file())]
    program = subprocess.Popen(command, env=tool.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    wait_until("no capture", lambda: list(folder.glob("a*.hs")), 60)
    out, _ = program.communicate("quit\n", timeout=60)
    found = list(folder.glob("a*.hs"))
    check(len(found) == 1, out)
    tool.run("verify", found[0])


# ---- large heaps

CGROUP = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"


class Cgroup:
    """A memory cgroup of our own (v1 or v2); `folder` is None where none can be made."""

    def __init__(self):
        self.folder = os.path.join(CGROUP, f"hsdiff-mono-{os.getpid()}")
        self.is_old = CGROUP.endswith("memory")
        try:
            os.mkdir(self.folder)
        except OSError:
            self.folder = None

    def _file(self, old, new):
        return os.path.join(self.folder, old if self.is_old else new)

    def wrap(self):
        return ("sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh") if self.folder else ()

    def used(self):
        with open(self._file("memory.usage_in_bytes", "memory.current"), encoding="ascii") as file:
            return int(file.read())

    def limit(self, size):
        with open(self._file("memory.limit_in_bytes", "memory.max"), "w", encoding="ascii") as file:
            file.write(str(size))

    def close(self):
        if self.folder:
            os.rmdir(self.folder)


def rss(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def peak_while(pid, action):
    """Greatest growth of the resident set during the action, and its seconds."""
    first, most, is_over = rss(pid), 0, threading.Event()

    def watch():
        nonlocal most
        while not is_over.is_set():
            try:
                most = max(most, rss(pid) - first)
            except OSError:
                return
            time.sleep(0.005)
    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.monotonic()
    try:
        action()
    finally:
        is_over.set()
        watcher.join()
    return most, time.monotonic() - begun


def near_the_limit(tool, folder):
    """2 GiB of heap (64 MiB where HSD_LONG is not set) in a cgroup with 64 MiB to spare: captured three times, and not killed."""
    size = 2048 if LONG else 64
    group = Cgroup()
    if group.folder is None:
        say("  no memory cgroup can be made: the limit is not tried")
        return
    try:
        with start(tool, wrap=group.wrap()) as program:
            program.tell(f"heap {size}")
            built = int(program.expect("built", 300))
            group.limit(group.used() + 64 * MIB)
            for i in range(3):
                grown, seconds = peak_while(program.pid, lambda name=f"{i}.hs": tool.capture(program.pid, folder / name, timeout=300))
                say(f"  {size} MiB, {built:,} objects: {grown / MIB:.1f} MiB more resident, {seconds:.1f} s, "
                    f"pause {number(tool, folder / f'{i}.hs', 'capture.pause') / 1e9:.2f} s, {os.path.getsize(folder / f'{i}.hs') / MIB:.0f} MiB")
                program.leak(10)
            program.quit()
        answer = tool.run(folder / "0.hs", folder / "2.hs", "--format", "json", "--no-holders", "--memory", "4G", timeout=1800).stdout
        grain = row(json.loads(answer)["types"], "type", "Shop.Grain")
        same("new", grain.get("new", {"objects": 0})["objects"], 0)
    finally:
        group.close()


def large(tool, folder):
    """4 GiB in less than a minute."""
    size = 4096 if LONG else 128
    with start(tool) as program:
        program.tell(f"heap {size}")
        built = int(program.expect("built", 300))
        grown, seconds = peak_while(program.pid, lambda: tool.capture(program.pid, folder / "a.hs", timeout=300))
        say(f"  {size} MiB, {built:,} objects: {seconds:.1f} s, pause {number(tool, folder / 'a.hs', 'capture.pause') / 1e9:.2f} s, "
            f"{grown / MIB:.1f} MiB more resident, {os.path.getsize(folder / 'a.hs') / MIB:.0f} MiB")
        program.quit()
    check(seconds < 60, f"{seconds:.0f} s for {size} MiB")


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, paths, identity, options, aborted, killed, stuck, late, started, near_the_limit, large)})
