#!/usr/bin/env python3
"""The native agent near a limit of memory: a program with a large heap into which two threads go on writing, captured from outside.

    paced      2 GiB in a cgroup with 64 MiB to spare, 1,000 writes a second all over the heap: captured, and nobody is killed
    hot        the same, as fast as they can, into 8 MiB of it
    flood      the same, as fast as they can, all over the heap: more than 64 MiB are written before a capture can have read them. The
               program must live; the capture is whole, or is told as cut off and not kept
    large      4 GiB without a limit: under a minute

Between paced and flood lies what 64 MiB are good for: of 2 GiB, some 8,000 writes a second all over it are (+45 MiB), 19,000 are not. Nobody
may read /proc/CHILD/smaps_rollup of the child that writes a capture while it is killed: its memory then goes back too late, and the
program is killed next. Nothing here does.

The JVM and Mono have cases of their own in test_jvm.py and test_mono.py. HSD_BOUNDS_MIB: another size than 2 GiB, for a try.
"""
import os
import pathlib
import re
import sys
import threading
import time

sys.dont_write_bytecode = True
import kit
from kit import check, say

MIB = 1 << 20
HEAP_MIB = int(os.environ.get("HSD_BOUNDS_MIB") or 2048)
SPARE_MIB, HOT_MIB, WRITES, LIMIT_SECONDS = 64, 8, 1000, 60
CGROUP = pathlib.Path("/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup")
IS_V1 = CGROUP.name == "memory"


class Group:
    """A memory cgroup of our own (v1 or v2)."""

    def __enter__(self):
        self.folder = CGROUP / f"hsdiff-bounds-{os.getpid()}"
        try:
            self.folder.mkdir()
        except OSError as error:
            kit.skip(f"no memory cgroup can be made: {error.strerror}")
        return self

    def wrap(self):
        return ("sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh")

    def usage(self):
        return int((self.folder / ("memory.usage_in_bytes" if IS_V1 else "memory.current")).read_text())

    def limit(self, size):
        (self.folder / ("memory.limit_in_bytes" if IS_V1 else "memory.max")).write_text(str(size))

    def kills(self):
        events = (self.folder / ("memory.oom_control" if IS_V1 else "memory.events")).read_text()
        found = re.search(r"^oom_kill (\d+)", events, re.M)
        return int(found[1]) if found else 0

    def __exit__(self, *_):
        for _ in range(100):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.1)


class Peak(threading.Thread):
    """The most that a function gives, asked every 5 ms, until it is stopped. (A cgroup's own maximum would hold what was before.)"""

    def __init__(self, ask):
        super().__init__()
        self.ask, self.most, self.is_over = ask, ask(), threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(0.005):
            self.most = max(self.most, self.ask())

    def stop(self):
        self.is_over.set()
        self.join()
        return self.most


def start(tool, mib, *arguments, wrap=()):
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    program = pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "bounds_heap"
    if not agent.exists() or not program.exists():
        kit.skip("the native agent was not built")
    # Only the program has the agent, not the shell before it.
    return kit.Program([*wrap, "env", f"LD_PRELOAD={agent}", str(program), str(mib), *map(str, arguments)], wait=300)


def resident(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def wrote(program):
    program.tell("count")
    return int(program.expect("wrote"))


def metric(tool, capture, name):
    found = re.search(rf'^metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout, re.M)
    check(found, f"no metric {name}")
    return int(found[1])


def goes_on(program):
    """It lives, writes and allocates."""
    check(program.is_alive(), f"the program ended with {program.process.poll()}")
    before = wrote(program)
    kit.wait_until("its threads stand still", lambda: wrote(program) > before)
    check(program.leak(10) >= 10, "it cannot allocate")


def near_the_limit(tool, folder, arguments, must_be_whole):
    capture = folder / "a.hs"
    with Group() as group, start(tool, HEAP_MIB, *arguments, wrap=group.wrap()) as program:
        time.sleep(1)
        used, wrote_before, began = group.usage(), wrote(program), time.monotonic()
        group.limit(used + SPARE_MIB * MIB)
        peak = Peak(group.usage)
        done = tool.capture(program.pid, capture, expect=None, timeout=600)
        took, most = time.monotonic() - began, peak.stop()
        rate = (wrote(program) - wrote_before) / took
        killed = group.kills()
        goes_on(program)
        is_whole = done.returncode == 0
        say(f"        {used / MIB:,.0f} MiB used, {rate:,.0f} writes a second: cgroup +{(most - used) / MIB:.1f} MiB, {took:.1f} s, "
            + (f"pause {metric(tool, capture, 'capture.pause') / 1e6:.1f} ms, {os.path.getsize(capture) / MIB:.0f} MiB written" if is_whole
               else f"cut off: {killed} killed, exit {done.returncode}"))
        if is_whole:
            tool.run("verify", capture, timeout=300)
            check(metric(tool, capture, "heap.used") >= HEAP_MIB * MIB, "the heap is not all there")
            check(abs(metric(tool, capture, "process.limit") - used - SPARE_MIB * MIB) < MIB, "the limit of its cgroup is not in the capture")
        else:
            check(done.stderr.strip(), "no word about why")
            check(not capture.exists(), "a cut capture was kept without --partial")
            check(not must_be_whole, f"exit {done.returncode}, {killed} killed: {done.stderr}")
            # and with memory to spare again it is captured
            group.limit(used + 2 * HEAP_MIB * MIB)
            tool.capture(program.pid, capture, timeout=600)
        program.quit()


def paced(tool, folder):
    near_the_limit(tool, folder, (WRITES,), must_be_whole=True)


def hot(tool, folder):
    near_the_limit(tool, folder, (0, HOT_MIB), must_be_whole=True)


def flood(tool, folder):
    near_the_limit(tool, folder, (0,), must_be_whole=False)


def large(tool, folder):
    capture = folder / "a.hs"
    with start(tool, 2 * HEAP_MIB, WRITES) as program:
        before, began = resident(program.pid), time.monotonic()
        tool.capture(program.pid, capture, timeout=600)
        took = time.monotonic() - began
        say(f"        {before / MIB:,.0f} MiB resident: {took:.1f} s, pause {metric(tool, capture, 'capture.pause') / 1e6:.1f} ms, "
            f"{os.path.getsize(capture) / MIB:.0f} MiB written")
        goes_on(program)
        program.quit()
    check(took < LIMIT_SECONDS, f"{took:.0f} s")


if __name__ == "__main__":
    kit.main({case.__name__: case for case in (paced, hot, flood, large)})
