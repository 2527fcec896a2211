#!/usr/bin/env python3
"""What --verbose says of stages: a bound in the line of each, and a table of all in the order of the time that was lost.

usage: test_stages.py HSDIFF
The limits are those of a file (HSDIFF_LIMITS) in which everything takes so long that small inputs have bounds.
"""
import os
import re
import subprocess
import sys
import tempfile

import test_cli

NAMES = ("memory-read", "memory-written", "zstd-unpacked", "zstd-packed", "json-numbers", "column-decoded", "varint-decoded", "sorted",
         "run-decoded", "run-encoded", "file-read", "file-written", "random-near", "random-middle", "random-far")
LINE = re.compile(r"^  (.+: .+) took (\S+) s, (\S+) s of the processor; temporary files: (\S+) MiB read, (\S+) MiB written"
                  r"(?:; bound (\d+\.\d{3}) s: (\d+\.\d)x \((.+)\))?$")
PART = re.compile(r"^\d+(\.\d)? (MB|M) [a-zA-Z0-9 ]+$")
ROW = re.compile(r"^ +(\d+\.\d{3}) +(\d+\.\d{3}) +(?:(\d+\.\d)x +)?(-?\d+\.\d{3})  (.+)$")


def limits(folder, name, text=None):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text if text is not None else "machine = a slow machine\n" + "".join(f"{name} = 5000\n" for name in NAMES))
    return path


def run(hsdiff, where, file, *arguments):
    environment = dict(os.environ, HSDIFF_LIMITS=file, ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([hsdiff, *arguments], cwd=where, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def rows_of(said):
    """Rows of the table, after its two lines of head."""
    lines = said.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("  seconds of the processor, and the bound of the model (")]
    if len(heads) != 1 or lines[heads[0] + 1].split() != ["took", "bound", "ratio", "lost", "stage"]:
        return None, None
    rows = [ROW.match(line) for line in lines[heads[0] + 2:]]
    return lines[heads[0]], [row and (float(row[1]), float(row[2]), row[3], float(row[4]), row[5]) for row in rows]


def check_lines(said, wanted):
    found = [match for match in map(LINE.match, said.splitlines()) if match]
    for name in wanted:
        if not any(match[1].endswith(name) for match in found):
            yield f"no line of the stage '{name}'"
    if any(" of the processor; " in line and not LINE.match(line) for line in said.splitlines()):
        yield "a line of a stage has another form"
    bounds = [match for match in found if match[6]]
    if len(bounds) < 5:
        yield f"{len(bounds)} lines have a bound"
    for match in bounds:
        parts = match[8].split(", ")
        if not 1 <= len(parts) <= 4 or not all(PART.match(part) for part in parts):
            yield f"a bound of '{match[8]}'"


def check_table(said, machine):
    head, rows = rows_of(said)
    if rows is None or len(rows) < 4 or None in rows:
        yield f"no table: {rows}"
        return
    if f"({machine})" not in head:
        yield f"not the limits of {machine}: {head}"
    *body, whole = rows
    if whole[4] != "all stages":
        yield f"the last row is {whole}"
    stages = [row for row in body if row[4] != "others"]
    if any(a[3] < b[3] for a, b in zip(stages, stages[1:])):
        yield "the rows are not in the order of the time lost"
    for column in (0, 1, 3):
        if abs(sum(row[column] for row in body) - whole[column]) > 0.001 * len(rows):
            yield f"column {column} does not add up"
    for took, bound, ratio, lost, name in rows:
        if abs(took - bound - lost) > 0.002:
            yield f"{name}: {took} - {bound} is not {lost}"
        if bound >= 0.02 and (ratio is None or abs(float(ratio) - took / bound) > 0.06 + 0.2 * took / bound):
            yield f"{name}: {took} / {bound} is not {ratio}"


def main():
    hsdiff = os.path.abspath(sys.argv[1])
    runner = test_cli.Runner(hsdiff)
    faults, checks = [], 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            slow = limits(folder, "slow")
            for threads in ("1", "2"):
                _, plain, _ = run(hsdiff, runner.inputs, slow, "-q", "a.heapsnapshot", "b.heapsnapshot")
                status, out, said = run(hsdiff, runner.inputs, slow, "-q", "--verbose", "--verbose", "--threads", threads, "a.heapsnapshot", "b.heapsnapshot")
                wanted = ["importing", "reading the graph", "dominators: walking", "finding owners", "counting objects", "holders: crediting"]
                for fault in [*check_lines(said, wanted), *check_table(said, "a slow machine")]:
                    faults.append(f"{threads} threads: {fault}")
                if status != 0 or out != plain:
                    faults.append(f"{threads} threads: status {status}, and the answer is another one: {out != plain}")
                checks += 3
            _, _, said = run(hsdiff, runner.inputs, "", "-q", "-v", "d/demo-before.hs", "d/demo-after.hs")
            if "bound of the model (built in: " not in said:
                faults.append("without a file the limits are not the built-in ones")
            _, _, said = run(hsdiff, runner.inputs, slow, "-q", "d/demo-before.hs", "d/demo-after.hs")
            if said != "":
                faults.append(f"without --verbose: {said}")
            for name, text, why in (("wrong", "sorted = much\n", "line 1 of the limits: no number of nanoseconds"),
                                    ("short", "sorted = 1\n", 'the limits lack "memory-read"'),
                                    ("large", "#" * 70000, "limits of more than 65536 bytes")):
                status, _, said = run(hsdiff, runner.inputs, limits(folder, name, text), "-v", "d/demo-before.hs", "d/demo-after.hs")
                if status != 2 or why not in said or "HSDIFF_LIMITS" not in said:
                    faults.append(f"{name}: status {status}: {said}")
            status, _, said = run(hsdiff, runner.inputs, os.path.join(folder, "none"), "-v", "d/demo-before.hs", "d/demo-after.hs")
            if status != 2 or "it cannot be read" not in said:
                faults.append(f"none: status {status}: {said}")
            checks += 6
    finally:
        runner.close()
    for fault in faults:
        print(fault)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
