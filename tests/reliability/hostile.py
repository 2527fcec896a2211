#!/usr/bin/env python3
"""Hostile lengths and bombs cost nothing (reliability row 14). Every length and count of a capture, of a JVM dump and of a V8 snapshot
is set to the values where sums break (for captures with all checksums made right again, by forge.c); frames and archives unpack
to far more than they should; a million levels are nested. Each must end as damaged input or as an answer, within a
second of processor time and 64 MiB.

A sample in the ordinary suite, all of it with HSD_LONG=1. Environment besides harness.py's: HSD_FORGE, HSD_SANITIZED=1 when the
program was built with sanitizers, whose own time and memory are not counted.
"""
import gzip
import json
import os
import resource
import shutil
import struct
import subprocess
import sys

import harness
import inputs

BOUNDARIES = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 1 << 32, (1 << 32) + 1, 1 << 63, (1 << 64) - 1)
SANITIZED = os.environ.get("HSD_SANITIZED") == "1"
MAX_SECONDS = 10.0 if SANITIZED else 1.0
MAX_KIB = 64 * 1024


class Measured:
    def __init__(self, status, seconds, peak_kib, has_spoken, err):
        self.status, self.seconds, self.peak_kib, self.has_spoken, self.err = status, seconds, peak_kib, has_spoken, err


