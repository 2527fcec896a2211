#!/usr/bin/env python3
"""Capture files that memray has written under each Python of this machine, imported and compared with what memray itself says was left at the end: bytes of
each stack, blocks of each place. In all of its forms: packed and not, aggregated, with native frames, with Python's allocators, cut off by kill -9."""
import functools
import json
import pathlib
import signal
import subprocess
import sys

import kit
import pythons
from kit import check, say

sys.path.insert(0, str(kit.PROJECT / "tests" / "support"))
import environments  # noqa: E402

PROGRAM = '''
import ctypes, json, mmap, os, signal, sys, threading
KEPT, BEFORE = [], int(sys.argv[1])

def deep(n):
    return bytearray(700) if n == 0 else deep(n - 1)

class Cache:
    def put(self, n):
        KEPT.append(bytearray(1000 + n % 3))  # the line that leaks

def work(n):
    cache = Cache()
    for i in range(n):
        cache.put(i)
        if i % 5 == 0: KEPT.append(deep(i % 7))
    KEPT.append([bytearray(600) for _ in range(n)])
    json.loads(json.dumps([str(i) * 20 for i in range(n)]))
    (lambda: KEPT.append(
        dict.fromkeys(range(n))))()

def ranges():
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    begin = libc.mmap(None, 16 * 4096, 3, 0x22, -1, 0)
    for first, pages in ((0, 1), (15, 1), (4, 2), (5, 4)):
        libc.munmap(begin + first * 4096, pages * 4096)
    KEPT.append(mmap.mmap(-1, 65536))

threads = [threading.Thread(target=work, args=(BEFORE // 4,)) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
ranges()
work(BEFORE)
if len(sys.argv) > 2: os.kill(os.getpid(), signal.SIGKILL)
'''

# What memray says of a file: its own reader, in the same environment.
TRUTH = '''
import json, memray, sys
rows = []
for record in memray.FileReader(sys.argv[1]).get_leaked_allocation_records(merge_threads=True):
    rows.append([[list(frame) for frame in record.stack_trace()], record.n_allocations, record.size])
print(json.dumps(rows))
'''

BEFORE, BLOCKS = 400, 400 + 3 * 100 + 1  # blocks of line 10: those of all threads, and the list that holds them
MODES = {"packed": [], "plain": ["--no-compress"], "aggregated": ["--aggregate"], "native": ["--native"], "allocators": ["--trace-python-allocators"],
         "native aggregated": ["--native", "--aggregate", "--no-compress"]}


@functools.lru_cache(maxsize=None)
def environment(version, python):
    """A Python with memray, for all cases; None where pip has none that is new enough, which is said."""
    try:
        return environments.made(f"memray-{version}", ("--only-binary", ":all:", "memray>=1.19"), "memray", python) / "python"
    except environments.Missing as why:
        say(f"  skipped: CPython {version} has no memray >= 1.19 from PyPI: {why}")
        return None


def pythons_with_memray():
    found = pythons.found()
    wanted = found.items() if kit.LONG else list(found.items())[:1] + list(found.items())[-1:]
    places = {version: environment(version, python) for version, python in wanted}
    places = {version: place for version, place in places.items() if place}
    if not places:
        kit.skip("no memray from PyPI")
    return places


