#!/usr/bin/env python3
"""What a user waits for, measured whole: commands over generated captures and dumps, of one program or of two in turn.

    run.py --hsdiff PROGRAM --synth HSD_SYNTH [--than PROGRAM] [--objects N] [--rounds N] [--instructions] [WORK...]

Prints CSV. By the clock: median wall seconds, processor seconds and peak memory of --rounds runs; with --than both programs take turns,
and ratios (PROGRAM to the other) are those of the medians. On a busy machine ratios of processor time count, wall time does not.

With --instructions each command runs once, on one thread, under valgrind, which counts. That number hardly depends on the machine and not at
all on its load: two runs differ by less than 0.1 %. With --than the exit status is 1 if a command takes over 3 % more instructions
than the other program takes, so that a change can be judged in CI.
"""
import argparse
import csv
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

MOST_GROWTH = 1.03
INSTRUCTIONS = re.compile(r"I\s+refs:\s+([\d,]+)")

# name: inputs that it needs, arguments. {…} is a file of the folder.
WORKS = {
    "help": ([], ["--help"]),
    "summary": (["exact"], ["--summary", "{exact/a.hs}", "{exact/b.hs}"]),
    "diff-exact": (["exact"], ["{exact/a.hs}", "{exact/b.hs}"]),
    "diff-address": (["address"], ["{address/a.hs}", "{address/b.hs}"]),
    "diff-structure": (["moving"], ["{moving/a.hs}", "{moving/b.hs}"]),
    "check": (["exact"], ["check", "{exact/a.hs}", "{exact/b.hs}"]),
    "top": (["exact"], ["top", "{exact/b.hs}"]),
    "import-heapsnapshot": (["heapsnapshot"], ["import", "{heapsnapshot/b}", "-o", "/dev/null"]),
    "diff-heapsnapshot": (["heapsnapshot"], ["{heapsnapshot/a}", "{heapsnapshot/b}"]),
    "import-hprof": (["hprof"], ["import", "{hprof/b}", "-o", "/dev/null"]),
    "diff-hprof": (["hprof"], ["{hprof/a}", "{hprof/b}"]),
}


def make_synth(o, folder, identity):
    made = folder / identity
    made.mkdir(exist_ok=True)
    if not (made / "truth.json").exists():
        subprocess.run([o.synth, f"objects={o.objects}", f"identity={identity}", made], check=True, stdout=subprocess.DEVNULL)


def make_dumps(o, folder, kind):
    make_synth(o, folder, "exact")
    made = folder / kind
    made.mkdir(exist_ok=True)
    for side in "ab":
        if not (made / side).exists():
            subprocess.run([o.hsdiff, "export", "--quiet", "--to", kind, folder / "exact" / f"{side}.hs", "-o", made / side], check=True)


def make_inputs(o, folder, names):
    for kind in sorted({kind for name in names for kind in WORKS[name][0]}):
        if kind in ("heapsnapshot", "hprof"):
            make_dumps(o, folder, kind)
        else:
            make_synth(o, folder, kind)


def arguments(name, folder):
    return [str(folder / word[1:-1]) if word.startswith("{") else word for word in WORKS[name][1]]


# A check that finds growth ends with 1: that is no failure here.
def must_work(status, command):
    if status not in (0, 1):
        sys.exit(f"status {status}: {' '.join(command)}")


def run_once(command, folder):
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    must_work(child.returncode, command)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def by_the_clock(o, folder, names, out):
    programs = [o.hsdiff] + ([o.than] if o.than else [])
    out.writerow(["work", "objects", "wall_s", "cpu_s", "peak_mib"] + (["wall_ratio", "cpu_ratio", "peak_ratio"] if o.than else []))
    for name in names:
        runs = [[], []]
        for _ in range(o.rounds):
            for runs_of_one, program in zip(runs, programs):
                runs_of_one.append(run_once([program, *arguments(name, folder)], folder))
        medians = [[statistics.median(column) for column in zip(*some)] for some in runs if some]
        ratios = [f"{mine / other:.3f}" if other > 0 else "" for mine, other in zip(*medians)] if o.than else []
        out.writerow([name, o.objects, *(f"{value:.4f}" for value in medians[0][:2]), f"{medians[0][2]:.1f}", *ratios])
        sys.stdout.flush()
    return 0


def count(program, name, folder):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, *arguments(name, folder)]
    if name != "help":
        command += ["--threads", "1"]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
    must_work(result.returncode, command)
    found = INSTRUCTIONS.search(result.stderr)
    if not found:
        sys.exit(f"valgrind counted nothing:\n{result.stderr}")
    return int(found.group(1).replace(",", ""))


def by_instructions(o, folder, names, out):
    out.writerow(["work", "objects", "instructions"] + (["instructions_ratio"] if o.than else []))
    too_many = []
    for name in names:
        mine = count(o.hsdiff, name, folder)
        row = [name, o.objects, mine]
        if o.than:
            ratio = mine / count(o.than, name, folder)
            row.append(f"{ratio:.4f}")
            if ratio > MOST_GROWTH:
                too_many.append(f"{name}: {ratio:.3f} times the instructions, {MOST_GROWTH} are allowed")
        out.writerow(row)
        sys.stdout.flush()
    for line in too_many:
        print(line, file=sys.stderr)
    return 1 if too_many else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hsdiff", required=True, type=pathlib.Path)
    parser.add_argument("--synth", required=True, type=pathlib.Path)
    parser.add_argument("--than", type=pathlib.Path, help="another program, to be held against")
    parser.add_argument("--objects", type=int, default=1_000_000, help="of a capture; 1,000,000")
    parser.add_argument("--rounds", type=int, default=5, help="runs whose median counts; 5")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("work", nargs="*", help=", ".join(WORKS))
    o = parser.parse_args()
    if unknown := [name for name in o.work if name not in WORKS]:
        parser.error(f"no work is called {unknown[0]}: there are {', '.join(WORKS)}")
    if o.rounds < 1 or o.objects < 1:
        parser.error("--rounds and --objects are 1 or more")
    o.hsdiff, o.synth, o.than = o.hsdiff.absolute(), o.synth.absolute(), o.than and o.than.absolute()
    names = o.work or list(WORKS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="hsdiff-bench-") as scratch:
        folder = pathlib.Path(scratch)
        make_inputs(o, folder, names)
        return (by_instructions if o.instructions else by_the_clock)(o, folder, names, csv.writer(sys.stdout, lineterminator="\n"))


if __name__ == "__main__":
    sys.exit(main())