def measure(shop, arguments):
    """Runs the command and asks the kernel what it used."""
    shop.clear()
    out_path, err_path = os.path.join(shop.root, "stdout"), os.path.join(shop.root, "stderr")
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        process = subprocess.Popen([shop.program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=shop.environment({}), cwd=shop.root,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(err_path, "rb") as err:
        said = err.read()
    # What verify finds is its answer and stands on standard output.
    has_spoken = bool(said.strip()) or os.path.getsize(out_path) > 0
    return Measured(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, has_spoken, said)


def problem_of(run, statuses=(0, 3)):
    if harness.SANITIZER.search(run.err):
        return "a sanitizer spoke"
    if run.status not in statuses:
        return f"exit status {run.status}, expected {' or '.join(map(str, statuses))}"
    if run.status == 3 and not run.has_spoken:
        return "no message"
    if run.seconds > MAX_SECONDS:
        return f"{run.seconds:.1f} s of processor time"
    if run.peak_kib > MAX_KIB and not SANITIZED:
        return f"{run.peak_kib} KiB"
    return None


def leftovers(shop, arguments):
    """Names that a failed run may not leave. Salvage ends with 3 and the capture that it made of what was left."""
    results = [] if arguments[0] == "salvage" else os.listdir(shop.results)
    return os.listdir(shop.temps) + results


def check(shop, tally, name, arguments, statuses=(0, 3)):
    run = measure(shop, arguments)
    problem = problem_of(run, statuses)
    if problem is None and run.status != 0 and leftovers(shop, arguments):
        problem = f"left behind: {leftovers(shop, arguments)}"
    tally.case(name, problem, run.err)


def check_captures(shop, tally):
    folder = os.path.join(shop.root, "forged")
    step = 1 if harness.LONG else 61
    os.mkdir(folder)
    before, after = shop.captures
    made = subprocess.run([harness.program("HSD_FORGE"), before, folder, "0", str(step)], capture_output=True, text=True)
    tally.case("forge", None if made.returncode == 0 else made.stderr)
    for number, name in enumerate(sorted(os.listdir(folder))):
        path = os.path.join(folder, name)
        ways = {"info": ["info", path], "verify": ["verify", path], "diff": [path, after], "dump": ["dump", path],
                "salvage": ["salvage", path, "-o", shop.result("new.hs")], "summary": [path, after, "--summary"],
                "top": ["top", path], "top-partial": ["top", "--partial", path], "paths": ["paths", path, "*"]}
        # Each by diff and by one other command in turn: integrity/lengths tries all that the library does with each.
        for way in {list(ways)[number % len(ways)], "diff"}:
            check(shop, tally, f"{way} {name}", ways[way])
        os.unlink(path)
    # The bombs are few: always all.
    count = int(made.stdout.split()[0]) if made.returncode == 0 else 0
    subprocess.run([harness.program("HSD_FORGE"), before, folder, "0", "0"], capture_output=True, check=False)
    bombs = sorted(name for name in os.listdir(folder) if "bomb" in name)
    for name in bombs:
        path = os.path.join(folder, name)
        for way, arguments in (("verify", ["verify", path]), ("diff", [path, after]), ("salvage", ["salvage", path, "-o", shop.result("new.hs")])):
            check(shop, tally, f"{way} {name}", arguments)
    tally.case("bombs were made", None if bombs and count else "none")
    shutil.rmtree(folder)


def check_hprof(shop, tally):
    dump = inputs.hprof_dump(range(0, 6), range(0, 4))
    good = dump.to_bytes()
    path = os.path.join(shop.root, "hostile.hprof")
    variants = [(offset, width, value) for offset, width in [(19, 4), *dump.lengths] for value in BOUNDARIES if value < 1 << (8 * width)]
    for offset, width, value in variants if harness.LONG else variants[::7]:
        with open(path, "wb") as file:
            file.write(good[:offset] + value.to_bytes(width, "big") + good[offset + width:])
        check(shop, tally, f"hprof, {value:#x} at {offset}", [path, shop.dumps["hprof"][1]])
    # An array that claims 4 Gi elements, and nothing behind it; a gigabyte-long record of one byte.
    for name, data in (
            ("array of 2^32-1", b"\x22" + struct.pack(">QIIQ", 1, 0, 0xFFFFFFFF, 0x40)),
            ("bytes of 2^32-1", b"\x23" + struct.pack(">QIIB", 1, 0, 0xFFFFFFFF, 8)),
            ("instance of 2^32-1", b"\x21" + struct.pack(">QIQI", 1, 0, 0x20, 0xFFFFFFFF))):
        with open(path, "wb") as file:
            file.write(good + struct.pack(">BII", 0x1C, 0, len(data)) + data)
        check(shop, tally, f"hprof, {name}", ["import", path, "-o", shop.result("new.hs")])
    with open(path, "wb") as file:
        file.write(good + struct.pack(">BII", 0x01, 0, 0xFFFFFFFF) + b"x")
    check(shop, tally, "hprof, a string of 4 GiB that is not there", ["import", path, "-o", shop.result("new.hs")])


def check_gzip_bomb(shop, tally):
    """256 MiB of zeros in 255 KiB, as an unknown record behind a good header."""
    path = os.path.join(shop.root, "bomb.hprof.gz")
    size = 256 << 20
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(inputs.Hprof().out[0] + struct.pack(">BII", 0x7F, 0, size))
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    run = measure(shop, ["import", path, "-o", shop.result("new.hs")])
    # Its time is that of zlib; its memory is ours.
    problem = problem_of(run) if run.seconds <= MAX_SECONDS else None
    if problem is None and run.peak_kib > MAX_KIB and not SANITIZED:
        problem = f"{run.peak_kib} KiB"
    tally.case("gzip bomb", problem, run.err)


def check_v8(shop, tally):
    good = json.loads(inputs.v8_snapshot(range(0, 6), range(0, 4)))
    path = os.path.join(shop.root, "hostile.heapsnapshot")
    values = (*BOUNDARIES, -1, -(1 << 63), 10 ** 30, 1.5)
    places = [("snapshot", "node_count"), ("snapshot", "edge_count"), ("snapshot", "trace_function_count")]
    places += [("nodes", index) for index in range(24)] + [("edges", index) for index in range(12)]
    variants = [(place, value) for place in places for value in values]
    for (key, inner), value in variants if harness.LONG else variants[::5]:
        changed = json.loads(json.dumps(good))
        changed[key][inner] = value
        with open(path, "w", encoding="ascii") as file:
            json.dump(changed, file, separators=(",", ":"))
        check(shop, tally, f"v8, {key}[{inner}] = {value}", [path, shop.dumps["v8"][1]])
    text = json.dumps(good, separators=(",", ":"))
    for name, pieces in v8_monsters(text):
        with open(path, "w", encoding="ascii") as file:
            for piece, count in pieces:
                write_repeated(file, piece, count)
        check(shop, tally, f"v8, {name}", ["import", path, "-o", shop.result("new.hs")])


def write_repeated(file, piece, count):
    """In small portions: what this process once used would count as the peak of the commands that it starts."""
    portion = max(1, 65536 // len(piece))
    for _ in range(count // portion):
        file.write(piece * portion)
    file.write(piece * (count % portion))


def v8_monsters(text):
    """(name, [(piece, how often), …]) of snapshots that are deep, long, or both."""
    many, long = 1_000_000, 10_000_000

    def put(before, *pieces):
        """The pieces behind the first place where `before` stands."""
        at = text.index(before) + len(before)
        return [(text[:at], 1), *pieces, (text[at:], 1)]

    return (
        ("a million arrays in an unknown key", [('{"unknown":', 1), ("[", many), ("]", many), ("," + text[1:], 1)]),
        ("a million objects in an unknown key", [('{"unknown":', 1), ('{"a":', many), ("1", 1), ("}", many), ("," + text[1:], 1)]),
        ("a million open arrays", [('{"unknown":', 1), ("[", many)]),
        ("a deep trace tree", put('"trace_tree":[', ("1,1,0,0,[", many), ("]", many))),
        ("a number of a million digits", put('"nodes":[', ("9", many), (",", 1))),
        ("a string of ten million characters", put('"strings":["', ("x", long))),
        ("a string without an end", [(text[:text.index("<dummy>")], 1), ("y", long)]),
        ("a key of ten million characters", [('{"', 1), ("k", long), ('":1,' + text[1:], 1)]),
        ("a million node fields", put('"node_fields":[', ('"f",', many))),
    )


def main():
    parts = {"captures": check_captures, "hprof": check_hprof, "gzip": check_gzip_bomb, "v8": check_v8}
    if len(sys.argv) != 2 or sys.argv[1] not in parts:
        sys.exit(f"usage: hostile.py {'|'.join(parts)}")
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_CLI")) as shop:
        parts[sys.argv[1]](shop, tally)
    tally.close()


if __name__ == "__main__":
    main()