def record(python, folder, options, arguments, name="memray.bin", status=0):
    (folder / "shop").mkdir(exist_ok=True)
    script = folder / "shop" / "app.py"
    script.write_text(PROGRAM)
    path = folder / name
    done = subprocess.run([python, "-m", "memray", "run", "-f", "-q", *options, "-o", path, script, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    check(done.returncode == status, f"memray ended with {done.returncode}: {done.stdout}{done.stderr}")
    return path


def place(frame):
    if frame is None:
        return "(no stack)"
    parts = frame[1].split("/")
    return f"allocated at {'/'.join(parts[-2:])}" + (f":{frame[2]}" if frame[2] else "")


def compare(tool, python, path, what):
    done = subprocess.run([python, "-c", TRUTH, path], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    stacks, places = {}, {}
    for frames, count, size in json.loads(done.stdout):
        at = place(frames[0] if frames else None)
        key = ";".join([frame[0] for frame in reversed(frames)] or ["(no allocation site)"]) + ";" + at
        stacks[key] = stacks.get(key, 0) + size
        places[at] = tuple(map(sum, zip(places.get(at, (0, 0)), (count, size))))
    told = path.with_suffix(".collapsed")
    tool.run("export", "-q", path, "--stacks", "sites", "--to", "collapsed", "--force", "-o", told)
    got = {}
    for line in told.read_text().splitlines():
        stack, _, size = line.rpartition(" ")
        got[stack] = got.get(stack, 0) + int(size)
    stacks = {key: size for key, size in stacks.items() if size}
    differs = {key: (got.get(key), stacks.get(key)) for key in got.keys() | stacks.keys() if got.get(key) != stacks.get(key)}
    check(not differs, f"{what}: stacks that differ (told, true): {list(differs.items())[:4]}")
    diff = tool.diff(path, path, "--top", "all")
    rows = {row["type"]: (row["after"]["objects"], row["after"]["bytes"]) for row in diff["types"]}
    if "aggregated" in what:  # memray's reader counts one block for each thread and allocator that it adds up: its bytes are right, its counts are not
        leaks = "allocated at shop/app.py:10"
        check(rows[leaks][0] == BLOCKS, f"{what}: {rows[leaks]}")
        rows, places = ({key: size for key, (_, size) in side.items()} for side in (rows, places))
    check(rows == places, f"{what}: places that differ: {list(set(rows.items()) ^ set(places.items()))[:4]}")
    return len(stacks), sum(stacks.values())


def sums(tool, folder):
    places = pythons_with_memray()
    for number, (version, python) in enumerate(places.items()):
        for mode, options in MODES.items():
            if number > 0 and mode not in ("packed", "aggregated"):
                continue
            path = record(python, folder, options, [BEFORE])
            count, size = compare(tool, python, path, f"Python {version}, {mode}")
            say(f"        Python {version}, {mode}: {count} stacks, {size} bytes, 0 differing")


def growth(tool, folder):
    """What grew from one run to another, in the first sentence; and the function that leaks."""
    version, python = next(iter(pythons_with_memray().items()))
    paths = [record(python, folder, [], [count], f"{count}.bin") for count in (200, 4000)]
    text = tool.run(*paths).stdout
    check("put (app.py:10)" in text, f"Python {version}: the place that leaks is not told: {text}")
    check("allocated at shop/app.py:10" in text, text)


def killed(tool, folder):
    """A file without an end is refused, and read with --partial."""
    version, python = next(iter(pythons_with_memray().items()))
    path = record(python, folder, [], [2000, "kill"], status=-signal.SIGKILL)
    done = tool.run("import", path, "-o", folder / "x.hs", expect=None)
    check(done.returncode != 0 and "killed, or still runs" in done.stderr and "--partial" in done.stderr, f"{done}")
    done = tool.run("top", "--partial", path, expect=None)
    check("allocated at shop/app.py:10" in done.stdout, f"Python {version}: {done}")


def versions(tool, folder):
    """An older file, and one of the future, are refused with what to do."""
    for version, words in ((11, "memray 1.19 or later"), (14, "newer hsdiff")):
        path = pathlib.Path(folder) / "other.bin"
        path.write_bytes(b"memray\0" + version.to_bytes(4, "little") + bytes(100))
        done = tool.run("import", path, "-o", folder / "x.hs", expect=None)
        check(done.returncode != 0 and words in done.stderr and f"version {version} " in done.stderr, f"{done}")


if __name__ == "__main__":
    kit.main({"sums": sums, "growth": growth, "killed": killed, "versions": versions})
